"""Form fields of the limits in `engines.definitions.settings`."""

from typing import Any

from django import forms

from engines.definitions.settings import Limits


def number_field(limits: Limits, **more: Any) -> forms.IntegerField:
    """A field for a whole number within the limits; its usual value is shown at first."""
    bounds = {"min_value": limits.least, "max_value": limits.most, "initial": limits.usual}
    return forms.IntegerField(**(bounds | more))

"""Serializer fields, and thereby the OpenAPI schema, of the limits in `engines.definitions.settings`."""

from typing import Any

from rest_framework import serializers

from engines.definitions.settings import Limits


def number_field(limits: Limits, **more: Any) -> serializers.IntegerField:
    """A field for a whole number within the limits; the usual value where it is left out, if there is one."""
    missing: dict[str, Any] = {"required": False} if limits.usual is None else {"default": limits.usual}
    return serializers.IntegerField(min_value=limits.least, max_value=limits.most, **(missing | more))

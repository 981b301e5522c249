"""Whether what somebody sets lies within the limits of `engines.definitions.settings`."""

from typing import Any

from accounts.refusals import Refused
from engines.definitions.settings import Length, Limits


def check_within(limits: Limits | Length, value: Any) -> None:
    """Errors: Refused with the limits. None is not set, which is fine."""
    if value is not None and (problem := limits.problem(value)):
        raise Refused(problem)

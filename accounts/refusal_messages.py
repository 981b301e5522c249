"""Where a person reads why they were refused: in a message above the page, or at a field of the form they sent.

A missing role is not reported here: NotAllowed goes on to the middleware, which answers 403.
"""

from collections.abc import Callable
from types import TracebackType

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest

from accounts.refusals import NotAllowed, Refused, as_refusal


class RefusalReport:
    """A `with` block that a refusal ends: `report` is given the reason, and the view goes on after the block."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self.report = report

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> bool:
        refusal = as_refusal(error)
        if not isinstance(refusal, Refused) or isinstance(refusal, NotAllowed):
            return False
        self.report(refusal.reason)
        return True


def refusals_in_message(request: HttpRequest, level: int = messages.ERROR) -> RefusalReport:
    """Refusals of the block become a message on the next page."""
    return RefusalReport(lambda reason: messages.add_message(request, level, reason))


def refusals_in_form(form: BaseForm, field: str | None = None) -> RefusalReport:
    """Refusals of the block become errors of the form, at `field` or above them all."""
    return RefusalReport(lambda reason: form.add_error(field, reason))

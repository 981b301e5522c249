"""What was typed into a form on a page that is not the form's own, and refused: it is there again on that page."""

from typing import Any, TypeVar

from django.forms import Form
from django.http import HttpRequest, QueryDict

F = TypeVar("F", bound=Form)
KEPT = "refused_form"


def keep_refused(request: HttpRequest, form: Form, page: str) -> None:
    """Keep what was sent for the next look at that page, which has the form."""
    sent = {name: request.POST.getlist(name) for name in form.fields if name in request.POST}
    request.session[KEPT] = {"form": type(form).__name__, "page": page, "sent": sent}


def form_again(request: HttpRequest, new: F) -> F:
    """The form as it was sent and refused on this page just now, with its errors, else `new`."""
    kept: dict[str, Any] = request.session.get(KEPT, {})
    if (kept.get("form"), kept.get("page")) != (type(new).__name__, request.path):
        return new
    del request.session[KEPT]
    new.data, new.is_bound = QueryDict(mutable=True), True
    for name, values in kept["sent"].items():
        new.data.setlist(name, values)
    return new

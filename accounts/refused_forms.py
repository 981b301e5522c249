"""What was typed into a form on a page that is not the form's own, and refused: it is there again on that page."""

from typing import Any, TypeVar

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from accounts.management.reporting import faults_of

F = TypeVar("F", bound=Form)
KEPT = "refused_form"


def refused(request: HttpRequest, form: Form, page: str) -> HttpResponse:
    """Back to the page, which has the form: it says what is wrong, and has what was sent when it is looked at next."""
    for fault in faults_of(form):
        messages.error(request, fault)
    sent = {name: request.POST.getlist(name) for name in form.fields if name in request.POST}
    if form.fields:
        request.session[KEPT] = {"form": type(form).__name__, "page": page, "sent": sent}
    return redirect(page)


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

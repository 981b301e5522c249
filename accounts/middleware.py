"""Turns refusals that no view has caught into pages that say the reason."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.refusals import Conflict, NotAllowed, Refused


class RefusalMiddleware:
    """403 for a missing role, 409 for a conflict, 422 for any other refusal: always with the reason."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refused):
            return None
        status = 403 if isinstance(exception, NotAllowed) else 409 if isinstance(exception, Conflict) else 422
        template = "_refusal.html" if getattr(request, "htmx", False) else "refusal.html"
        return render(request, template, {"reason": exception.reason, "status": status}, status=status)

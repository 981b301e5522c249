"""Refusals that no view has caught become pages that say why; signed-out people get the sign-in page, scripts 401."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import get_script_prefix, is_valid_path
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.first_account import has_account
from accounts.refusals import Busy, Conflict, NotAllowed, NotHere, Refused, as_refusal
from accounts.requests import OpenRequest

View = Callable[..., HttpResponseBase]
HEADINGS = {
    403: gettext_lazy("Your role does not allow this"),
    404: gettext_lazy("Page not found"),
    409: gettext_lazy("This has changed in the meantime"),
    422: gettext_lazy("This cannot be done now"),
}
STATUS = {NotAllowed: 403, NotHere: 404, Busy: 503, Conflict: 409}  # of pages that show a refusal; of any other: 422


BEFORE_ACCOUNTS = {
    "first_account",
    "theme_update",
    "language_update",
    "documentation",
    "documentation_page",
    "favicon",
    "web_manifest",
}  # what a Litmus without any account shows and takes


def _is_page(request: HttpRequest) -> bool:
    """Whether a browser asks for a whole page that is of no use yet: scripts and programs get their 401."""
    match, wanted = request.resolver_match, request.headers.get("Accept", "*/*")
    if match is None or match.url_name in BEFORE_ACCOUNTS or match.route.startswith("api/"):
        return False
    return not request.headers.get("HX-Request") and ("text/html" in wanted or "*/*" in wanted)


class SignInMiddleware(LoginRequiredMiddleware):
    """Every view needs a signed-in person unless it says otherwise.

    A page redirects to the sign-in page. A request by a script (htmx, or one that wants JSON) gets 401 instead, so
    that no sign-in page lands in the middle of another page and nothing typed is lost. While there is no account at
    all, every page leads to the one that makes the first.
    """

    def process_view(
        self, request: HttpRequest, view_func: View, view_args: Any, view_kwargs: Any
    ) -> HttpResponseBase | None:
        if request.user.is_anonymous and _is_page(request) and not has_account():
            return redirect("first_account")
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]  # Django's stubs allow a redirect only
        self, request: OpenRequest, view_func: View
    ) -> HttpResponseBase:
        if request.htmx or "application/json" in request.headers.get("Accept", ""):
            return JsonResponse({"detail": _("You are signed out. Sign in again.")}, status=HTTPStatus.UNAUTHORIZED)
        return super().handle_no_permission(request, view_func)


class RefusalMiddleware:
    """403 for a missing role, 404 for what is not there, 409 for a conflict, 503 where the server is busy, 422 for any
    other refusal: always with the reason.

    An address that takes forms only says so (405) when it is opened, as on reloading after a refused form.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.get("Content-Type", "")[:9] != "text/html":
            return response
        if request.method != "GET" or "text/html" not in request.headers.get("Accept", ""):
            return response
        page = render(request, "405.html", {"above": page_above(request.path_info)}, status=response.status_code)
        page["Allow"] = response["Allow"]
        return page

    def process_exception(self, request: OpenRequest, exception: Exception) -> HttpResponse | None:
        refusal = as_refusal(exception)
        return refusal_page(request, refusal) if isinstance(refusal, Refused) else None


def page_above(path: str) -> str:
    """The nearest address above `path` that is one of ours; `path` is that below the site's own."""
    while path != "/":
        path = path.rstrip("/").rpartition("/")[0] + "/"
        if is_valid_path(path):
            break
    return get_script_prefix() + path[1:]


def refusal_page(request: OpenRequest, refusal: Refused) -> HttpResponse:
    """The page that says why, or its fragment for htmx."""
    status = next((status for kind, status in STATUS.items() if isinstance(refusal, kind)), 422)
    context = {"reason": refusal.reason, "status": status, "heading": refusal.heading or HEADINGS[status]}
    response = render(request, "_refusal.html" if request.htmx else "refusal.html", context, status=status)
    if wait := getattr(refusal, "retry_after", None):
        response["Retry-After"] = wait
    if request.htmx:  # among the messages, wherever the fragment itself would have gone
        response["HX-Retarget"], response["HX-Reswap"] = "#messages", "beforeend"
    return response

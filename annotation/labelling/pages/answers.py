"""What the labelling screen's script gets back: compact JSON, problem details (RFC 9457) when something is wrong."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_not_required
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from accounts.refusals import Refused
from annotation.labelling.receipts import status_and_code

TITLES = {
    400: gettext_lazy("Bad request"),
    401: gettext_lazy("Not signed in"),
    403: gettext_lazy("Not allowed"),
    404: gettext_lazy("Not found"),
    409: gettext_lazy("Conflict"),
    422: gettext_lazy("Refused"),
}
NO_SUCH_CAMPAIGN = gettext_lazy("There is no such campaign, or you are no longer a member of its collection.")

P = ParamSpec("P")


def person_of(request: HttpRequest) -> User:
    """The signed-in person; for views that nobody else reaches."""
    return cast(User, request.user)


def answer_json(data: Any, status: int = 200) -> JsonResponse:
    return JsonResponse(data, DjangoJSONEncoder, status=status, json_dumps_params={"separators": (",", ":")})


def problem(status: int, code: str, detail: str, **more: Any) -> JsonResponse:
    """Problem details; `code` is for the script, `detail` for the person."""
    data = {"type": "about:blank", "title": TITLES[status], "status": status, "code": code, "detail": detail, **more}
    response = answer_json(data, status)
    response["Content-Type"] = "application/problem+json"
    return response


def for_script(
    view: Callable[Concatenate[HttpRequest, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """A view whose errors are JSON too: 401 instead of a redirect to the sign-in page, reasons instead of pages."""

    @login_not_required
    @wraps(view)
    def wrapped(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return problem(401, "signed-out", _("You are signed out. Sign in again; nothing you have entered is lost."))
        try:
            return view(request, *args, **kwargs)
        except Http404:
            return problem(404, "gone", str(NO_SUCH_CAMPAIGN))
        except Refused as refusal:
            return refused(refusal)

    return wrapped


def refused(refusal: Refused) -> JsonResponse:
    """The answer to a request that was refused as a whole."""
    status, code = status_and_code(refusal)
    return problem(status, code, refusal.reason)

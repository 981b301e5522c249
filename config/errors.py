"""Errors that Django meets outside a view: pages for people, problem details for programs."""

import sys
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import BadRequest, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template import loader
from django.utils.translation import gettext
from django.utils.translation import gettext as _

from accounts.counting import numeral
from accounts.edge import API
from accounts.problems import TITLES, ProblemRenderer
from accounts.storage_full import NO_ROOM, storage_fault


def problem(status: int, detail: str, **more: str) -> HttpResponse:
    """An error of the API that none of its views could answer."""
    title = TITLES.get(status, HTTPStatus(status).phrase)
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return JsonResponse(body, status=status, content_type=ProblemRenderer.media_type)


@login_not_required
def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """413 with the reason for what is too large to take, 400 for what cannot be understood."""
    if isinstance(exception, RequestDataTooBig | TooManyFilesSent | TooManyFieldsSent):
        reason = _too_much(exception)
        if request.path_info.startswith(API):
            return problem(413, reason or _("This request is too large. Send it in several parts."))
        return render(request, "413.html", {"reason": reason}, status=413)
    reason = str(exception) if isinstance(exception, BadRequest) else ""
    if request.path_info.startswith(API):
        return problem(400, reason or _("This request cannot be understood."))
    if request.content_type == "application/json":  # the scripts of the labelling pages read the one or the other
        return problem(400, reason, code="malformed", reason=reason)
    return render(request, "400.html", {"reason": reason}, status=400)


def _too_much(exception: Exception) -> str:
    """What to do about it; Django's own words name a setting instead. "" where it is only known to be large."""
    if isinstance(exception, TooManyFilesSent):
        most = settings.DATA_UPLOAD_MAX_NUMBER_FILES
        return _("At most {most} files at once. Pack them into one archive (tar.gz, tar.xz or zip).").format(
            most=numeral(most)
        )
    if isinstance(exception, TooManyFieldsSent):
        return _("At most {most} fields at once. Send them in several parts.").format(
            most=numeral(settings.DATA_UPLOAD_MAX_NUMBER_FIELDS)
        )
    reason = str(exception)
    return "" if "DATA_UPLOAD_MAX_MEMORY_SIZE" in reason else reason


# Django's own views of 404 and 500 look for a token in the body, which nobody has read so far: one that is too large or
# has too many parts breaks them.
@login_not_required
def show_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - Django's signature
    if request.path_info.startswith(API):
        return problem(404, "The API has no such address; /api/schema/ lists them all.")
    return render(request, "404.html", status=404)


@login_not_required
def show_server_error(request: HttpRequest, *_: Any) -> HttpResponse:
    """507 where a full disk is behind the exception that is being handled, 503 where files cannot be reached.

    No page needs the database.
    """
    if fault := storage_fault(sys.exc_info()[1]):
        status, code, heading = (
            (507, "no-room", gettext("The server's disk is full"))
            if fault == NO_ROOM
            else (503, "files-away", gettext("Files cannot be reached"))
        )
        if request.path_info.startswith(API) or request.content_type == "application/json":
            return problem(status, gettext(fault), code=code, reason=gettext(fault))
        context = {"reason": gettext(fault), "status": status, "heading": heading}
        return HttpResponse(loader.get_template("507.html").render(context), status=status)
    if request.path_info.startswith(API):
        return problem(500, "Something went wrong on the server; its log has the details.")
    return HttpResponse(loader.get_template("500.html").render(), status=500)

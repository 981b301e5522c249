"""Errors that Django meets outside a view: pages for people, problem details for programs."""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.views import defaults

from accounts.problems import TITLES, ProblemRenderer

API = "/api/"


def problem(status: int, detail: str) -> HttpResponse:
    """An error of the API that none of its views could answer."""
    title = TITLES.get(status, HTTPStatus(status).phrase)
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    return JsonResponse(body, status=status, content_type=ProblemRenderer.media_type)


@login_not_required
def show_bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """413 with the reason for what is too large to take, 400 for what cannot be understood."""
    if isinstance(exception, RequestDataTooBig):
        reason = str(exception) if exception.args else ""
        if "DATA_UPLOAD_MAX_MEMORY_SIZE" in reason:  # Django's own words name a setting, ours say what to do
            reason = ""
        if request.path.startswith(API):
            return problem(413, reason or "This is more than a request may hold. Send it in several parts.")
        return render(request, "413.html", {"reason": reason}, status=413)
    if request.path.startswith(API):
        return problem(400, "This request cannot be understood.")
    return render(request, "400.html", status=400)


@login_not_required
def show_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if request.path.startswith(API):
        return problem(404, "The API has no such address; /api/schema/ lists them all.")
    return defaults.page_not_found(request, exception)


@login_not_required
def show_server_error(request: HttpRequest, *_: Any) -> HttpResponse:
    if request.path.startswith(API):
        return problem(500, "Something went wrong on the server; its log says what.")
    return defaults.server_error(request)

"""API errors as problem details (RFC 9457): type, title, status, detail, and errors by field where there are any."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ErrorDetail, NotAuthenticated, ValidationError
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import exception_handler

from accounts.refusals import Conflict, NotAllowed, NotHere, Refused, as_refusal

TITLES = {
    400: "Bad request",
    401: "Not signed in",
    403: "Not allowed",
    404: "Not found",
    405: "Method not allowed",
    406: "Not acceptable",
    409: "Conflict",
    413: "Too large",
    415: "Unsupported media type",
    422: "Refused",
    429: "Too many requests",
    507: "Disk full",
}


class ProblemSerializer(serializers.Serializer[Any]):
    """The shape of every error answer."""

    type = serializers.CharField(default="about:blank")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    errors = serializers.DictField(  # type: ignore[assignment] # fields are taken off the class by its metaclass
        child=serializers.ListField(child=serializers.CharField()), required=False
    )


class ProblemRenderer(JSONRenderer):
    """JSON under the media type of problem details; only errors are rendered by it."""

    media_type = "application/problem+json"
    format = "problem"


class Unprocessable(APIException):
    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY


class NotHereProblem(APIException):
    """404 for what exists but has no such part: for people who may know why."""

    status_code = status.HTTP_404_NOT_FOUND


class ConflictProblem(APIException):
    """`wait` are the seconds of a Retry-After header, which DRF's handler writes."""

    status_code = status.HTTP_409_CONFLICT

    def __init__(self, detail: str, wait: int | None = None) -> None:
        super().__init__(detail)
        self.wait = wait


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: refusals of actions and DRF's own errors in one shape."""
    translated = _translate(as_refusal(error))
    response = exception_handler(translated, context)
    if response is None:
        return None
    response.data = _problem(translated, response)
    response.content_type = ProblemRenderer.media_type
    return response


def _translate(error: Exception) -> Exception:
    if isinstance(error, NotAllowed):
        return PermissionDenied(error.reason)
    if isinstance(error, NotHere):
        return NotHereProblem(error.reason)
    if isinstance(error, Conflict):
        return ConflictProblem(error.reason, error.retry_after)
    if isinstance(error, Refused):
        return Unprocessable(error.reason)
    return error


def _problem(error: Exception, response: Response) -> dict[str, Any]:
    problem: dict[str, Any] = {
        "type": "about:blank",
        "title": TITLES.get(response.status_code, "Error"),
        "status": response.status_code,
        "detail": _detail(error),
    }
    if isinstance(error, ValidationError):
        problem["errors"] = _flatten(error.detail)
        problem["detail"] = "Some fields are not valid: " + ", ".join(sorted(problem["errors"])) + "."
    return problem


def _detail(error: Exception) -> str:
    if isinstance(error, Http404):
        return "Nothing is at this address, or you may not see it."
    if isinstance(error, NotAuthenticated):
        return "Send a token in the header “Authorization: Bearer …”, or sign in."
    if isinstance(error, APIException):
        return str(error.detail if isinstance(error.detail, (str, ErrorDetail)) else error.default_detail)
    return str(error) or "This is not allowed."


def _flatten(detail: Any, path: str = "") -> dict[str, list[str]]:
    """Nested DRF errors as {"items.3.docno": ["…"]}; errors of the whole body under "body"."""
    if isinstance(detail, dict):
        parts = [(f"{path}.{key}" if path else str(key), value) for key, value in detail.items()]
    elif isinstance(detail, list) and any(isinstance(part, (dict, list)) for part in detail):
        parts = [(f"{path}.{i}" if path else str(i), value) for i, value in enumerate(detail) if value]
    else:
        texts = detail if isinstance(detail, list) else [detail]
        name = path.removesuffix(".non_field_errors") or "body"
        return {"body" if name == "non_field_errors" else name: [str(text) for text in texts]}
    flat: dict[str, list[str]] = {}
    for name, value in parts:
        flat.update(_flatten(value, name))
    return flat

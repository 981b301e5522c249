"""The one rule for texts that arrive: Unicode that a database and a file can hold.

Refused with 400 are control characters (C0 and DEL; tab and line ends are allowed outside paths) and halves of
surrogate pairs; config/wsgi.py refuses other encodings than UTF-8. Pages are checked by the two middlewares here,
bodies of the API by its parsers (accounts/parsers.py), each once it is known who sent them. The contents of
files have their own rules, line by line (engines/formats).
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

API = "/api/"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
_IN_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]").search
_IN_PATH = re.compile("[\x00-\x1f\x7f\ud800-\udfff]").search
# What may stand for one of them in JSON; texts with many backslashes are looked at for nothing, which costs little.
_ESCAPED = re.compile(rb"\\(?:[bf]|u00[01]|u007[fF]|u[dD][89a-fA-F])").search

Next = Callable[[HttpRequest], HttpResponse]


class AddressMiddleware:
    """Checks path and query, before anything looks them up; takes out cookies that hold such characters.

    Refuses bodies that come in chunks without a length: Django takes them for empty, and what was sent would count as
    left out.

    Cookies are not refused: other programs on the same host set them, and nobody could get rid of the page of an error.
    """

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _IN_PATH(request.path_info):
            raise BadRequest(_reason(_("The address"), request.path_info, _IN_PATH))
        if "HTTP_TRANSFER_ENCODING" in request.META:
            raise BadRequest("The body came in chunks, without its length. Send it with the header Content-Length.")
        check_texts(_("The address"), (text for pair in _pairs(request.GET) for text in pair))
        request.COOKIES = {name: value for name, value in request.COOKIES.items() if not _IN_TEXT(value)}
        return self.get_response(request)


class BodyMiddleware:
    """Checks bodies sent to pages, after it is known who sent them: a stranger's body is not read for this."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *__: Any) -> None:
        if request.path_info.startswith(API) or request.method in ("GET", "HEAD"):
            return
        if request.content_type in FORMS:
            check_form(request.POST, request.FILES)
        else:
            check_json(request.body)


def check_form(fields: Any, files: Any) -> None:
    """Names and values of a form, and the names of its files. Errors: BadRequest."""
    check_texts(_("The form"), (text for pair in _pairs(fields) for text in pair))
    check_texts(_("The name of a file"), (part.name or "" for __, part in _pairs(files)))


def body_of(request: HttpRequest) -> bytes:
    """The body for a view that reads JSON; empty, thus no JSON, where a form was sent instead."""
    return b"" if request.content_type in FORMS else request.body


def check_json(raw: bytes) -> None:
    """Every text of a JSON body; what is no JSON is left to the view that reads it. Errors: BadRequest."""
    if not _ESCAPED(raw):
        return  # unescaped control characters are no JSON
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return
    check_texts(_("The body"), _texts_in(value))


def check_texts(where: str, texts: Iterable[str]) -> None:
    """Errors: BadRequest with a reason that begins with `where`."""
    for text in texts:
        if _IN_TEXT(text):
            raise BadRequest(_reason(where, text, _IN_TEXT))


def _reason(where: str, text: str, search: Callable[[str], re.Match[str] | None]) -> str:
    found = search(text)
    code = ord(found[0]) if found else 0
    what = _("half of a surrogate pair") if code >= 0xD800 else _("a control character")
    words = _("{where} contains {what} ({code}), which cannot be stored. Remove it and try again.")
    return words.format(where=where, what=what, code=f"U+{code:04X}")


def _pairs(values: Any) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, several in values.lists() for value in several)


def _texts_in(value: Any) -> Iterator[str]:
    """All strings of a JSON value, names included. No recursion: values may be nested deeply."""
    waiting = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            waiting += [*node, *node.values()]
        elif isinstance(node, list):
            waiting += node

"""Request bodies of the API: JSON that everything behind it can hold, or a problem that says what is wrong."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from typing import IO, Any

from django.core.exceptions import BadRequest
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from accounts.edge import check_form, check_json

MOST_DEPTH = 64


class JSONParser(parsers.JSONParser):
    """UTF-8 JSON. Refused in addition to malformed text: nesting and numbers without end, and texts by the edge's rule.

    Python reads all three and fails later: with a recursion that is too deep, and with texts and numbers that neither
    the database nor an answer can hold.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,  # noqa: ARG002 - DRF's signature
        parser_context: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Any:
        """The body's value. Errors: ParseError, which is 400."""
        raw = stream.read()
        try:
            value = json.loads(raw.decode(), parse_constant=_no_number, parse_float=_finite)
        except RecursionError:
            raise _too_deep() from None
        except ValueError as error:
            raise ParseError(f"The body is not JSON: {error}.") from None
        if raw.count(b"[") + raw.count(b"{") > MOST_DEPTH and is_deeper(value, MOST_DEPTH):
            raise _too_deep()
        with _parse_errors():
            check_json(raw)
        return value


class MultiPartParser(parsers.MultiPartParser):
    """Forms with files, checked by the edge's rule."""

    def parse(self, *arguments: Any, **named: Any) -> Any:
        """Fields and files. Errors: ParseError, which is 400."""
        sent = super().parse(*arguments, **named)
        with _parse_errors():
            check_form(sent.data, sent.files)
        return sent


def is_deeper(value: Any, most: int) -> bool:
    """Tell whether lists and objects are nested more than `most` levels deep. No recursion."""
    level = [value]
    for _ in range(most + 1):
        inside = [node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list)]
        if not inside:
            return False
        level = [child for children in inside for child in children]
    return True


@contextmanager
def _parse_errors() -> Iterator[None]:
    """What the edge refuses is what DRF answers with 400."""
    try:
        yield
    except BadRequest as error:
        raise ParseError(str(error)) from None


def _too_deep() -> ParseError:
    return ParseError(f"The body is nested more than {MOST_DEPTH} levels deep.")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a JSON number")

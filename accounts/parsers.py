"""Request bodies of the API: JSON that everything behind it can hold, or a problem that says what is wrong."""

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import IO, Any

from rest_framework import parsers
from rest_framework.exceptions import ParseError

MOST_DEPTH = 64
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]").search  # either half, whether the other follows or not


class JSONParser(parsers.JSONParser):
    """UTF-8 JSON. Refused beside malformed text: nesting without end, half a surrogate pair, numbers without end.

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
        if _SURROGATE(raw):
            _check_encodable(value)
        return value


def is_deeper(value: Any, most: int) -> bool:
    """Tell whether lists and objects are nested more than `most` levels deep. No recursion."""
    level = [value]
    for _ in range(most + 1):
        inside = [node.values() if isinstance(node, dict) else node for node in level if isinstance(node, dict | list)]
        if not inside:
            return False
        level = [child for children in inside for child in children]
    return True


def _check_encodable(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ParseError("The body holds half of a surrogate pair (such as \\ud800), which is no character.") from None


def _too_deep() -> ParseError:
    return ParseError(f"The body is nested more than {MOST_DEPTH} levels deep.")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")

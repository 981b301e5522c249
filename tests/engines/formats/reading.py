"""Short ways to feed a reader and to sort what it yields."""

import io
from collections.abc import Iterable
from typing import Any

from engines.formats.records import Problem, Remark, Skip


def stream(content: str | bytes) -> io.BytesIO:
    """The content as the binary stream that readers take."""
    return io.BytesIO(content.encode() if isinstance(content, str) else content)


def records(items: Iterable[Any]) -> list[Any]:
    """Only the records; a Problem or Skip among them fails the test, Remarks do not."""
    found = said_nothing(items)
    bad = [item for item in found if isinstance(item, Problem | Skip)]
    assert not bad, bad
    return found


def said_nothing(items: Iterable[Any]) -> list[Any]:
    """What was read, without Remarks."""
    return [item for item in items if not isinstance(item, Remark)]


def remarks(items: Iterable[Any]) -> list[str]:
    """The texts of the Remarks."""
    return [item.text for item in items if isinstance(item, Remark)]


def problems(items: Iterable[Any]) -> list[tuple[int, str]]:
    """The problems as (line, reason)."""
    return [(item.line, item.reason) for item in items if isinstance(item, Problem)]

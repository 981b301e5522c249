"""What readers notice in parts of a file that they read nevertheless, kept with its stream and reported by line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engines.formats.records import PartProblem

MOST = 10_000  # of a file that are kept; more are counted


class Notes:
    """The notes of one file, in the order in which they came."""

    def __init__(self) -> None:
        self._kept: list[tuple[int, str]] = []
        self._more = 0

    def add(self, line: int, reason: str) -> None:
        """Take a note on a line."""
        if len(self._kept) < MOST:
            self._kept.append((line, reason))
        else:
            self._more += 1

    def problems(self, file: str) -> Iterator[PartProblem]:
        """The notes, as what an import reports about records that came in."""
        for line, reason in self._kept:
            yield PartProblem(file, line, reason)
        if self._more:
            yield PartProblem(file, 0, f"{self._more:,} more notes on single lines of this file are not listed")


def notes_of(stream: Any) -> Notes:
    """The notes kept with a stream; those of one that keeps none, as of a test, are lost."""
    found = getattr(stream, "notes", None)
    return found if isinstance(found, Notes) else Notes()

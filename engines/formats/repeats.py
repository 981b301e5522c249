"""Notice ids that occur twice, in little memory: eight bytes for each id seen."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

import numpy as np

from engines.formats.records import Problem, Remark, Skip

_RECENT = 1 << 16
_NO_RECORDS = (Skip, Problem, Remark)  # a union would be made again for each record


class Placed(Protocol):
    """A record that knows where it stood."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


Record = TypeVar("Record", bound=Placed)


class SeenIds:
    """A set of strings that keeps only their 64-bit hashes.

    The recent ones lie in a set, the older ones in a sorted array. Two different ids among a million share a hash
    with a probability of 3 in 100 million; then the later one would wrongly count as seen.
    """

    def __init__(self) -> None:
        self._recent: set[int] = set()
        self._older = array("q")

    def add(self, text: str) -> bool:
        """Take `text` in and return whether it is new."""
        key = hash(text)
        if key in self._recent:
            return False
        place = bisect_left(self._older, key)
        if place < len(self._older) and self._older[place] == key:
            return False
        self._recent.add(key)
        if len(self._recent) >= _RECENT:
            self._merge()
        return True

    def _merge(self) -> None:
        recent = np.fromiter(self._recent, np.int64, len(self._recent))
        merged = np.concatenate([np.frombuffer(self._older, np.int64), recent])
        merged.sort()
        self._older = array("q", merged.tobytes())
        self._recent.clear()


def without_repeats(
    items: Iterable[Record | Skip | Problem | Remark], id_of: Callable[[Record], str], id_label: str
) -> Iterator[Record | Skip | Problem | Remark]:
    """Pass everything on, but turn a record whose id came before into a `Problem`, which calls the id `id_label`."""
    seen = SeenIds()
    for item in items:
        if isinstance(item, _NO_RECORDS) or seen.add(text := id_of(item)):
            yield item
        else:
            reason = f"{id_label} {text} appears more than once in this file; the first one counts"
            yield Problem(item.file, item.line, reason)

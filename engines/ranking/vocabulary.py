"""The terms of an index on disk: sorted, found by halving, never loaded as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np


def write_vocabulary(directory: Path, terms: Sequence[str]) -> None:
    """Write the terms, which must be sorted; a term's number is its place."""
    encoded = [term.encode() for term in terms]
    ends = np.cumsum([len(term) for term in encoded], dtype=np.int64)
    np.save(directory / "term_ends.npy", ends)
    (directory / "terms.bin").write_bytes(b"".join(encoded))


class Vocabulary:
    """Terms by number. UTF-8 keeps the order of code points, so bytes are compared as strings were."""

    def __init__(self, directory: Path) -> None:
        self.ends = np.asarray(np.load(directory / "term_ends.npy", mmap_mode="r"))  # plain views: slices cost less
        path = directory / "terms.bin"
        is_empty = not path.stat().st_size
        self.bytes = np.zeros(0, np.uint8) if is_empty else np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        self.known: dict[str, int | None] = {}  # of terms that were asked for: queries share most of them

    def __len__(self) -> int:
        return len(self.ends)

    def find(self, term: str) -> int | None:
        """The number of the term, None where no document holds it."""
        if term not in self.known:
            self.known[term] = self._search(term.encode())
        return self.known[term]

    def _search(self, term: bytes) -> int | None:
        low, high = 0, len(self.ends)
        while low < high:
            middle = (low + high) // 2
            if self._term(middle) < term:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self.ends) and self._term(low) == term else None

    def terms(self, shard: int) -> Iterator[tuple[bytes, int, int]]:
        """(term, shard, number) of all terms in their order, for merging those of several shards."""
        start = 0
        for number, end in enumerate(self.ends.tolist()):
            yield bytes(self.bytes[start:end].tobytes()), shard, number
            start = end

    def _term(self, number: int) -> bytes:
        start = int(self.ends[number - 1]) if number else 0
        return bytes(self.bytes[start : int(self.ends[number])].tobytes())

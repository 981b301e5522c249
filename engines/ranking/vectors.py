"""Vectors of documents in files: appended as they come, searched whole, read through memory maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CHUNK = 50_000  # vectors compared at a time
FEW = 10  # less than this part of all vectors is read row by row


class VectorFiles:
    """A directory with `vectors.f32` and, row by row, `keys.i64`: document id and hash of its text.

    A row counts once both its parts are written whole, so a crash between them costs that row only. A document that
    is embedded again has a later row, which counts. One process writes at a time: the caller sees to that.
    """

    def __init__(self, directory: Path) -> None:
        self.keys_file, self.vectors_file = directory / "keys.i64", directory / "vectors.f32"
        self.size_file = directory / "size"
        self._searched: tuple[int, frozenset[int] | None, NDArray[np.int64], NDArray[np.int64]] | None = None
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    def known(self) -> dict[int, int]:
        """The hash of the text of each document that has a vector."""
        return {int(document): int(digest) for document, digest in self._keys()}

    def keep(self, documents: Sequence[int], digests: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Append the vectors (n, size) of n documents. Raises ValueError for another size than that of those before."""
        size = self.size()
        if size and vectors.shape[1] != size:
            raise ValueError(f"vectors of {vectors.shape[1]} numbers, where those before have {size}")
        if not size:
            self.size_file.write_text(str(vectors.shape[1]))
        self._cut(len(self._keys()), vectors.shape[1])
        with self.vectors_file.open("ab") as stream:
            stream.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        with self.keys_file.open("ab") as stream:
            stream.write(np.array(list(zip(documents, digests, strict=True)), dtype="<i8").tobytes())

    def nearest(
        self, vector: NDArray[np.float32], depth: int, among: frozenset[int] | None = None
    ) -> tuple[list[int], list[float]]:
        """The ids of at most `depth` documents of the highest inner product with `vector`, best first, ties by id; and
        these products.

        `vector` has the length of those kept; `among` narrows to these ids. Raises ValueError for another length.
        """
        keys = self._keys()
        if not len(keys) or depth < 1:
            return [], []
        vectors = np.memmap(self.vectors_file, dtype="<f4", mode="r", shape=(len(keys), self.size()))
        documents, rows = self._newest(keys, among)
        if len(rows) < len(keys) // FEW:
            scores = vectors[rows] @ vector
        else:
            scores = np.concatenate([vectors[at : at + CHUNK] @ vector for at in range(0, len(keys), CHUNK)])[rows]
        if depth < len(scores):  # sort those that can be among the first only; equal scores are decided by the ids
            first = np.flatnonzero(scores >= np.partition(scores, len(scores) - depth)[len(scores) - depth])
            documents, scores = documents[first], scores[first]
        order = np.lexsort((documents, -scores))[:depth]
        return documents[order].tolist(), scores[order].tolist()

    def _newest(
        self, keys: NDArray[np.int64], among: frozenset[int] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The documents (of `among`) and the row that counts of each; found once for many queries."""
        found = self._searched
        if found is None or found[0] != len(keys) or found[1] is not among:
            documents, last = np.unique(keys[::-1, 0], return_index=True)
            rows = len(keys) - 1 - last
            if among is not None:
                wanted = np.isin(documents, np.fromiter(among, np.int64, len(among)))
                documents, rows = documents[wanted], rows[wanted]
            found = self._searched = (len(keys), among, documents, rows)
        return found[2], found[3]

    def _keys(self) -> NDArray[np.int64]:
        """The rows of which both parts are there."""
        if not self.keys_file.exists():
            return np.zeros((0, 2), dtype=np.int64)
        found = np.fromfile(self.keys_file, dtype="<i8")
        return found[: len(found) // 2 * 2].reshape(-1, 2)

    def size(self) -> int:
        """Numbers of one vector; 0 while there is none."""
        return int(self.size_file.read_text()) if self.size_file.exists() else 0

    def _cut(self, rows: int, size: int) -> None:
        """Take away what a crash left half-written behind the last whole row."""
        for path, length in ((self.keys_file, 16 * rows), (self.vectors_file, 4 * rows * size)):
            if path.exists() and path.stat().st_size > length:
                with path.open("r+b") as stream:
                    stream.truncate(length)

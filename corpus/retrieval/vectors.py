"""Vectors of documents in files: appended as they come, searched whole, read through memory maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CHUNK = 50_000  # vectors compared at a time


class VectorFiles:
    """A directory with `vectors.f32` and, row by row beside it, `keys.i64`: document id and hash of its text.

    A row counts once both its parts are written whole, so a crash between them costs that row only. A document that
    is embedded again has a later row, which counts.
    """

    def __init__(self, directory: Path) -> None:
        self.keys_file, self.vectors_file = directory / "keys.i64", directory / "vectors.f32"
        self.size_file = directory / "size"
        directory.mkdir(parents=True, exist_ok=True, mode=0o700)

    def known(self) -> dict[int, int]:
        """The hash of the text of each document that has a vector."""
        return {int(document): int(digest) for document, digest in self._keys()}

    def keep(self, documents: Sequence[int], digests: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Append the vectors. Raises ValueError where their length differs from that of those before."""
        size = self._size()
        if size and vectors.shape[1] != size:
            raise ValueError(f"vectors of {vectors.shape[1]} numbers, where those before have {size}")
        if not size:
            self.size_file.write_text(str(vectors.shape[1]))
        self._cut(len(self._keys()), vectors.shape[1])
        with self.vectors_file.open("ab") as stream:
            stream.write(np.ascontiguousarray(vectors, dtype="<f4").tobytes())
        with self.keys_file.open("ab") as stream:
            stream.write(np.array(list(zip(documents, digests, strict=True)), dtype="<i8").tobytes())

    def nearest(self, vector: NDArray[np.float32], depth: int, among: frozenset[int] | None = None) -> list[int]:
        """The documents of the highest inner product with `vector`, best first, ties by smaller id."""
        keys = self._keys()
        if not len(keys):
            return []
        vectors = np.memmap(self.vectors_file, dtype="<f4", mode="r", shape=(len(keys), self._size()))
        scores = np.concatenate([vectors[at : at + CHUNK] @ vector for at in range(0, len(keys), CHUNK)])
        newest = {int(document): row for row, document in enumerate(keys[:, 0])}
        documents = np.array([each for each in newest if among is None or each in among], dtype=np.int64)
        rows = np.array([newest[int(each)] for each in documents], dtype=np.int64)
        order = np.lexsort((documents, -scores[rows]))[:depth]
        return [int(each) for each in documents[order]]

    def _keys(self) -> NDArray[np.int64]:
        """The rows of which both parts are there."""
        if not self.keys_file.exists():
            return np.zeros((0, 2), dtype=np.int64)
        found = np.fromfile(self.keys_file, dtype="<i8")
        return found[: len(found) // 2 * 2].reshape(-1, 2)

    def _size(self) -> int:
        """Numbers of one vector; 0 while there is none."""
        return int(self.size_file.read_text()) if self.size_file.exists() else 0

    def _cut(self, rows: int, size: int) -> None:
        """Take away what a crash left half-written behind the last whole row."""
        for path, length in ((self.keys_file, 16 * rows), (self.vectors_file, 4 * rows * size)):
            if path.exists() and path.stat().st_size > length:
                with path.open("r+b") as stream:
                    stream.truncate(length)

"""The one order of a ranking: that of trec_eval."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ScoredList:
    """Docnos, best first, with their scores, which 32 bits hold: trec_eval up to 9.0.8 keeps no more of them."""

    docnos: list[str]
    scores: list[float]

    def __len__(self) -> int:
        return len(self.docnos)


def ranked(scores: Iterable[tuple[str, float]], depth: int | None = None) -> ScoredList:
    """Sort by score falling, ties by docno falling in bytes, and cut at `depth`. Errors: ValueError for no number."""
    pairs = list(scores)
    values = np.array([score for _, score in pairs], dtype=np.float32)
    if not np.isfinite(values).all():
        raise ValueError("a score is not a finite number")
    found = [(docno, value) for (docno, _), value in zip(pairs, values.tolist(), strict=True)]
    found.sort(reverse=True)  # code points have the order of UTF-8's bytes
    found.sort(key=lambda pair: -pair[1])
    found = found[:depth]
    return ScoredList([docno for docno, _ in found], [score for _, score in found])


def in_order(docnos: Iterable[str], depth: int | None = None) -> ScoredList:
    """A list whose order is all that is known of it: scores fall from its length to 1."""
    found = list(docnos)[:depth]
    return ScoredList(found, [float(len(found) - place) for place in range(len(found))])

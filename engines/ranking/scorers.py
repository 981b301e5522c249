"""Weights of postings: BM25 as Lucene has it, BM25 as rank_bm25's Okapi has it, and TF-IDF.

Lucene's is the exact variant of Kamphuis et al. (ECIR 2020). Okapi gives terms that more than half of the documents
hold a quarter of the mean idf, where the formula would make it negative (rank_bm25). TF-IDF is the cosine of raw counts
times ln((1 + N) / (1 + n)) + 1, the usual smoothed form (scikit-learn).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BM25, OKAPI, TFIDF = "bm25", "okapi", "tfidf"
EXACT, LUCENE_BYTE = "exact", "lucene"
EPSILON = 0.25  # of rank_bm25
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Figures:
    """Of a whole index: its documents, their terms with repeats, and how many terms have each document frequency."""

    documents: int
    length: float
    holders: dict[int, int]

    def norm(self, lengths: Floats, k1: float, b: float, kept: str = EXACT) -> Floats:
        """k1 × (1 − b + b × length / mean length) of documents of these lengths."""
        mean = self.length / self.documents if self.documents and self.length else 1.0
        if kept == LUCENE_BYTE:
            lengths = np.array([in_a_byte(int(length)) for length in lengths], dtype=np.float64)
        return k1 * (1 - b + b * lengths / mean)


def in_a_byte(length: int) -> int:
    """A length as Lucene's SmallFloat gives it back: exact below 40, then rounded down to four significant bits."""
    if length < 40:
        return length
    shift = (length - 24).bit_length() - 4
    return 24 + ((length - 24) >> shift << shift)


@dataclass(frozen=True)
class Scorer:
    """`idf_of(documents, df, mean)` is that of a term, `weigh(counts, idf, norm, k1)` the weights of postings.

    `by_length`: the weights of a document are divided by their Euclidean length.
    """

    name: str
    idf_of: Callable[[int, int, float], float]
    weigh: Callable[[Floats, Floats, Floats, float], Floats]
    needs_mean: bool = False
    by_length: bool = False

    def idf(self, figures: Figures, df: NDArray[Any]) -> Floats:
        """idf (terms,) of terms of these document frequencies; one scalar at a time, so equal ones give equal bits."""
        mean = self._mean(figures) if self.needs_mean else 0.0
        values, places = np.unique(df, return_inverse=True)
        return np.array([self.idf_of(figures.documents, value, mean) for value in values.tolist()])[places]

    def _mean(self, figures: Figures) -> float:
        """The mean idf of all terms, before any is raised."""
        total = sum(figures.holders.values())
        found = (times * _plain_idf(figures.documents, df) for df, times in figures.holders.items())
        return math.fsum(found) / total if total else 0.0


def _plain_idf(documents: int, df: int) -> float:
    return math.log(documents - df + 0.5) - math.log(df + 0.5)


def _okapi_idf(documents: int, df: int, mean: float) -> float:
    found = _plain_idf(documents, df)
    return found if found >= 0 else EPSILON * mean


SCORERS = {
    scorer.name: scorer
    for scorer in (
        Scorer(
            BM25,
            lambda documents, df, _: math.log1p((documents - df + 0.5) / (df + 0.5)),
            lambda counts, idf, norm, _: idf * counts / (counts + norm),
        ),
        Scorer(
            OKAPI,
            _okapi_idf,
            lambda counts, idf, norm, k1: idf * (counts * (k1 + 1) / (counts + norm)),
            needs_mean=True,
        ),
        Scorer(
            TFIDF,
            lambda documents, df, _: math.log((1 + documents) / (1 + df)) + 1,
            lambda counts, idf, _, __: counts * idf,
            by_length=True,
        ),
    )
}

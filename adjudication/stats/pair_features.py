"""The 0/1 features whose sums are the K x K tables of annotator pairs.

One column per (i, j, pair), in that order, so that sums of shape (F, b) reshape to (K, K, pairs, b) without a copy.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from adjudication.stats.results import BoolArray, FloatArray, IntArray

Pair = tuple[int, int]


@dataclass(frozen=True)
class PairFeatures:
    """Where the ones are: pattern `rows[i]` has a one in feature `columns[i]`. Both (number of ones,)."""

    rows: IntArray
    columns: IntArray
    n_patterns: int
    n_pairs: int
    levels: int

    @property
    def n_features(self) -> int:
        return self.n_pairs * self.levels**2

    def dense(self, low: int = 0, high: int | None = None) -> FloatArray:
        """Patterns low..high as an array (patterns, F)."""
        high = self.n_patterns if high is None else high
        begin, end = np.searchsorted(self.rows, [low, high])
        block = np.zeros((high - low, self.n_features))
        block[self.rows[begin:end] - low, self.columns[begin:end]] = 1.0
        return block

    def sums(self, weights: FloatArray) -> FloatArray:
        """(F,) feature sums with a weight for each pattern, (P,)."""
        return _weighted_counts(self.columns, weights[self.rows], self.n_features)

    def by_topic(self, inverse: IntArray, topics: IntArray) -> FloatArray:
        """(C, F) feature sums of each topic, from the pattern and the topic of each item.

        Works through the ones only, so it fits any number of patterns.
        """
        n_topics = int(topics.max(initial=-1)) + 1
        code, times = np.unique(topics * self.n_patterns + inverse, return_counts=True)
        topic, pattern = np.divmod(code, self.n_patterns)
        begin = np.searchsorted(self.rows, pattern)
        length = np.searchsorted(self.rows, pattern, side="right") - begin
        offset = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
        columns = self.columns[np.repeat(begin, length) + offset]
        flat = np.repeat(topic, length) * self.n_features + columns
        sums = _weighted_counts(flat, np.repeat(times, length).astype(np.float64), n_topics * self.n_features)
        return sums.reshape(n_topics, self.n_features)


def _weighted_counts(places: IntArray, weights: FloatArray, size: int) -> FloatArray:
    return np.asarray(np.bincount(places, weights=weights, minlength=size), dtype=np.float64)


def pair_features(patterns: NDArray[np.int16], pairs: Sequence[Pair], levels: int) -> PairFeatures:
    """Features of the given column pairs on patterns (P, m) with entries -1..K-1."""
    rows, columns = [], []
    for index, (first, second) in enumerate(pairs):
        one, two = patterns[:, first].astype(np.int64), patterns[:, second].astype(np.int64)
        both = np.flatnonzero((one >= 0) & (two >= 0))
        rows.append(both)
        columns.append((one[both] * levels + two[both]) * len(pairs) + index)
    row = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
    column = np.concatenate(columns) if columns else np.zeros(0, dtype=np.int64)
    order = np.lexsort((column, row))
    return PairFeatures(row[order], column[order], len(patterns), len(pairs), levels)


def common_items(patterns: NDArray[np.int16], pairs: Sequence[Pair]) -> BoolArray:
    """(pairs, P) whether both columns of a pair are labelled in a pattern."""
    present = patterns >= 0
    both = np.zeros((len(pairs), len(patterns)), dtype=bool)
    for index, (first, second) in enumerate(pairs):
        both[index] = present[:, first] & present[:, second]
    return both

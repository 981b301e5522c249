"""The 0/1 features whose sums are the K x K tables of annotator pairs.

One column per (i, j, pair), in that order, so that sums of shape (F, b) reshape to (K, K, pairs, b) without a copy.
Their sums are whole numbers, so they are the same to the last bit in whatever order they are added.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start
from numpy.typing import NDArray

from engines.stats.results import FloatArray, IntArray

Pair = tuple[int, int]


def pair_features(
    patterns: NDArray[np.int16], pairs: Sequence[Pair], levels: int
) -> scipy.sparse.csr_array[np.float64, tuple[int, int]]:
    """(P, F) features of the given column pairs on patterns (P, m) with entries -1..K-1."""
    rows, columns = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for index, (first, second) in enumerate(pairs):
        one, two = patterns[:, first].astype(np.int64), patterns[:, second].astype(np.int64)
        both = np.flatnonzero((one >= 0) & (two >= 0))
        rows.append(both)
        columns.append((one[both] * levels + two[both]) * len(pairs) + index)
    places = np.concatenate(rows), np.concatenate(columns)
    shape = len(patterns), len(pairs) * levels**2
    return scipy.sparse.csr_array((np.ones(len(places[0])), places), shape=shape)


def sum_pairs_by_topic(
    features: scipy.sparse.csr_array[np.float64, tuple[int, int]], inverse: IntArray, topics: IntArray
) -> FloatArray:
    """(C, F) feature sums of each topic, from the pattern and the topic of each item, both (n,)."""
    shape = int(topics.max(initial=-1)) + 1, features.shape[0]
    counts = scipy.sparse.csr_array((np.ones(len(topics)), (topics, inverse)), shape=shape)
    return np.asarray((counts @ features).toarray())

"""Reduction of items to cells: the distinct label patterns and how often each occurs.

Every statistic here depends on the pattern counts alone, so nothing is lost, and resampling items with replacement
is one multinomial draw over the cells (statistics.md 4.1).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.stats.results import FloatArray, IntArray

DIRECT_CODES = 1 << 20  # up to this many codes counting beats sorting
CLUSTER_BLOCK = 1 << 21  # entries of the topics x cells table held at once


@dataclass(frozen=True)
class Cells:
    """Distinct rows of an integer matrix, most frequent first (the multinomial sampler then stops early).

    patterns (P, m) int16; counts (P,) float64, whole numbers; inverse (n,) the cell of each item.
    """

    patterns: NDArray[np.int16]
    counts: FloatArray
    inverse: IntArray

    @property
    def n_cells(self) -> int:
        return int(self.patterns.shape[0])

    @property
    def n_items(self) -> int:
        return int(self.inverse.shape[0])


def reduce_rows(matrix: NDArray[np.integer], radix: int) -> Cells:
    """The cells of an (n, m) matrix with entries -1..radix-2, by a mixed-radix code in O(n).

    Ties in frequency are ordered by pattern, so that the order of the items changes nothing.
    """
    first, inverse, counts = _distinct(_codes(matrix, radix))
    order = np.lexsort((np.arange(len(counts)), -counts))
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    patterns = matrix[first[order]].astype(np.int16)
    return Cells(patterns, counts[order].astype(np.float64), rank[inverse])


def _codes(matrix: NDArray[np.integer], radix: int) -> IntArray:
    """One number per row; equal rows get equal numbers, and numbers sort as the rows do."""
    codes = np.zeros(len(matrix), dtype=np.int64)
    span = 1
    for column in range(matrix.shape[1]):
        if span > (1 << 62) // radix:
            codes = _distinct(codes)[1]
            span = int(codes.max(initial=0)) + 1
        codes = codes * radix + (matrix[:, column] + 1)
        span *= radix
    return codes


def _distinct(codes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """(a row of each distinct code, the distinct code of each row, how often each occurs), by rising code."""
    if len(codes) and int(codes.max()) < min(DIRECT_CODES, 16 * len(codes) + 1024):
        counts = np.bincount(codes)
        used = np.flatnonzero(counts)
        place = np.zeros(len(counts), dtype=np.int64)
        place[used] = np.arange(len(used))
        inverse = place[codes]
        first = np.zeros(len(used), dtype=np.int64)
        first[inverse] = np.arange(len(codes))
        return first, inverse, counts[used].astype(np.int64)
    _, first, inverse, counts = np.unique(codes, return_index=True, return_inverse=True, return_counts=True)
    return first.astype(np.int64), inverse.reshape(-1).astype(np.int64), counts.astype(np.int64)


def sum_by_topic(cells: Cells, topics: IntArray, features: FloatArray) -> FloatArray:
    """Feature sums of each topic, (C, F), from the features of the cells, (P, F)."""
    n_topics = int(topics.max(initial=-1)) + 1
    sums = np.zeros((n_topics, features.shape[1]))
    step = max(1, CLUSTER_BLOCK // max(cells.n_cells, 1))
    order = np.argsort(topics, kind="stable")
    starts = np.searchsorted(topics[order], np.arange(n_topics + 1))
    for low in range(0, n_topics, step):
        high = min(low + step, n_topics)
        items = order[starts[low] : starts[high]]
        flat = (topics[items] - low) * cells.n_cells + cells.inverse[items]
        table = np.bincount(flat, minlength=(high - low) * cells.n_cells)
        sums[low:high] = table.reshape(high - low, cells.n_cells).astype(np.float64) @ features
    return sums

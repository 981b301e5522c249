"""Figures of one person's answers: how likely a run of one level is, means over topics, agreement of a pair beyond that
of their answers. Intervals are the delete-one jackknife over whole topics with Student t (statistics.md 4.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from engines.stats.intervals import FEWEST, Sample, jackknife_se, student_interval
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray, IntArray

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Bounded:
    """A figure of `n` items with its 95% interval. `reason` is why there is no figure, or no interval; else ""."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    reason: str = ""


def over_topics(
    sums: FloatArray, figure: Callable[[FloatArray], FloatArray], n: int, limits: tuple[float, float] = (0.0, 1.0)
) -> Bounded:
    """A figure of sums over items, given by topic, (C, …); `figure` takes them for several samples, (S, …) to (S,).

    NaN is what it gives where it is undefined; `limits` are its range.
    """
    total = sums.sum(axis=0)
    point = float(figure(total[None])[0])
    if not np.isfinite(point):
        return Bounded(None, None, None, n, "no item can be compared")
    topics = len(sums)
    if topics < FEWEST["topic"]:
        return Bounded(point, None, None, n, Reason.TOO_FEW_QUERIES)
    sample = Sample(point, np.zeros(0), figure(total - sums), np.ones(topics), topics, limits)
    se = jackknife_se(sample)
    if not se:
        return Bounded(point, None, None, n, Reason.UNDEFINED_IN_BOOTSTRAP if se is None else Reason.NO_VARIATION)
    return Bounded(point, *student_interval(sample, se, LEVEL), n)


def mean_over_topics(values: FloatArray, topics: IntArray) -> Bounded:
    """The mean of values (n,) of items of these topics (n,)."""
    return over_topics(_by_topic(topics, values, np.ones(len(values))), lambda s: _ratio(s[:, 0], s[:, 1]), len(values))


def change_over_topics(values: FloatArray, topics: IntArray, is_after: np.ndarray) -> Bounded:
    """The mean of the items in `is_after` (n,) minus that of the others."""
    after, before = is_after.astype(float), (~is_after).astype(float)
    sums = _by_topic(topics, values * after, after, values * before, before)
    figure = lambda s: _ratio(s[:, 0], s[:, 1]) - _ratio(s[:, 2], s[:, 3])  # noqa: E731
    return over_topics(sums, figure, len(values), (-1.0, 1.0))


def excess_of_pair(one: IntArray, other: IntArray, others: IntArray, topics: IntArray, levels: int) -> Bounded:
    """How much more often two people agree than their answers allow, given what the others said of the same items.

    All are positions (n,) on the scale; `others` is the level that most of the others gave. Within the items of one
    such level the expected agreement is Cohen's (1960), from both people's shares there, as in a stratified kappa
    (Barlow, Lai & Azen 1991).
    """
    if not len(one):
        return Bounded(None, None, None, 0, "no item can be compared")
    _, place = np.unique(topics, return_inverse=True)
    sums = np.zeros((int(place.max()) + 1, levels, levels, levels))
    np.add.at(sums, (place.reshape(-1), others, one, other), 1)
    return over_topics(sums, _excess, len(one), (-1.0, 1.0))


def _excess(tables: FloatArray) -> FloatArray:
    """(S, K, K, K) counts by level of the others, of one and of the other person, to (S,)."""
    n = tables.sum(axis=(1, 2, 3))
    same = np.einsum("skll->s", tables)
    stratum = tables.sum(axis=(2, 3))
    products = (tables.sum(axis=3) * tables.sum(axis=2)).sum(axis=2)
    expected = np.divide(products, stratum, out=np.zeros_like(products), where=stratum > 0).sum(axis=1)
    return _ratio(same - expected, n)


def _by_topic(topics: IntArray, *columns: FloatArray) -> FloatArray:
    found, place = np.unique(topics, return_inverse=True)
    return np.stack([np.bincount(place.reshape(-1), each, len(found)) for each in columns], axis=1)


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0.5)


def longest_run(values: IntArray) -> tuple[int, int]:
    """(length, index of its first) of the longest run of equal values (n,), the first of several; (0, 0) for none."""
    if not len(values):
        return 0, 0
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]])
    lengths = np.diff(np.r_[starts, len(values)])
    at = int(lengths.argmax())
    return int(lengths[at]), int(starts[at])


def chance_of_run(shares: Sequence[float], n: int, length: int) -> float:
    """The probability that n independent answers with these shares of levels hold `length` or more equal ones in a row.

    Exact, by the renewal argument of Feller (1968, XIII.7) for several levels: a run of a level begins where the answer
    before was another one, and the answers up to there hold no such run. O(nK). Shares sum to 1.
    """
    if length <= 1 or n < length:
        return float(n >= length)
    levels = [share for share in shares if share > 0]
    begun = [[0.0] * (n + 1) for _ in levels]  # a run begins here, and none of that length was before
    within = [0.0] * len(levels)  # the newest answer is of this level, and no such run yet
    lasts = [share ** (length - 1) for share in levels]
    reached = 0.0
    for place in range(1, n + 1):
        before = sum(within)
        for level, share in enumerate(levels):
            begun[level][place] = share * (1.0 if place == 1 else before - within[level])
        for level, share in enumerate(levels):
            ended = lasts[level] * begun[level][place - length + 1] if place >= length else 0.0
            within[level] = max(0.0, share * within[level] + begun[level][place] - ended)
            reached += ended
    return min(1.0, reached)

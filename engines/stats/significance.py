"""Tests on paired scores of two runs, and the correction for making several (statistics.md 5)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.stats.bootstrap import Cancelled
from engines.stats.reasons import Flag, Reason
from engines.stats.results import FloatArray, IntArray, JsonFields

EXACT_PAIRS = 16
FEWEST_TOPICS = 8  # from which on a difference between two runs is marked, as intervals are given
FLIPS = 100_000
CHUNK_FLIPS = 1 << 22
TIE = 1e-9


@dataclass(frozen=True)
class TestResult(JsonFields):
    """A two-sided p, or why there is none. `difference` is the mean of a - b over the `n` common queries."""

    __test__ = False  # a result, not a test case

    p: float | None
    reason: Reason | None
    difference: float | None
    n: int
    statistic: float | None = None
    flags: tuple[Flag, ...] = ()
    exact: bool = True


def _differences(first: Sequence[float] | FloatArray, second: Sequence[float] | FloatArray) -> FloatArray:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError("two runs need one score each for the same queries")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError("scores must be finite; leave undefined queries out of both runs")
    return one - two


def paired_t_test(first: Sequence[float] | FloatArray, second: Sequence[float] | FloatArray) -> TestResult:
    """Student's t on the differences of two runs' scores (Q,), one a query; two-sided.

    Equal non-zero differences give p = 0 and the flag `zero_spread`; none at all give no p, with the reason. Errors:
    ValueError for scores of different queries, or that are not finite.
    """
    gaps = _differences(first, second)
    n = len(gaps)
    if n < 2:
        return TestResult(None, Reason.TOO_FEW_QUERIES, float(gaps.mean()) if n else None, n)
    mean = float(gaps.mean())
    if not gaps.any():
        return TestResult(None, Reason.NO_DIFFERENCE, 0.0, n)
    spread = float(gaps.std(ddof=1))
    if spread <= 1e-14 * abs(mean):
        return TestResult(0.0, None, mean, n, flags=(Flag.ZERO_SPREAD,))
    t = mean / (spread / n**0.5)
    return TestResult(float(2 * scipy.special.stdtr(n - 1, -abs(t))), None, mean, n, t)


def randomisation_test(
    first: Sequence[float] | FloatArray,
    second: Sequence[float] | FloatArray,
    *,
    rng: np.random.Generator,
    flips: int = FLIPS,
) -> TestResult:
    """Fisher's randomisation: flip the signs of the non-zero differences, two-sided on the absolute sum.

    Exact for up to 16 non-zero differences, else `flips` random sign patterns and p = (hits+1)/(flips+1). Sums within
    a relative 1e-9 of the observed one count as hits (Smucker, Allan & Carterette 2007). Where all differences are 0,
    every pattern gives the observed sum: p = 1.
    """
    gaps = _differences(first, second)
    if not len(gaps):
        return TestResult(None, Reason.TOO_FEW_QUERIES, None, 0)
    moved = gaps[gaps != 0]
    if not len(moved):
        return TestResult(1.0, None, 0.0, len(gaps))
    reach = _reach(moved)
    mean = float(gaps.mean())
    if len(moved) <= EXACT_PAIRS:
        sums = np.zeros(1)
        for gap in moved:
            sums = np.concatenate([sums + gap, sums - gap])
        return TestResult(int(np.count_nonzero(np.abs(sums) >= reach)) / len(sums), None, mean, len(gaps))
    hits, step = 0, max(1, CHUNK_FLIPS // len(moved))
    for low in range(0, flips, step):
        size = min(step, flips - low)
        flipped = rng.integers(0, 2, size=(size, len(moved)), dtype=np.int8)
        hits += int(np.count_nonzero(np.abs((1.0 - 2.0 * flipped) @ moved) >= reach))
    return TestResult((hits + 1) / (flips + 1), None, mean, len(gaps), exact=False)


def randomisation_tests(
    tables: Sequence[FloatArray],
    pairs: Sequence[tuple[int, int]],
    *,
    rng: np.random.Generator,
    flips: int = FLIPS,
    cancelled: Callable[[], bool] | None = None,
) -> list[list[TestResult]]:
    """The randomisation test of pairs of columns of many tables (T, R) at once, NaN where undefined.

    The same sign patterns serve all pairs: the flipped sum of a difference is the difference of flipped sums, so that a
    pattern costs one product for each column, not for each pair. Pairs whose columns are defined on other rows than
    each other, or that differ in at most `EXACT_PAIRS` rows, are tested one by one.
    """
    found: list[list[TestResult | None]] = []
    for table in tables:
        found.append([_alone(table[:, one], table[:, two], rng) for one, two in pairs])
    left = [[place for place, result in enumerate(results) if result is None] for results in found]
    if any(left):
        chosen = [np.array([pairs[place] for place in places]).reshape(-1, 2) for places in left]
        counted = _count_hits(tables, chosen, rng, flips, cancelled)
        for results, places, table, hits in zip(found, left, tables, counted, strict=True):
            for place, hit in zip(places, hits.tolist(), strict=True):
                gaps = _defined_gaps(table[:, pairs[place][0]], table[:, pairs[place][1]])
                p = (hit + 1) / (flips + 1)
                results[place] = TestResult(p, None, float(gaps.mean()), len(gaps), exact=False)
    return [[result for result in results if result is not None] for results in found]


def _defined_gaps(one: FloatArray, two: FloatArray) -> FloatArray:
    gaps = one - two
    return gaps[np.isfinite(gaps)]


def _alone(one: FloatArray, two: FloatArray, rng: np.random.Generator) -> TestResult | None:
    """The result of a pair that is tested by itself, None for one that shares its patterns with others."""
    gaps = _defined_gaps(one, two)
    apart = not np.array_equal(np.isfinite(one), np.isfinite(two))
    if apart or np.count_nonzero(gaps) <= EXACT_PAIRS:
        return randomisation_test(gaps, np.zeros(len(gaps)), rng=rng)
    return None


def _reach(gaps: FloatArray) -> float:
    """From which absolute sum on a pattern counts as a hit."""
    observed = abs(float(gaps.sum()))
    return observed - TIE * max(observed, float(np.abs(gaps).sum()) * 1e-3)


def _count_hits(
    tables: Sequence[FloatArray],
    chosen: Sequence[IntArray],
    rng: np.random.Generator,
    flips: int,
    cancelled: Callable[[], bool] | None,
) -> list[IntArray]:
    """For the chosen pairs of each table, in how many random patterns their sum reaches the observed one."""
    filled = [np.nan_to_num(table) for table in tables]
    columns = np.hstack(filled)
    starts = np.cumsum([0, *(table.shape[1] for table in filled)])
    reach = [
        np.array([_reach(table[:, one] - table[:, two]) for one, two in pairs])
        for table, pairs in zip(filled, chosen, strict=True)
    ]
    hits = [np.zeros(len(pairs), dtype=np.int64) for pairs in chosen]
    step = max(1, CHUNK_FLIPS // max(columns.shape))
    for low in range(0, flips, step):
        if cancelled is not None and cancelled():
            raise Cancelled
        size = min(step, flips - low)
        signs = 1.0 - 2.0 * rng.integers(0, 2, size=(size, len(columns)), dtype=np.int8)
        flipped = columns.T @ signs.T  # (columns, size)
        for place, pairs in enumerate(chosen):
            own = flipped[starts[place] : starts[place + 1]]
            hits[place] += _hits_of(own, pairs.tolist(), reach[place].tolist())
    return hits


def _hits_of(sums: FloatArray, pairs: list[list[int]], reach: list[float]) -> IntArray:
    """In how many columns the rows of each pair lie as far apart as it says; row by row, so that no memory is taken."""
    apart, reached = np.empty(sums.shape[1]), np.empty(sums.shape[1], dtype=bool)
    found = []
    for (one, two), far in zip(pairs, reach, strict=True):
        np.abs(np.subtract(sums[two], sums[one], out=apart), out=apart)
        found.append(int(np.count_nonzero(np.greater_equal(apart, far, out=reached))))
    return np.array(found, dtype=np.int64)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment, in the order given: running maximum of p_(i)(m-i+1), capped at 1.

    None (no test was possible) stays None and does not count towards m.
    """
    tested = [index for index, p in enumerate(p_values) if p is not None]
    raw = np.array([p_values[index] for index in tested], dtype=np.float64)
    order = np.argsort(raw, kind="stable")
    stepped = np.minimum(1.0, np.maximum.accumulate(raw[order] * (len(raw) - np.arange(len(raw)))))
    adjusted: list[float | None] = [None] * len(p_values)
    for place, value in zip(order, stepped, strict=True):
        adjusted[tested[place]] = float(value)
    return adjusted

"""Tests on paired scores of two runs, and the correction for making several (statistics.md 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from adjudication.stats.results import Flag, FloatArray, Reason, to_jsonable

EXACT_PAIRS = 16
FLIPS = 100_000
CHUNK_FLIPS = 1 << 22
TIE = 1e-9


@dataclass(frozen=True)
class TestResult:
    """A two-sided p, or why there is none. `difference` is the mean of a - b over the `n` common queries."""

    __test__ = False  # a result, not a test case

    p: float | None
    reason: Reason | None
    difference: float | None
    n: int
    statistic: float | None = None
    flags: tuple[Flag, ...] = ()
    exact: bool = True

    def to_json(self) -> dict[str, Any]:
        return dict(to_jsonable(self))


def _differences(first: Sequence[float] | FloatArray, second: Sequence[float] | FloatArray) -> FloatArray:
    one, two = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != two.shape or one.ndim != 1:
        raise ValueError("two runs need one score each for the same queries")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        raise ValueError("scores must be finite; leave undefined queries out of both runs")
    return one - two


def paired_t_test(first: Sequence[float] | FloatArray, second: Sequence[float] | FloatArray) -> TestResult:
    """Student's t on per-query differences. Equal non-zero differences give p = 0 and the flag `zero_spread`."""
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
    observed = abs(float(moved.sum()))
    reach = observed - TIE * max(observed, float(np.abs(moved).sum()) * 1e-3)
    mean = float(gaps.mean())
    if len(moved) <= EXACT_PAIRS:
        codes = np.arange(1 << len(moved))
        signs = 1.0 - 2.0 * ((codes[:, None] >> np.arange(len(moved))) & 1)
        hits = int(np.count_nonzero(np.abs(signs @ moved) >= reach))
        return TestResult(hits / len(codes), None, mean, len(gaps))
    hits, step = 0, max(1, CHUNK_FLIPS // len(moved))
    for low in range(0, flips, step):
        size = min(step, flips - low)
        flipped = rng.integers(0, 2, size=(size, len(moved)), dtype=np.int8)
        hits += int(np.count_nonzero(np.abs((1.0 - 2.0 * flipped) @ moved) >= reach))
    return TestResult((hits + 1) / (flips + 1), None, mean, len(gaps), exact=False)


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

"""Intraclass correlations of Shrout & Fleiss (1979) from the two-way analysis of variance, complete rows only."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from adjudication.stats.results import Estimate, IntArray, Reason, undefined

TYPES = ("ICC(1,1)", "ICC(2,1)", "ICC(3,1)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")


def icc(positions: NDArray[np.integer], kind: str) -> Estimate:
    """One of `TYPES` on (n, k) positions, -1 missing; positions stand for equally spaced values.

    Rows without labels are dropped. Undefined: a row with some labels missing (`incomplete_rows`), fewer than two
    annotators or items, no variation at all.
    """
    if kind not in TYPES:
        raise ValueError(f"unknown intraclass correlation {kind!r}")
    if positions.shape[1] < 2:
        return undefined(Reason.FEWER_THAN_TWO_ANNOTATORS)
    table = positions[(positions >= 0).any(axis=1)]
    n_items, n_pairs = len(table), positions.shape[1] * (positions.shape[1] - 1) // 2
    if (table < 0).any():
        return undefined(Reason.INCOMPLETE_ROWS, n_items=n_items, n_pairs=n_pairs)
    if n_items < 2:
        return undefined(Reason.TOO_FEW_ITEMS, n_items=n_items, n_pairs=n_pairs)
    numerator, denominator = _terms(table.astype(np.int64), kind)
    if denominator == 0:
        return undefined(Reason.NO_VARIATION, n_items=n_items, n_pairs=n_pairs)
    return Estimate(float(numerator / denominator), None, n_items, n_pairs)


def _terms(table: IntArray, kind: str) -> tuple[Fraction, Fraction]:
    """Numerator and denominator from the mean squares between items, within items, between raters and residual.

    In exact arithmetic, so that "no variation" is not a matter of rounding.
    """
    n, k = table.shape
    total, squares = int(table.sum()), int((table**2).sum())
    by_item, by_rater = int((table.sum(axis=1) ** 2).sum()), int((table.sum(axis=0) ** 2).sum())
    correction = Fraction(total**2, n * k)
    ss_items, ss_raters = Fraction(by_item, k) - correction, Fraction(by_rater, n) - correction
    ss_within = squares - Fraction(by_item, k)
    between, raters = ss_items / (n - 1), ss_raters / (k - 1)
    residual = (ss_within - ss_raters) / ((n - 1) * (k - 1))
    form, size = kind[4], kind[6]
    error = ss_within / (n * (k - 1)) if form == "1" else residual
    bias = k * (raters - residual) / n if form == "2" else Fraction(0)
    if size == "k":
        return between - error, between + bias / k
    return between - error, between + (k - 1) * error + bias

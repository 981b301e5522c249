"""Statistics of two annotators from their K x K table (statistics.md 2.1).

Tables have the labels of the first annotator along axis 0 and of the second along axis 1; any further axes (pairs,
replicates) come after and are kept. Inside this package an undefined statistic is NaN in an array; `Estimate` turns
it into None with the reason that its record gives (`statistics.py`). Counts are whole numbers in float64, so tests
for zero are exact.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.stats.coincidence import alpha, distances
from engines.stats.results import FloatArray


@dataclass(frozen=True)
class Tables:
    """K x K tables with any trailing axes, and the margins that several statistics share."""

    counts: FloatArray

    @property
    def levels(self) -> int:
        """K, the number of levels."""
        return int(self.counts.shape[0])

    @cached_property
    def rows(self) -> FloatArray:
        """(K, ...) how often the first annotator used each level."""
        return np.asarray(self.counts.sum(axis=1))

    @cached_property
    def columns(self) -> FloatArray:
        """(K, ...) how often the second annotator used each level."""
        return np.asarray(self.counts.sum(axis=0))

    @cached_property
    def total(self) -> FloatArray:
        """(...) items labelled by both."""
        return np.asarray(self.rows.sum(axis=0))

    @cached_property
    def diagonal(self) -> FloatArray:
        """(K, ...) items where both chose the level."""
        index = np.arange(self.levels)
        return self.counts[index, index]

    @cached_property
    def coincidences(self) -> FloatArray:
        """(K, K, ...) coincidences of two annotators: the table plus its transpose (Krippendorff 2011)."""
        return self.counts + self.counts.swapaxes(0, 1)


def ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Quotient, NaN where the denominator is zero (never a warning)."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.divide(numerator, denominator, out=np.full(shape, np.nan), where=denominator != 0)


def accuracy(tables: Tables) -> FloatArray:
    """(...) percent agreement: the share of items on which both chose the same level; NaN without items."""
    return ratio(tables.diagonal.sum(axis=0), tables.total)


def class_agreement(tables: Tables) -> FloatArray:
    """(K, ...) agreement on each level, 2n_kk/(r_k+c_k), which is the F1 of the class; NaN where neither used it."""
    return ratio(2 * tables.diagonal, tables.rows + tables.columns)


def macro_f1(tables: Tables) -> FloatArray:
    """(...) mean F1 over the levels that either annotator used (as scikit-learn without `labels`). Symmetric."""
    margins = tables.rows + tables.columns
    f1 = np.divide(2 * tables.diagonal, margins, out=np.zeros_like(margins), where=margins > 0)
    return ratio(f1.sum(axis=0), (margins > 0).sum(axis=0).astype(np.float64))


def disagreement(levels: int, power: int) -> FloatArray:
    """(K, K) disagreement weights by distance on the declared scale: 0 plain, 1 linear, 2 quadratic."""
    apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    return (apart > 0).astype(np.float64) if power == 0 else apart**power


def cohen_kappa(tables: Tables, power: int = 0) -> FloatArray:
    """(...) Cohen's kappa with `disagreement` weights (Cohen 1960, 1968).

    NaN when both used one and the same level only.
    """
    weights = disagreement(tables.levels, power)
    observed = tables.total * np.tensordot(weights, tables.counts, axes=((0, 1), (0, 1)))
    expected = (tables.rows * np.tensordot(weights, tables.columns, axes=(1, 0))).sum(axis=0)
    return np.asarray(1 - ratio(observed, expected))


def spearman(tables: Tables) -> FloatArray:
    """(...) Spearman's rho, Pearson's correlation of the midranks; NaN when an annotator is constant."""
    first = 2 * np.cumsum(tables.rows, axis=0) - tables.rows - tables.total
    second = 2 * np.cumsum(tables.columns, axis=0) - tables.columns - tables.total
    covariance = ((tables.counts * second).sum(axis=1) * first).sum(axis=0)
    variance_1 = (tables.rows * first**2).sum(axis=0)
    variance_2 = (tables.columns * second**2).sum(axis=0)
    return np.clip(ratio(covariance, np.sqrt(variance_1 * variance_2)), -1.0, 1.0)


def kendall_tau_b(tables: Tables) -> FloatArray:
    """(...) Kendall's tau-b, (C - D) / sqrt((N0 - T_a)(N0 - T_b)); NaN when an annotator is constant."""
    levels = tables.levels
    above = np.tensordot(np.triu(np.ones((levels, levels)), 1), tables.counts, axes=(1, 0))  # rows below row i
    order = np.sign(np.subtract.outer(np.arange(levels), np.arange(levels))).astype(np.float64)
    balance = np.tensordot(order, above, axes=(0, 1)).swapaxes(0, 1)  # right minus left of column j
    difference = (tables.counts * balance).sum(axis=(0, 1))
    pairs = tables.total * (tables.total - 1) / 2
    untied_1 = pairs - (tables.rows * (tables.rows - 1) / 2).sum(axis=0)
    untied_2 = pairs - (tables.columns * (tables.columns - 1) / 2).sum(axis=0)
    return np.clip(ratio(difference, np.sqrt(untied_1 * untied_2)), -1.0, 1.0)


def pair_alpha(tables: Tables, metric: str) -> FloatArray:
    """(...) Krippendorff's alpha of two annotators by `metric` (nominal, ordinal, interval; Krippendorff 2011)."""
    margins = tables.rows + tables.columns
    return alpha(tables.coincidences, margins, distances(margins, metric))


@dataclass(frozen=True)
class Confusion:
    """Counts over the full scale (rows: first annotator), the same as shares of each row, agreement per level.

    A row nobody used has shares None (shown empty, not as 0 %), a level neither used has agreement None.
    """

    counts: tuple[tuple[int, ...], ...]
    row_shares: tuple[tuple[float, ...] | None, ...]
    class_agreement: tuple[float | None, ...]
    n_items: int


def tabulate(first: np.ndarray, second: np.ndarray, levels: int) -> FloatArray:
    """(K, K) the table of two columns (N,) of positions of levels, over the items labelled by both (-1: no label)."""
    both = (first >= 0) & (second >= 0)
    flat = first[both].astype(np.int64) * levels + second[both]
    return np.bincount(flat, minlength=levels * levels).reshape(levels, levels).astype(np.float64)


def confusion(table: FloatArray) -> Confusion:
    """The confusion matrix of one (K, K) table."""
    agreement = class_agreement(Tables(table))
    shares = tuple(tuple((row / row.sum()).tolist()) if row.sum() else None for row in table)
    return Confusion(
        counts=tuple(tuple(int(count) for count in row) for row in table),
        row_shares=shares,
        class_agreement=tuple(None if np.isnan(value) else float(value) for value in agreement),
        n_items=int(table.sum()),
    )

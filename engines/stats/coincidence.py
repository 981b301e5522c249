"""Coefficients of several annotators from label counts per item (statistics.md 2.2).

Krippendorff's alpha, Fleiss' kappa with a variable number of raters (Gwet's form) and Gwet's AC1 and AC2 depend on
an item only through how often each level was given, and on the sample only through sums over items. `features` makes
those summands, `group_alpha`, `fleiss_kappa` and `gwet` a statistic from their sums.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.stats.reasons import Reason
from engines.stats.results import FloatArray


def distances(margins: FloatArray, metric: str) -> FloatArray:
    """(K, K) or (K, K, ...) squared distances of Krippendorff's `metric`: nominal, ordinal or interval.

    The ordinal metric depends on the margins n_c, shape (K, ...), and is computed for every replicate: the distance
    of c and k is that of the mid-cumulative margins M_c = n_0 + .. + n_(c-1) + n_c / 2.
    """
    levels = margins.shape[0]
    if metric == "ordinal":
        middle = np.cumsum(margins, axis=0) - margins / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    apart = np.subtract.outer(np.arange(levels), np.arange(levels)).astype(np.float64)
    if metric == "nominal":
        return (apart != 0).astype(np.float64)
    if metric == "interval":
        return apart**2
    raise ValueError(f"unknown metric {metric!r}")


def alpha(coincidences: FloatArray, margins: FloatArray, squared: FloatArray) -> FloatArray:
    """Krippendorff's alpha from coincidences (K, K, ...), their margins n_c (K, ...) and squared distances.

    1 - (n-1) sum o_ck d2_ck / sum n_c n_k d2_ck; NaN when only one level occurs among pairable labels
    (Krippendorff 2011). The margins are whole numbers, so that test is exact.
    """
    observed = np.zeros(margins.shape[1:])
    expected = np.zeros(margins.shape[1:])
    for low in range(margins.shape[0]):
        for high in range(low + 1, margins.shape[0]):
            observed += coincidences[low, high] * squared[low, high]
            expected += margins[low] * margins[high] * squared[low, high]
    scaled = (margins.sum(axis=0) - 1) * observed
    quotient = np.divide(scaled, expected, out=np.full(expected.shape, np.nan), where=expected > 0)
    return np.asarray(1 - quotient)


@dataclass(frozen=True)
class GroupSums:
    """Feature sums over items, split into their parts; axes after the first are kept (replicates).

    coincidences and agreements are (K, K, ...), shares, used and pairable (K, ...), labelled and paired (...).
    """

    coincidences: FloatArray
    agreements: FloatArray
    shares: FloatArray
    used: FloatArray
    pairable: FloatArray
    labelled: FloatArray
    paired: FloatArray


def features(label_counts: NDArray[np.integer]) -> FloatArray:
    """Summands of each distinct item, (P, 2K² + 3K + 2), from how often each level was given, (P, K).

    In order: coincidences n_c(n_k-[c=k])/(m-1), agreements n_c(n_k-[c=k])/(m(m-1)), shares n_k/m, then whole numbers:
    labels per level, labels per level on items with two or more, [m>=1], [m>=2].
    """
    counts = label_counts.astype(np.float64)
    cells, levels = counts.shape
    raters = counts.sum(axis=1)
    paired = raters >= 2
    ordered = counts[:, :, None] * (counts[:, None, :] - np.eye(levels))
    flat = np.where(paired[:, None], ordered.reshape(cells, levels * levels), 0.0)
    safe = np.maximum(raters, 2.0)[:, None]
    return np.hstack(
        [
            flat / (safe - 1),
            flat / (safe * (safe - 1)),
            counts / np.maximum(raters, 1.0)[:, None],
            counts,
            counts * paired[:, None],
            (raters >= 1)[:, None].astype(np.float64),
            paired[:, None].astype(np.float64),
        ]
    )


def split(sums: FloatArray, levels: int) -> GroupSums:
    """The parts of feature sums of shape (2K² + 3K + 2, ...)."""
    square = levels * levels
    ends = np.cumsum([square, square, levels, levels, levels])
    first, second, shares, used, pairable, rest = np.split(sums, ends, axis=0)
    table = (levels, levels, *sums.shape[1:])
    return GroupSums(first.reshape(table), second.reshape(table), shares, used, pairable, rest[0], rest[1])


def group_alpha(sums: GroupSums, metric: str) -> FloatArray:
    """(...) Krippendorff's alpha by `metric` from feature sums; NaN where pairable labels are all of one level."""
    return alpha(sums.coincidences, sums.pairable, distances(sums.pairable, metric))


def _mean_agreement(sums: GroupSums, weights: FloatArray) -> FloatArray:
    """Observed agreement, the mean over items with two labels; NaN when there is none."""
    observed = np.tensordot(weights, sums.agreements, axes=((0, 1), (0, 1)))
    return np.divide(observed, sums.paired, out=np.full(observed.shape, np.nan), where=sums.paired > 0)


def _prevalence(sums: GroupSums) -> FloatArray:
    """(K, ...) mean share of each level over items with a label (single labels count, as in irrCAC)."""
    return sums.shares / np.maximum(sums.labelled, 1.0)


def fleiss_kappa(sums: GroupSums) -> FloatArray:
    """(...) Fleiss' kappa for a variable number of raters; NaN when one level is all that occurs."""
    observed = _mean_agreement(sums, np.eye(sums.shares.shape[0]))
    chance = (_prevalence(sums) ** 2).sum(axis=0)
    several = (sums.used > 0).sum(axis=0) >= 2
    shape = np.full(chance.shape, np.nan)
    return np.divide(observed - chance, 1 - chance, out=shape, where=several)


def gwet(sums: GroupSums, power: int) -> FloatArray:
    """(...) Gwet's AC1 (power 0) or AC2 with linear (1) or quadratic (2) weights over the declared scale (Gwet 2008).

    NaN without an item of two labels.
    """
    levels = sums.shares.shape[0]
    apart = np.abs(np.subtract.outer(np.arange(levels), np.arange(levels))) / (levels - 1)
    weights = np.eye(levels) if power == 0 else 1 - apart**power
    prevalence = _prevalence(sums)
    chance = weights.sum() / (levels * (levels - 1)) * (prevalence * (1 - prevalence)).sum(axis=0)
    return np.asarray((_mean_agreement(sums, weights) - chance) / (1 - chance))


def undefined_reason(n_annotators: int, paired: float) -> Reason:
    """Why a group coefficient came out NaN."""
    if n_annotators < 2:
        return Reason.FEWER_THAN_TWO_ANNOTATORS
    return Reason.ONE_CLASS_ONLY if paired else Reason.NO_ITEM_WITH_TWO_LABELS

"""Intervals and p-values from replicates and leave-one-out values (statistics.md 4.2, 4.3, 4.5)."""

import math
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.stats.reasons import Flag, Reason
from engines.stats.results import Estimate, FloatArray, Interval

METHODS = ("percentile", "bca", "jackknife_t")
UNITS = ("item", "topic")
TIE = 1e-12  # lattice statistics differ by an ulp between replicates
MAX_UNDEFINED = 0.05
FEWEST = {"item": 10, "topic": 8}  # fewer units have no interval
SMALL = {"item": 100, "topic": 50}  # fewer are flagged, and the other intervals come along
BCA_FROM = {"item": 50, "topic": 100}  # what "auto" takes, chosen by simulation (docs/intervals.md)
NORMAL = NormalDist()
Bounds = tuple[float, float]


@dataclass(frozen=True)
class Request:
    """How intervals are made. method "auto" follows the rules for sample size; unit is "item" or "topic"."""

    method: str
    unit: str
    level: float
    resamples: int
    seed: int


@dataclass(frozen=True)
class Sample:
    """One statistic after resampling, point value defined.

    replicates (B,) and left_out (L,) may hold NaN; multiplicity (L,) are the units behind each left-out value;
    n_units are the units that enter the statistic; limits clip the jackknife interval to the statistic's range.
    n_informative are those that can show agreement or disagreement, where single labels enter as well (None: all);
    they decide whether a sample is small.
    """

    point: float
    replicates: FloatArray
    left_out: FloatArray
    multiplicity: FloatArray
    n_units: int
    limits: Bounds
    n_informative: int | None = None


@dataclass(frozen=True)
class IntervalOutcome:
    """The interval that heads the report, or why there is none, with its standard error and what else to show."""

    ci: Interval | None
    reason: Reason | None
    se: float | None
    flags: tuple[Flag, ...] = ()
    alternatives: tuple[Interval, ...] = ()

    def estimate(self, point: float, n_items: int, n_pairs: int = 0) -> Estimate:
        """The figure with this value."""
        found = Estimate(point, None, n_items, n_pairs, self.ci, self.reason, se=self.se)
        return replace(found, flags=self.flags, alternatives=self.alternatives)


def quantiles(replicates: FloatArray, level: float) -> Bounds:
    """The percentile interval at `level` (0 to 1) of defined replicates (R,), by linear interpolation."""
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def share_below(replicates: FloatArray, value: float) -> float:
    """Share of replicates (R,) below `value`, ties (within 1e-12, relative above 1) counted half."""
    margin = TIE * max(1.0, abs(value))
    below = np.count_nonzero(replicates < value - margin)
    tied = np.count_nonzero(np.abs(replicates - value) <= margin)
    return float(below + 0.5 * tied) / len(replicates)


def acceleration(left_out: FloatArray, multiplicity: FloatArray) -> float:
    """BCa's acceleration from leave-one-out values (U,), each standing for `multiplicity` (U,) units.

    0 when they do not vary (Efron & Tibshirani 1993, 14.15).
    """
    mean = np.dot(multiplicity, left_out) / multiplicity.sum()
    gap = mean - left_out
    spread = np.dot(multiplicity, gap**2)
    return float(np.dot(multiplicity, gap**3) / (6 * spread**1.5)) if spread > 0 else 0.0


def bca(
    replicates: FloatArray, point: float, left_out: FloatArray, multiplicity: FloatArray, level: float
) -> Bounds | None:
    """Bias-corrected and accelerated interval (Efron & Tibshirani 1993, 14.3); None when the bias is not finite.

    Takes defined replicates (R,), the value itself, leave-one-out values (U,) and how many units each stands for.
    """
    share = share_below(replicates, point)
    if not 0 < share < 1:
        return None
    bias, skew = NORMAL.inv_cdf(share), acceleration(left_out, multiplicity)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        shifted = bias + NORMAL.inv_cdf(tail)
        if skew * shifted >= 1:
            return None
        ends.append(NORMAL.cdf(bias + shifted / (1 - skew * shifted)))
    low, high = np.quantile(replicates, ends)
    return float(low), float(high)


def jackknife_se(sample: Sample) -> float | None:
    """Delete-one standard error over the units that enter the statistic; None when too much is undefined.

    Units that do not enter leave the value as it is, so their terms are zero and only n is corrected.
    """
    defined = np.isfinite(sample.left_out)
    weight = sample.multiplicity[defined]
    units = sample.n_units - float(sample.multiplicity[~defined].sum())
    if units < 2 or units < (1 - MAX_UNDEFINED) * sample.n_units:
        return None
    gap = sample.left_out[defined] - sample.point
    shift = np.dot(weight, gap) / units
    squares = max(0.0, float(np.dot(weight, gap**2) - units * shift**2))
    return math.sqrt((units - 1) / units * squares)


def student_interval(sample: Sample, se: float, level: float) -> Bounds:
    """Point ± t(n-1) SE, clipped to the range of the statistic."""
    reach = float(scipy.special.stdtrit(sample.n_units - 1, (1 + level) / 2)) * se
    return max(sample.limits[0], sample.point - reach), min(sample.limits[1], sample.point + reach)


def headline(request: Request, n_units: int) -> tuple[str, Reason | None, bool]:
    """(method that heads the report, or why none can, whether the sample is small), for `n_units` units.

    Fewer than 10 items or 8 topics: none. "auto" is the jackknife with Student t below 50 items or 100 topics, BCa from
    there on.
    """
    if n_units < FEWEST[request.unit]:
        reason = Reason.TOO_FEW_QUERIES if request.unit == "topic" else Reason.TOO_FEW_ITEMS
        return request.method, reason, True
    small = n_units < SMALL[request.unit]
    if request.method != "auto":
        return request.method, None, small
    return "jackknife_t" if n_units < BCA_FROM[request.unit] else "bca", None, small


def make_interval(sample: Sample, request: Request) -> IntervalOutcome:
    """The interval of one statistic under the rules above.

    When the sample is small, those of percentile and jackknife_t that do not head it come along in `alternatives`.
    """
    method, reason, small = headline(request, sample.n_units if sample.n_informative is None else sample.n_informative)
    if reason is not None:
        return IntervalOutcome(None, reason, None)
    found = _interval(sample, request, method)
    if not small:
        return found
    others = [_interval(sample, request, name).ci for name in ("jackknife_t", "percentile") if name != method]
    shown = tuple(other for other in others if other is not None)
    return replace(found, flags=(Flag.SMALL_SAMPLE, *found.flags), alternatives=shown)


def _interval(sample: Sample, request: Request, method: str) -> IntervalOutcome:
    return _by_jackknife(sample, request) if method == "jackknife_t" else _by_bootstrap(sample, request, method)


def _by_jackknife(sample: Sample, request: Request) -> IntervalOutcome:
    se = jackknife_se(sample)
    if se is None:
        return IntervalOutcome(None, Reason.UNDEFINED_IN_BOOTSTRAP, None)
    if se <= TIE * max(1.0, abs(sample.point)):
        return IntervalOutcome(None, Reason.NO_VARIATION, 0.0)
    lost = int(sample.multiplicity[~np.isfinite(sample.left_out)].sum())
    bounds = student_interval(sample, se, request.level)
    return IntervalOutcome(_as_interval(bounds, "jackknife_t", request, 0, lost), None, se)


def _by_bootstrap(sample: Sample, request: Request, method: str) -> IntervalOutcome:
    defined = sample.replicates[np.isfinite(sample.replicates)]
    drawn = len(sample.replicates)
    lost = drawn - len(defined)
    if lost > MAX_UNDEFINED * drawn:
        return IntervalOutcome(None, Reason.UNDEFINED_IN_BOOTSTRAP, None)
    if np.ptp(defined) <= TIE * max(1.0, abs(sample.point)):
        return IntervalOutcome(None, Reason.NO_VARIATION, 0.0)
    bounds: Bounds | None = None
    flags: tuple[Flag, ...] = ()
    if method == "bca":
        known = np.isfinite(sample.left_out)
        bounds = bca(defined, sample.point, sample.left_out[known], sample.multiplicity[known], request.level)
        if bounds is None:
            method, flags = "percentile", (Flag.BCA_FELL_BACK,)
    bounds = bounds or quantiles(defined, request.level)
    ci = _as_interval(bounds, method, request, drawn, lost)
    return IntervalOutcome(ci, None, float(defined.std(ddof=1)), flags)


def _as_interval(bounds: Bounds, method: str, request: Request, resamples: int, lost: int) -> Interval:
    return Interval(*bounds, request.level, method, request.unit, resamples, request.seed, lost)


def p_value(sample: Sample, ci: Interval, se: float) -> float:
    """Two-sided p of "the statistic is 0", by inversion of the interval shown, so that p and interval agree.

    percentile: 2(min(L, B-L)+1)/(B+1) with L replicates below 0, ties half; bca: the level at which an end point
    touches 0; jackknife_t: Student t with n-1 degrees of freedom.
    """
    if ci.method == "jackknife_t":
        return float(2 * scipy.special.stdtr(sample.n_units - 1, -abs(sample.point) / se))
    defined = sample.replicates[np.isfinite(sample.replicates)]
    count = len(defined)
    below = share_below(defined, 0.0) * count
    if ci.method == "percentile":
        return min(1.0, 2 * (min(below, count - below) + 1) / (count + 1))
    known = np.isfinite(sample.left_out)
    skew = acceleration(sample.left_out[known], sample.multiplicity[known])
    bias = NORMAL.inv_cdf(share_below(defined, sample.point))
    reached = below + 1 if 2 * below < count else below  # the same +1 as above, on the shorter side
    edge = NORMAL.inv_cdf(reached / (count + 1)) - bias
    if 1 + skew * edge <= 0:
        return 2 / (count + 1)
    tail = NORMAL.cdf(edge / (1 + skew * edge) - bias)
    return min(1.0, max(2 * min(tail, 1 - tail), 2 / (count + 1)))

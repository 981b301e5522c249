"""A figure of a collection as if people had labelled all of it, from machine labels and a sample labelled by people.

The regression estimator of survey sampling in each stratum (Cochran 1977, ch. 5 and 7; Särndal, Swensson & Wretman
1992, ch. 6): prediction-powered inference (Angelopoulos et al. 2023) with the sample inside the collection.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start

from engines.stats.audits.sample import LEAST, Parts, Sample, Target, parts_of
from engines.stats.intervals import FEWEST, SMALL, Bounds
from engines.stats.reasons import Flag, Reason
from engines.stats.results import Estimate, FloatArray, Interval, JsonFields, undefined

LEVEL = 0.95
SHARE: Bounds = (0.0, 1.0)
NO_SPREAD = 1e-12  # relative to the squares that one error would add


@dataclass(frozen=True, eq=False)
class Fit:
    """The estimator over G parts: λ (`trust`), degrees of freedom and variance, (G,) each; errors (n',) are y - λ f."""

    target: Target
    parts: Parts
    trust: FloatArray
    errors: FloatArray
    freedom: FloatArray
    variance: FloatArray

    @property
    def value(self) -> float:
        """Σ over parts of λ Σ f + N mean(y - λ f)."""
        totals = self.parts.total(self.target.by_machine)
        return float((self.trust * totals + self.parts.sizes * self.parts.mean(self.errors)).sum())

    @property
    def predicted(self) -> FloatArray:
        """(M,) λ f of each pair."""
        population, part = self.target.population, self.parts.merged[self.target.population.stratum]
        return self.target.weights * self.target.gains[population.machine] * np.where(part < 0, 0, self.trust[part])

    def bounds(self, level: float = LEVEL, variance: float | None = None) -> Bounds:
        """Student's interval inside the limits, degrees by Welch (1947) and Satterthwaite (1946); of a share Wilson's
        (1927), with as many labels as give this variance."""
        limits, total = self.target.limits, float(self.variance.sum())
        below = float((self.variance**2 / self.freedom).sum())
        t = float(scipy.special.stdtrit(total**2 / below if below else math.inf, (1 + level) / 2))
        middle, squares = self.value, t * t * (total if variance is None else variance)
        if limits == SHARE:
            edge = 1 / (len(self.errors) + 2)
            share = min(max(middle, edge), 1 - edge)
            extra = squares / (share * (1 - share))  # t² over the effective number of labels
            middle, squares = (middle + extra / 2) / (1 + extra), (squares + extra**2 / 4) / (1 + extra) ** 2
        return max(limits[0], middle - math.sqrt(squares)), min(limits[1], middle + math.sqrt(squares))

    def estimate(self) -> Estimate:
        """The figure with its interval, or without one below 10 labels."""
        n, n_pairs, limits = len(self.errors), int(self.parts.sizes.sum()), self.target.limits
        value = min(max(self.value, limits[0]), limits[1])
        if n < min(FEWEST["item"], n_pairs):
            return Estimate(value, None, n, n_pairs, ci_reason=Reason.TOO_FEW_ITEMS)
        method = "wilson_t" if limits == SHARE else "regression_t"
        ci, se = Interval(*self.bounds(), LEVEL, method, "item", 0, 0, 0), math.sqrt(self.variance.sum())
        flags = (Flag.SMALL_SAMPLE,) if n < min(SMALL["item"], n_pairs) else ()
        return Estimate(value, None, n, n_pairs, ci, se=se, flags=flags)


def fit(sample: Sample, target: Target, *, people_alone: bool = False) -> Fit | Reason:
    """The regression estimator: variance N² (1 - n/N) S²(y - λ f)/n in each part, λ = Cov(y, f)/Var(f) from 0 to 1.

    Of people alone λ is 0, and the variance that of a simple random sample of as many labels. Parts without any error
    are given the error rate (0 + 1)/(n + 2), n being their labels together, not the variance 0.
    """
    parts = parts_of(sample, target, math.inf if people_alone else LEAST)
    if isinstance(parts, Reason):
        return parts
    pair = sample.pair[parts.used]
    weight, by_machine = target.weights[pair], target.gains[target.population.machine[pair]]
    y, f = weight * target.gains[sample.human[parts.used]], weight * by_machine
    trust = np.zeros(len(parts.sizes)) if people_alone else _trust(parts, y, f)
    errors = y - trust[parts.part] * f
    off, room = errors - parts.mean(errors)[parts.part], parts.room
    squares = room * parts.mean(off**2) if people_alone else parts.squares(off)
    freedom = np.maximum(parts.labels - 1 - ((trust > 0) & (trust < 1)), 1)
    one = float(np.ptp(target.gains)) ** 2 * parts.mean(weight**2)
    has_error = squares > NO_SPREAD * one * parts.sizes**2
    rate = 1 / (parts.labels[~has_error].sum() + 2)
    variance = np.where(has_error, squares * parts.labels / freedom, room * one * rate * (1 - rate))
    return Fit(target, parts, trust, errors, freedom, variance)


def _trust(parts: Parts, y: FloatArray, f: FloatArray) -> FloatArray:
    off = f - parts.mean(f)[parts.part]
    spread = parts.mean(off**2)
    varies = spread > NO_SPREAD * parts.mean(f**2)
    return np.clip(np.divide(parts.mean(off * y), spread, out=np.zeros_like(spread), where=varies), 0, 1)


@dataclass(frozen=True)
class Audited(JsonFields):
    """One figure of the audit: `corrected` by people and machine together; by the same labels of `people` alone, with
    the interval of a simple random sample of as many; by the `machine` alone, which nothing bounds.

    `width_ratio` is the first interval's width over the second's: 1 where the machine adds nothing. `trust` is λ, from
    0 to 1: how far the machine counts. `is_approximate` where coverage is known from simulations only.
    """

    name: str
    corrected: Estimate
    people: Estimate
    machine: float | None
    width_ratio: float | None = None
    trust: float | None = None
    is_approximate: bool = False


def estimate(sample: Sample, target: Target) -> Audited:
    """The target of this collection, as if people had labelled all of its pairs."""
    fitted, alone, machine = fit(sample, target), fit(sample, target, people_alone=True), float(target.by_machine.sum())
    if isinstance(fitted, Reason) or isinstance(alone, Reason):
        nothing = undefined(fitted if isinstance(fitted, Reason) else Reason.TOO_FEW_LABELS)
        return Audited(target.name, nothing, nothing, machine)
    trust = float(fitted.trust @ fitted.parts.sizes / fitted.parts.sizes.sum())
    return compared(Audited(target.name, fitted.estimate(), alone.estimate(), machine, None, trust))


def compared(found: Audited) -> Audited:
    """The figure with the ratio of the widths of its intervals."""
    one, other = found.corrected.ci, found.people.ci
    if one is None or other is None or other.high <= other.low:
        return found
    return replace(found, width_ratio=(one.high - one.low) / (other.high - other.low))

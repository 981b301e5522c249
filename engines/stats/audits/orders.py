"""Whether the order of runs by machine labels would hold if people had labelled all pairs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from engines.stats.audits.estimates import LEVEL, Audited, Fit, estimate, fit
from engines.stats.audits.sample import Sample, Target
from engines.stats.reasons import Reason
from engines.stats.results import JsonFields

REACH = NormalDist().inv_cdf((1 + LEVEL) / 2) + NormalDist().inv_cdf(0.8)  # standard errors found with a chance of 80%


class Verdict(StrEnum):
    """What the labels say of the order."""

    HOLDS = "holds"
    DOES_NOT_HOLD = "does_not_hold"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Order(JsonFields):
    """Runs by machine labels, the best first; `differences` of neighbours, first minus second; the verdict or a reason.

    Where it is undecided, about `n_more` labels drawn like those so far decide it with a chance of 80%, if differences
    are as estimated; `needs_all` where these are all pairs.
    """

    runs: tuple[str, ...]
    differences: tuple[Audited, ...]
    verdict: Verdict | None = None
    n_more: int | None = None
    needs_all: bool = False
    reason: Reason | None = None


def judge_order(sample: Sample, runs: Sequence[Target]) -> Order:
    """The verdict on the order of runs, each the target of one measure.

    It holds where each difference of neighbours is above 0 by its interval, which needs no correction (Berger 1982:
    intersection-union test), and does not hold where one is below 0 by an interval with Bonferroni's correction.
    """
    ordered = sorted(runs, key=lambda run: -run.by_machine.sum())
    targets = [first.minus(second) for first, second in pairwise(ordered)]
    names, found = tuple(run.name for run in ordered), tuple(estimate(sample, each) for each in targets)
    gaps = [fit(sample, each) for each in targets]
    reason = next((each for each in gaps if isinstance(each, Reason)), None if gaps else Reason.ONE_RUN_ONLY)
    fits = [each for each in gaps if isinstance(each, Fit)]
    if reason is not None:
        return Order(names, found, reason=reason)
    known = [each.corrected.ci is not None for each in found]
    level = 1 - (1 - LEVEL) / len(fits)
    if any(is_known and each.bounds(level)[1] < 0 for each, is_known in zip(fits, known, strict=True)):
        return Order(names, found, Verdict.DOES_NOT_HOLD)
    open_ = [each for each, is_known in zip(fits, known, strict=True) if not is_known or each.bounds()[0] <= 0]
    if not open_:
        return Order(names, found, Verdict.HOLDS)
    return Order(names, found, Verdict.UNDECIDED, *_more(sample, max(map(_times, open_)), targets[0]))


def _times(gap: Fit) -> float:
    """How many times as many labels find a difference; infinite for 0."""
    room = gap.parts.room
    spread = np.divide(gap.variance, room, out=np.zeros_like(room), where=room > 0)
    below = (gap.value / REACH) ** 2 + float((spread * gap.parts.sizes).sum())
    return max(1.0, float((spread * gap.parts.sizes**2 / gap.parts.labels).sum()) / below) if below else math.inf


def _more(sample: Sample, times: float, target: Target) -> tuple[int, bool]:
    """(labels to add, whether these are all pairs), without strata that are known whole."""
    sizes, drawn = target.population.sizes, sample.drawn(target.population)
    is_open = drawn < sizes
    left, more = int((sizes - drawn)[is_open].sum()), (times - 1) * float(drawn[is_open].sum())
    return (left, True) if more >= left else (max(1, math.ceil(more)), False)

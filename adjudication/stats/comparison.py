"""People against machine: is the agreement among people the same as between machine and people (statistics.md 4.3)?

D = avg(H,H) - avg(G,H), both from the same resample. A large p is no evidence of equality, so D comes with its
interval, the smallest difference the sample could have shown, and the equivalence test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adjudication.stats.blocks import Plan, Row
from adjudication.stats.intervals import Request, Sample, make_interval, p_value
from adjudication.stats.labels import Kind, Labels
from adjudication.stats.pair_analysis import Excluded, Measured
from adjudication.stats.results import BoolArray, Estimate, Interval, Reason, to_jsonable
from adjudication.stats.significance import holm

DETECTABLE = 2.80  # 1.96 + 0.84: 80 % power at 5 % two-sided
EQUIVALENCE_LEVEL = 0.90  # two one-sided tests at 5 %


@dataclass(frozen=True)
class Comparison:
    """One model against the people on one statistic.

    `difference` is D with interval and p; `p_holm` is adjusted over the family of tests planned together
    (None outside it);
    `detectable` = 2.80 SE(D); `ci90` is the 90 % interval that equivalence is judged by. `equivalent` (90 % interval
    inside ±margin) and `non_inferior` (its upper end below the margin) are None without a margin or an interval.
    `n_excluded` items lack two human labels or a label from every run; `excluded_pairs` stay out of the two means.
    """

    statistic: str
    model: str
    annotators: tuple[str, ...]
    difference: Estimate
    n_excluded: int
    p_holm: float | None = None
    detectable: float | None = None
    ci90: Interval | None = None
    margin: float | None = None
    equivalent: bool | None = None
    non_inferior: bool | None = None
    excluded_pairs: Excluded = ()

    def to_json(self) -> dict[str, Any]:
        pairs = [{"annotators": list(names), "reason": str(reason)} for names, reason in self.excluded_pairs]
        return {**to_jsonable(self), "excluded_pairs": pairs}


def comparable(labels: Labels, model: str) -> BoolArray:
    """(n,) items fit for the test: two or more human labels and a label from every run of the model."""
    people = labels.positions[:, list(labels.columns_of(Kind.HUMAN))] >= 0
    runs = labels.positions[:, list(labels.models()[model])] >= 0
    return np.asarray((people.sum(axis=1) >= 2) & runs.all(axis=1))


def difference_plan(whole: Plan, row: Row) -> Plan:
    """The plan cut down to one difference row and the pairs it needs."""
    needed = sorted({*row.plus, *row.minus})
    place = {pair: index for index, pair in enumerate(needed)}
    plus, minus = tuple(place[pair] for pair in row.plus), tuple(place[pair] for pair in row.minus)
    pairs = tuple(whole.pairs[pair] for pair in needed)
    return Plan(whole.matrix, whole.levels, (), pairs, (replace(row, plus=plus, minus=minus),))


def compare(measured: Measured, request: Request, n_excluded: int, margin: float | None) -> Comparison:
    """The comparison behind one measured difference row, before Holm."""
    target = measured.target
    n_pairs = len(target.plus) + len(target.minus)
    names, model = target.row.annotators, target.row.model or ""
    if measured.sample is None:
        reason = target.reason or Reason.NO_OVERLAP
        empty = Estimate(None, reason, target.n_items, n_pairs, ci_reason=reason)
        out = target.excluded
        return Comparison(target.statistic, model, names, empty, n_excluded, margin=margin, excluded_pairs=out)
    sample = measured.sample
    outcome = make_interval(sample, request)
    p, detectable, ci90 = None, None, None
    if outcome.ci is not None and outcome.se:
        p = p_value(sample, outcome.ci, outcome.se)
        detectable = DETECTABLE * outcome.se
        ci90 = _at_level(sample, request, outcome.ci.method)
    difference = Estimate(
        sample.point,
        None,
        target.n_items,
        n_pairs,
        outcome.ci,
        outcome.reason,
        p,
        outcome.se,
        outcome.flags,
        alternatives=outcome.alternatives,
    )
    equivalent, non_inferior = _verdicts(ci90, margin)
    return Comparison(
        target.statistic,
        model,
        names,
        difference,
        n_excluded,
        detectable=detectable,
        ci90=ci90,
        margin=margin,
        equivalent=equivalent,
        non_inferior=non_inferior,
        excluded_pairs=target.excluded,
    )


def _at_level(sample: Sample, request: Request, method: str) -> Interval | None:
    return make_interval(sample, replace(request, method=method, level=EQUIVALENCE_LEVEL)).ci


def _verdicts(ci90: Interval | None, margin: float | None) -> tuple[bool | None, bool | None]:
    if ci90 is None or margin is None:
        return None, None
    return -margin < ci90.low and ci90.high < margin, ci90.high < margin


def adjust(comparisons: list[Comparison], family: Sequence[str]) -> tuple[Comparison, ...]:
    """The comparisons with Holm's adjusted p over those of the family's statistics, all models together."""
    adjusted = holm([one.difference.p if one.statistic in family else None for one in comparisons])
    return tuple(replace(one, p_holm=p) for one, p in zip(comparisons, adjusted, strict=True))

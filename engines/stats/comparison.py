"""People against machine: is the agreement among people the same as between machine and people (statistics.md 4.3)?

D = avg(H,H) - avg(G,H), both from the same resample. A large p is no evidence of equality, so D comes with its
interval, the smallest difference the sample could have shown, and the equivalence test.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.stats.blocks import Plan, Row
from engines.stats.intervals import Request, make_interval, p_value
from engines.stats.labels import Kind, Labels
from engines.stats.pair_analysis import Measured
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, Estimate, ExcludedPair, Interval, JsonFields, undefined
from engines.stats.significance import holm

DETECTABLE = 2.80  # 1.96 + 0.84: 80 % power at 5 % two-sided
EQUIVALENCE_LEVEL = 0.90  # two one-sided tests at 5 %


@dataclass(frozen=True)
class Comparison(JsonFields):
    """One model against the people on one statistic.

    `difference` is D with interval and p; `p_holm` is adjusted over the family of tests planned together (None outside
    it); `detectable` = 2.80 SE(D); `ci90` is the 90 % interval that equivalence is judged by. `equivalent` (90 %
    interval inside ±margin) and `non_inferior` (its upper end below the margin) are None without a margin or interval.
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
    excluded_pairs: tuple[ExcludedPair, ...] = ()


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
    target, sample = measured.target, measured.sample
    n_pairs = len(target.plus) + len(target.minus)
    p, detectable, ci90 = None, None, None
    if sample is None:
        difference = undefined(target.reason or Reason.NO_OVERLAP, n_items=target.n_items, n_pairs=n_pairs)
    else:
        outcome = make_interval(sample, request)
        if outcome.ci is not None and outcome.se:
            p = p_value(sample, outcome.ci, outcome.se)
            detectable = DETECTABLE * outcome.se
            ci90 = make_interval(sample, replace(request, method=outcome.ci.method, level=EQUIVALENCE_LEVEL)).ci
        difference = replace(outcome.estimate(sample.point, target.n_items, n_pairs), p=p)
    equivalent, non_inferior = None, None
    if ci90 is not None and margin is not None:
        equivalent, non_inferior = -margin < ci90.low and ci90.high < margin, ci90.high < margin
    return Comparison(
        target.statistic,
        target.row.model or "",
        target.row.annotators,
        difference,
        n_excluded,
        detectable=detectable,
        ci90=ci90,
        margin=margin,
        equivalent=equivalent,
        non_inferior=non_inferior,
        excluded_pairs=target.excluded,
    )


def adjust(comparisons: list[Comparison], family: Sequence[str]) -> tuple[Comparison, ...]:
    """The comparisons with Holm's adjusted p over those of the family's statistics, all models together."""
    adjusted = holm([one.difference.p if one.statistic in family else None for one in comparisons])
    return tuple(replace(one, p_holm=p) for one, p in zip(comparisons, adjusted, strict=True))

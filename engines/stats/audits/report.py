"""All figures of an audit at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engines.stats.audits.estimates import LEVEL, Audited, estimate, fit
from engines.stats.audits.ndcg import estimate_ndcg
from engines.stats.audits.orders import Order, judge_order
from engines.stats.audits.sample import Population, Sample, Target
from engines.stats.audits.targets import LinearMeasure, Ranks, mean_of, share_of_levels
from engines.stats.audits.topics import of_topics_like_these
from engines.stats.proportions import proportion
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, Estimate, Interval, JsonFields, undefined

ROUNDING = 0.05  # strata of a level that are sampled alike differ by less


@dataclass(frozen=True)
class MatrixRow(JsonFields):
    """The pairs that the machine gave one level, and the share of each level (K,) that people give them."""

    level: int
    n_pairs: int
    n_labels: int
    shares: tuple[Estimate, ...]


@dataclass(frozen=True)
class RunFigures(JsonFields):
    """One measure of all runs, as they were given, and whether their order holds."""

    measure: str
    runs: tuple[Audited, ...]
    order: Order


@dataclass(frozen=True)
class AuditReport(JsonFields):
    """What an audit says: shares of each level (K,) and of each with those above it (K - 1, from the second level on),
    the mean grade, people's labels by level of the machine, measures of runs. `elsewhere` are the figures of `levels`
    and, last, the mean grade, for topics like these."""

    n_pairs: int
    n_labels: int
    levels: tuple[Audited, ...]
    from_levels: tuple[Audited, ...]
    mean_gain: Audited
    matrix: tuple[MatrixRow, ...]
    measures: tuple[RunFigures, ...]
    elsewhere: tuple[Estimate, ...]


def audit(
    population: Population,
    sample: Sample,
    runs: Sequence[Ranks] = (),
    measures: Sequence[LinearMeasure] = (),
    *,
    labelled: BoolArray | None = None,
    rng: np.random.Generator,
) -> AuditReport:
    """The report. Of pairs that the machine did not label (`labelled` (M,) is False), `population` has people's label.

    `rng` draws the resamples of nDCG.
    """
    levels, of_runs = range(len(population.values)), []
    shares, mean = (
        [share_of_levels(population, each, each) for each in levels],
        mean_of(population, "", population.values),
    )
    for measure in measures if runs else ():
        targets = [measure.target(population, each) for each in runs]
        if measure.kind == "nDCG":
            targets, found = estimate_ndcg(sample, measure, targets, rng)
        else:
            found = [estimate(sample, each) for each in targets]
        of_runs.append(RunFigures(measure.name, tuple(found), judge_order(sample, targets)))
    return AuditReport(
        len(population),
        len(sample),
        tuple(estimate(sample, each) for each in shares),
        tuple(estimate(sample, share_of_levels(population, each)) for each in levels[1:]),
        estimate(sample, mean),
        error_matrix(population, sample, labelled),
        tuple(of_runs),
        tuple(of_topics_like_these(sample, each) for each in (*shares, mean)),
    )


def error_matrix(population: Population, sample: Sample, labelled: BoolArray | None = None) -> tuple[MatrixRow, ...]:
    """A row for each level of the machine; a level that it never gave has no shares.

    Intervals are those of Clopper & Pearson (1934) where all pairs of a level were equally likely to be in the sample,
    else those of weighted shares.
    """
    rows, levels = [], len(population.values)
    for level in range(levels):
        among = (population.machine == level) & (True if labelled is None else labelled)
        targets = [mean_of(population, "", np.eye(levels)[each], among) for each in range(levels)]
        shares = tuple(_share(sample, each) for each in targets)
        rows.append(MatrixRow(level, int(among.sum()), int(among[sample.pair].sum()), shares))
    return tuple(rows)


def _share(sample: Sample, target: Target) -> Estimate:
    fitted = fit(sample, target)
    if isinstance(fitted, Reason):
        return undefined(Reason.NO_OVERLAP if fitted is Reason.NO_DIFFERENCE else fitted)
    parts = fitted.parts
    if np.ptp(parts.stands_for) > ROUNDING * parts.stands_for.max():
        return fitted.estimate()
    hits = target.gains[sample.human[parts.used]]
    exact = proportion(int(hits.sum()), len(hits))
    ci = Interval(exact.low or 0.0, exact.high or 1.0, LEVEL, "clopper_pearson", "item", 0, 0, 0)
    return Estimate(exact.value, None, len(hits), int(parts.sizes.sum()), ci)

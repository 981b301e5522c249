"""nDCG in an audit, approximately: its ideal ranking rests on labels that nobody has.

What pairs add to DCG is estimated as elsewhere. A topic's ideal is that of the grades expected there, by how people
labelled each level of the machine. Intervals come from resampling labels in strata (Rao, Wu & Yue 1992).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engines.stats.audits.estimates import LEVEL, SHARE, Audited, Fit, compared, estimate, fit
from engines.stats.audits.sample import Parts, Population, Sample, Target, parts_of
from engines.stats.audits.targets import LinearMeasure, mean_of
from engines.stats.results import FloatArray, Interval

RESAMPLES = 500
RARE = 0.5  # a topic with fewer expected documents that gain counts as one without any


def estimate_ndcg(
    sample: Sample, measure: LinearMeasure, dcg: Sequence[Target], rng: np.random.Generator
) -> tuple[list[Target], list[Audited]]:
    """(targets of nDCG with the ideals taken as known, figures) of runs whose targets of DCG are given."""
    population = dcg[0].population
    parts = parts_of(sample, mean_of(population, "", population.values))
    times = _resampled(parts, rng) if isinstance(parts, Parts) else np.ones((1, len(sample)))
    ideal = _ideals(population, sample, measure, times)
    share = np.nan_to_num(1 / ideal) / np.maximum(1, np.isfinite(ideal).sum(axis=1, keepdims=True))
    targets = [
        replace(each, weights=each.weights * population.n_topics * share[0][population.topic], limits=SHARE)
        for each in dcg
    ]
    relative = np.divide(share, share[0], out=np.zeros_like(share), where=share[0] > 0)
    return targets, [_figure(sample, each, times, relative) for each in targets]


def _resampled(parts: Parts, rng: np.random.Generator) -> FloatArray:
    """(1 + B, n) how many pairs each label stands for, in the sample and in resamples.

    Of its n labels a part draws n - 1 with replacement, rescaled to a variance with the factor 1 - n/N.
    """
    times = np.ones((1 + RESAMPLES, len(parts.part)))
    for part, (n, size) in enumerate(zip(parts.labels.astype(int), parts.sizes, strict=True)):
        if 1 < n < size:
            drawn, by = rng.multinomial(n - 1, np.full(n, 1 / n), size=RESAMPLES), math.sqrt(1 - n / size)
            times[1:, parts.part == part] = 1 - by + by * n / (n - 1) * drawn
    return times * parts.stands_for


def _ideals(population: Population, sample: Sample, measure: LinearMeasure, times: FloatArray) -> FloatArray:
    """(1 + B, T) ideal DCG of the grades expected in each topic; NaN where hardly anything gains."""
    levels, topics, by_machine = len(population.values), population.n_topics, population.machine[sample.pair]
    topic = population.topic * levels
    shape, cells = (topics, levels), topics * levels
    labelled = np.bincount(topic[sample.pair] + sample.human, minlength=cells).reshape(shape)
    open_ = np.bincount(topic + population.machine, minlength=cells)
    open_ = (open_ - np.bincount(topic[sample.pair] + by_machine, minlength=cells)).reshape(shape)
    tables = (times @ np.eye(levels * levels)[by_machine * levels + sample.human]).reshape(-1, levels, levels)
    seen = tables.sum(axis=2, keepdims=True)
    rates = np.where(seen > 0, tables / np.where(seen > 0, seen, 1), np.eye(levels))
    gains = measure.gains(population.values)
    best = np.argsort(-gains)
    counts = np.cumsum((open_ @ rates + labelled)[:, :, best], axis=2)
    ranks = np.arange(measure.cut + 1)
    summed = np.r_[0.0, np.cumsum(measure.discounts(ranks[1:]))]
    ideal = np.interp(counts, ranks, summed) @ -np.diff(gains[best], append=0.0)
    return np.where((counts[:, :, int((gains > 0).sum()) - 1] >= RARE) & (ideal > 0), ideal, np.nan)


def _figure(sample: Sample, target: Target, times: FloatArray, relative: FloatArray) -> Audited:
    """nDCG of one run: `relative` (1 + B, T) is how much more than in the sample each topic counts in a resample."""
    found, fitted = replace(estimate(sample, target), is_approximate=True), fit(sample, target)
    if not isinstance(fitted, Fit) or found.corrected.ci is None:
        return found
    population, parts = target.population, fitted.parts
    times, in_part = times[:, parts.used], np.eye(len(parts.sizes))[parts.part]
    times = times * ((parts.sizes / (times @ in_part)) @ in_part.T)
    values = relative @ np.bincount(population.topic, fitted.predicted, population.n_topics)
    values += (times * relative[:, population.topic[sample.pair[parts.used]]]) @ fitted.errors
    se = float(values[1:].std(ddof=1))
    ci = Interval(*fitted.bounds(variance=se**2), LEVEL, "resampled_t", "item", RESAMPLES, 0, 0)
    return compared(replace(found, corrected=replace(found.corrected, ci=ci, se=se)))

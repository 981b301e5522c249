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
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray, Interval, undefined

RESAMPLES = 200
NORMAL = ((-(3**0.5), 1 / 6), (0.0, 2 / 3), (3**0.5, 1 / 6))  # nodes and weights of Gauss and Hermite
RARE = 0.5  # a topic with fewer expected documents that gain counts as one without any


def estimate_ndcg(
    sample: Sample, measure: LinearMeasure, dcg: Sequence[Target], rng: np.random.Generator
) -> tuple[list[Target], list[Audited]]:
    """(targets of nDCG with the ideals taken as known, figures) of runs whose targets of DCG are given."""
    population = dcg[0].population
    parts = parts_of(sample, mean_of(population, "", population.values))
    if isinstance(parts, Reason):
        return [*dcg], [
            Audited(each.name, undefined(parts), undefined(parts), None, is_approximate=True) for each in dcg
        ]
    times = _resampled(parts, rng)
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
    """(1 + B, T) ideal DCG expected in each topic; NaN where hardly anything gains.

    How many of its pairs are among the j best levels is predicted by the machine's levels, as people labelled each, and
    by the errors in the topic's own labels, shrunk to 0 as far as topics do not differ (Fay & Herriot 1979).
    """
    levels, topics, topic, machine = len(population.values), population.n_topics, population.topic, population.machine
    gains = measure.gains(population.values)
    best = np.argsort(-gains)
    at_least = np.cumsum(np.eye(levels)[best], axis=0).T  # (K, K) whether a level is among the j best
    of_machine, of_topic = np.eye(levels)[machine[sample.pair]], np.eye(topics)[topic[sample.pair]]
    seen = (times[0] @ of_machine)[:, None]
    found = np.divide((of_machine.T * times[0]) @ at_least[sample.human], seen, where=seen > 0, out=at_least.copy())
    expected = np.stack([np.bincount(topic, column, topics) for column in found[machine].T], axis=1)
    errors = at_least[sample.human] - found[machine[sample.pair]]
    error = np.stack([(times / times[0] * column) @ of_topic for column in errors.T], axis=2)
    labels = of_topic.sum(axis=0)[:, None]
    noise = np.maximum((errors**2).mean(axis=0), 1e-12)
    squares = (error[0] ** 2 / np.maximum(labels, 1)).sum(axis=0)
    between = np.maximum(0, squares - (labels > 0).sum() * noise) / len(sample)
    kept = between / (between * labels + noise)
    unknown = np.bincount(topic, minlength=topics)[:, None] - labels
    middle = expected + error * (1 + unknown * kept)
    reach = np.sqrt(unknown**2 * between * (1 - kept * labels) + unknown * noise)
    ranks = np.arange(measure.cut + 1)
    summed = np.r_[0.0, np.cumsum(measure.discounts(ranks[1:]))]
    steps = -np.diff(gains[best], append=0.0)
    ideal = sum(by * np.interp(middle + at * reach, ranks, summed) @ steps for at, by in NORMAL)
    return np.where((middle[:, :, int((gains > 0).sum()) - 1] >= RARE) & (ideal > 0), ideal, np.nan)


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

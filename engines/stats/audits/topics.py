"""Figures of topics like these, where topics are the sample and not the collection: intervals are wider."""

from __future__ import annotations

import numpy as np

from engines.stats.audits.estimates import LEVEL, fit
from engines.stats.audits.sample import Sample, Target
from engines.stats.bootstrap import TopicDesign, make_rng, resample
from engines.stats.intervals import Request, make_interval
from engines.stats.reasons import Reason
from engines.stats.results import Estimate, undefined


def of_topics_like_these(sample: Sample, target: Target, *, seed: int = 0, resamples: int = 2_000) -> Estimate:
    """The target for topics like these: whole topics are resampled, with no second stage in them (Field & Welsh 2007).

    In a resample it is what the topics add, over their pairs or over their number.
    """
    fitted = fit(sample, target)
    if isinstance(fitted, Reason):
        return undefined(fitted)
    population, parts = target.population, fitted.parts
    errors = np.zeros(len(population))
    errors[sample.pair[parts.used]] = parts.stands_for * fitted.errors
    added = np.bincount(population.topic, fitted.predicted + errors, population.n_topics)
    counts = np.ones_like(added) if target.by_topic else np.bincount(population.topic, target.weights, len(added))
    design = TopicDesign.of(np.stack([added, counts / counts.sum()], axis=1)[counts > 0])
    found = resample(design, lambda sums: (sums[0] / sums[1])[None], resamples=resamples, rng=make_rng(seed))
    drawn = found.sample(0, design.n_units, target.limits)
    return make_interval(drawn, Request("auto", "topic", LEVEL, resamples, seed)).estimate(drawn.point, len(parts.used))

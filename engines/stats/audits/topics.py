"""Figures of topics like these, where topics are the sample and not the collection: intervals are wider."""

from __future__ import annotations

import math

import numpy as np
import scipy

from engines.stats.audits.estimates import LEVEL, fit
from engines.stats.audits.sample import Sample, Target
from engines.stats.bootstrap import TopicDesign, make_rng, resample
from engines.stats.intervals import Request, make_interval
from engines.stats.reasons import Reason
from engines.stats.results import Estimate, FloatArray, Interval, undefined


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


def ppi_plus_plus(y: FloatArray, f: FloatArray, f_outside: FloatArray) -> Estimate:
    """PPI++ (Angelopoulos, Duchi & Zrnic 2023): the mean of Y over pairs like these, which count as independent.

    n pairs have labels of people y (n,) and of the machine f (n,), N others of the machine alone. λ = Cov(Y, f) /
    ((1 + n/N) Var f), from 0 to 1; variance λ² Var(f)/N + Var(Y - λ f)/n. Only where the N are outside the sample.
    """
    n, outside = len(y), len(f_outside)
    if min(n, outside) < 2:
        return undefined(Reason.TOO_FEW_ITEMS, n_items=n)
    spread, shared = float(np.var(np.r_[f, f_outside], ddof=1)), float(np.mean((y - y.mean()) * (f - f.mean())))
    trust = min(1.0, max(0.0, shared / ((1 + n / outside) * spread))) if spread else 0.0
    value = float(trust * f_outside.mean() + (y - trust * f).mean())
    se = math.sqrt(trust**2 * np.var(f_outside) / outside + np.var(y - trust * f) / n)
    reach = float(scipy.special.ndtri((1 + LEVEL) / 2)) * se
    return Estimate(value, None, n, 0, Interval(value - reach, value + reach, LEVEL, "ppi", "item", 0, 0, 0), se=se)

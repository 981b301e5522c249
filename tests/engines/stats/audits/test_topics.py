"""Figures of topics like these against leaving out each topic, and of this collection against the package of PPI++."""

import numpy as np
import pytest
import scipy

from engines.stats.audits.estimates import estimate
from engines.stats.audits.sample import Population, Sample
from engines.stats.audits.targets import linear_measure, mean_of
from engines.stats.audits.topics import of_topics_like_these
from tests.engines.stats.audits.world import TOPICS, VALUES, World

RNG = np.random.default_rng(23)


def test_the_estimate_of_this_collection_is_that_of_ppi_with_the_same_lambda():
    from ppi_py import ppi_mean_pointestimate  # slow to import: it brings statsmodels and scikit-learn

    world = World()
    population = world.population()
    sample, target = world.sample(population, 300, RNG), mean_of(population, "", VALUES)
    found = estimate(sample, target)
    labels = (VALUES[sample.human], VALUES[world.machine[sample.pair]], VALUES[world.machine])
    assert found.corrected.value == pytest.approx(float(ppi_mean_pointestimate(*labels, lam=found.trust)[0]))


def test_in_a_large_collection_the_interval_is_that_of_ppi_plus_plus_by_its_authors():
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    people = RNG.choice(4, 60_000, p=[0.5, 0.3, 0.15, 0.05])
    machine = np.where(RNG.random(len(people)) < 0.3, RNG.choice(4, len(people)), people)
    zeros = np.zeros(len(people), dtype=int)
    target = mean_of(Population(machine, zeros, zeros, VALUES), "", VALUES)
    pair = RNG.choice(len(people), 800, replace=False)
    found = estimate(Sample(pair, people[pair]), target).corrected
    labels = (VALUES[people[pair]], VALUES[machine[pair]], np.delete(VALUES[machine], pair))
    low, high = ppi_mean_ci(*labels, alpha=0.05)
    assert found.ci.high - found.ci.low == pytest.approx(float(high[0] - low[0]), rel=0.02)
    assert found.value == pytest.approx(float(np.ravel(ppi_mean_pointestimate(*labels))[0]), rel=0.005)


def test_whole_topics_are_left_out_and_the_interval_is_wider_than_that_of_this_collection():
    world = World()
    population = world.population()
    sample, target = world.sample(population, 600, RNG), mean_of(population, "", VALUES)
    here = estimate(sample, target)
    found = of_topics_like_these(sample, target, seed=1)
    trust, people, machine = here.trust, VALUES[sample.human], VALUES[world.machine]
    errors = (people - trust * machine[sample.pair]) * 5
    added = np.bincount(world.topic, trust * machine) + np.bincount(world.topic[sample.pair], errors, TOPICS)
    left = (added.sum() - added) / (2900)
    assert found.value == pytest.approx(here.corrected.value)
    half = scipy.stats.t.ppf(0.975, TOPICS - 1) * np.sqrt((TOPICS - 1) * left.var())
    assert (found.ci.low, found.ci.high) == pytest.approx((found.value - half, found.value + half), rel=1e-4)
    assert found.ci.unit == "topic"
    assert found.se > 1.3 * here.corrected.se


def test_the_mean_of_other_topics_is_covered():
    inside = []
    for seed in range(150):
        rng = np.random.default_rng(seed)
        topic, level = np.repeat(np.arange(40), 25), rng.normal(0, 0.5, 40)
        merit = rng.normal(size=1000) + level[topic]
        people = np.digitize(merit, [0, 1, 2])
        machine = np.digitize(merit + rng.normal(0.4, 0.4, 40)[topic] + rng.normal(0, 0.5, 1000), [0, 1, 2])
        pair = rng.permutation(1000)[:200]
        population = Population(machine, topic, np.zeros(1000, dtype=int), VALUES)
        ci = of_topics_like_these(
            Sample(pair, people[pair]), mean_of(population, "", VALUES), seed=1, resamples=1000
        ).ci
        expected = sum(scipy.stats.norm.sf(cut / np.sqrt(1.25)) for cut in (0, 1, 2))
        inside.append(ci.low <= expected <= ci.high)
    assert 0.9 <= np.mean(inside) <= 0.99


def test_measures_of_runs_count_each_topic_alike():
    world = World()
    population = world.population()
    sample = world.sample(population, 900, RNG)
    plain, kin = (linear_measure("DCG@10").target(population, run) for run in world.runs)
    found = of_topics_like_these(sample, plain.minus(kin), seed=1, resamples=1000)
    assert found.value == pytest.approx(estimate(sample, plain.minus(kin)).corrected.value, abs=1e-9)
    assert of_topics_like_these(Sample(sample.pair, sample.human, is_random=False), plain, seed=1).reason

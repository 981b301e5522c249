"""Strata, allocation, drawing, and whether as many labels as planned give the width that was wished."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.stats.audits.estimates import estimate, fit
from engines.stats.audits.planning import allocate, assumed_spread, draw, make_strata, plan, spread_of
from engines.stats.audits.sample import LEAST, Sample
from engines.stats.audits.targets import share_of_levels
from engines.stats.reasons import Reason
from tests.engines.stats.audits.world import World

WORLD = World()


def test_strata_are_levels_then_disagreement_then_topics_with_thirty_labels_each():
    disagreement = WORLD.topic % 2
    for n in (60, 120, 300, 900):
        stratum = make_strata(WORLD.machine, disagreement, WORLD.topic, n)
        sizes = np.bincount(stratum)
        assert (sizes > 0).all()
        assert len(sizes) <= n // LEAST
        levels = [np.unique(WORLD.machine[stratum == one]) for one in range(len(sizes))]
        assert all(len(each) == 1 for each in levels) == (n >= 120)  # four levels take 120 labels
    first = [disagreement[stratum == one].mean() for one in range(5)]
    assert first == sorted(first)


def test_neyman_s_allocation_is_the_best_of_all():
    sizes, spread = np.array([90, 60, 50]), np.array([0.2, 0.5, 0.35])
    variance = lambda labels: sum(  # noqa: E731
        size * (size / n - 1) * by**2 for size, n, by in zip(sizes, labels, spread, strict=True)
    )
    best = min(
        (each for each in product(range(30, 91), range(30, 61), range(30, 51)) if sum(each) == 120), key=variance
    )
    assert variance(allocate(120, sizes, spread)) == pytest.approx(variance(best), rel=1e-3)


@given(st.lists(st.integers(1, 500), min_size=1, max_size=8), st.integers(1, 2000), st.randoms())
def test_every_allocation_adds_up_and_fits(sizes, n, random):
    sizes = np.array(sizes)
    labels = allocate(n, sizes, np.array([random.choice([0.0, 0.1, 1.0]) for _ in sizes]))
    least = np.minimum(sizes, LEAST)
    assert (labels >= least).all()
    assert (labels <= sizes).all()
    assert labels.sum() == min(max(n, least.sum()), sizes.sum())


def test_a_draw_takes_each_pair_once_in_an_order_whose_beginning_is_a_sample_too():
    stratum, labels = np.repeat([0, 1, 2], [50, 30, 20]), np.array([10, 15, 20])
    rng, counts, begun = np.random.default_rng(1), np.zeros(100), np.zeros(100)
    for _ in range(2000):
        pairs = draw(stratum, labels, rng)
        assert len(set(pairs)) == 45
        assert np.bincount(stratum[pairs]).tolist() == labels.tolist()
        counts[pairs] += 1
        begun[pairs[:9]] += 1
    assert counts / 2000 == pytest.approx((labels / [50, 30, 20])[stratum], abs=0.05)
    assert begun / 2000 == pytest.approx((labels / [50, 30, 20])[stratum] / 5, abs=0.04)
    assert (
        draw(stratum, labels, np.random.default_rng(5)).tolist()
        == draw(stratum, labels, np.random.default_rng(5)).tolist()
    )


@pytest.mark.parametrize("name", ["share of 2 and 3", "mean grade", "DCG@10 difference"])
@pytest.mark.parametrize("design", ["random", "stratified"])
def test_the_planner_is_right_within_a_fifth(name, design):
    population = WORLD.population(None if design == "random" else WORLD.strata(240))
    target, rng = WORLD.targets(population)[name], np.random.default_rng(4)
    whole = spread_of(Sample(np.arange(3000), WORLD.people), target)
    assert not isinstance(whole, Reason)
    assert not whole.any()
    wish, needed, reached = {"share of 2 and 3": 0.025, "mean grade": 0.055, "DCG@10 difference": 0.45}[name], [], []
    for _ in range(60):
        pilot = WORLD.sample(population, 500, rng)
        planned = plan(target, spread_of(pilot, target), wish)
        assert planned.half_width <= wish
        assert sum(planned.of_strata) == planned.n_labels
        needed.append(planned.n_labels)
        pair = draw(population.stratum, np.array(planned.of_strata), rng)
        ci = estimate(Sample(pair, WORLD.people[pair]), target).corrected.ci
        reached.append((ci.high - ci.low) / 2)
    assert np.mean(reached) == pytest.approx(wish, rel=0.1)
    if "difference" not in name:  # a few dozen labels concern a difference: the mean is right, single ones vary
        assert np.mean(np.abs(np.array(reached) / wish - 1) < 0.2) > 0.9
    true_n = _labels_that_reach(population, target, wish)
    assert np.median(needed) == pytest.approx(true_n, rel=0.2)


def _labels_that_reach(population, target, wish):
    """How many labels give an error of wish / 1.96, from the spread of 400 estimates with 1,000 labels.

    The spread falls as 1/n - 1/M.
    """
    rng = np.random.default_rng(9)
    pilot = spread_of(WORLD.sample(population, 2000, rng), target)
    values = [fit(WORLD.sample(population, 1000, rng, pilot), target).value for _ in range(400)]
    factor = (wish / 1.96) ** 2 / np.var(values)
    return 1 / (factor * (1 / 1000 - 1 / 3000) + 1 / 3000)


def test_a_plan_without_a_pilot_takes_the_share_of_errors_that_is_assumed():
    population = WORLD.population()
    target = share_of_levels(population, 2)
    planned = plan(target, assumed_spread(target, 0.2), 0.05)
    simple = 1.96**2 * 0.2 * 0.8 / 0.05**2
    assert planned.n_labels == pytest.approx(simple / (1 + simple / 3000), rel=0.02)
    assert plan(target, assumed_spread(target, 0.2), 1e-6).is_all
    with pytest.raises(ValueError, match="between 0 and 1"):
        assumed_spread(target, 1.0)
    with pytest.raises(ValueError, match="above 0"):
        plan(target, assumed_spread(target, 0.2), 0)


def test_a_plan_counts_what_people_know_whole_with_all_its_labels():
    stratum = np.where(WORLD.topic < 4, 1, 0)  # 400 pairs that people have judged anyway
    population = WORLD.population(stratum)
    target, known = share_of_levels(population, 2), np.flatnonzero(stratum)
    pilot = np.r_[known, np.flatnonzero(stratum == 0)[::13]]
    for pair, spread in (
        (pilot, spread_of(Sample(pilot, WORLD.people[pilot]), target)),
        (known, assumed_spread(target, 0.2)),
    ):
        planned = plan(target, spread, 0.03, Sample(pair, WORLD.people[pair]))
        assert planned.of_strata[1] == 400
        drawn = np.r_[known, draw(stratum, np.array([planned.of_strata[0], 0]), np.random.default_rng(1))]
        ci = estimate(Sample(drawn, WORLD.people[drawn]), target).corrected.ci
        assert planned.half_width == pytest.approx(0.03, rel=0.02)
        assert (ci.high - ci.low) / 2 < 0.036

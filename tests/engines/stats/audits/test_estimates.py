"""Estimates against all samples of tiny populations, a simulated collection with known truth, and LLMJudge's labels."""

from itertools import combinations, product
from math import inf, sqrt

import numpy as np
import pytest
import scipy

from engines.stats.audits import estimates
from engines.stats.audits.estimates import Fit, estimate, fit
from engines.stats.audits.sample import Population, Sample, Target, parts_of
from engines.stats.audits.targets import mean_of, share_of_levels
from engines.stats.reasons import Flag, Reason
from tests.engines.stats.audits.world import World
from tests.shared import shared_path

RNG = np.random.default_rng(37)
VALUES = np.array([0.0, 1.0, 2.5, 7.0])


def tiny(people, machine, stratum=None):
    """(the population, the target that is the sum of grades over pairs, the positions by people)"""
    machine = np.array(machine)
    stratum = np.zeros(len(machine), dtype=int) if stratum is None else np.array(stratum)
    population = Population(machine, np.arange(len(machine)) % 3, stratum, VALUES)
    return population, mean_of(population, "", VALUES), np.array(people)


def test_people_alone_are_unbiased_and_so_is_their_variance_over_all_samples():
    _, target, people = tiny([0, 1, 2, 3, 3, 1, 0, 2], [0, 0, 0, 0, 0, 0, 0, 0])
    found = [
        fit(Sample(np.array(pair), people[list(pair)]), target, people_alone=True) for pair in combinations(range(8), 4)
    ]
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(VALUES[people].mean())
    assert np.mean([each.variance.sum() for each in found]) == pytest.approx(values.var())


def test_strata_are_unbiased_and_so_is_their_variance_over_all_samples(monkeypatch):
    monkeypatch.setattr(estimates, "LEAST", 2)
    stratum = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    _, target, people = tiny([0, 1, 2, 3, 3, 1, 0, 2, 0], [2, 2, 2, 2, 1, 1, 1, 1, 1], stratum)
    found = []
    for first, second in product(combinations(range(4), 3), combinations(range(4, 9), 3)):
        pair = np.array(first + second)
        found.append(fit(Sample(pair, people[pair]), target))
    values = np.array([each.value for each in found])
    assert values.mean() == pytest.approx(VALUES[people].mean())
    assert np.mean([each.variance.sum() for each in found]) == pytest.approx(values.var())


def test_the_formula_of_each_stratum_is_the_one_written_down(monkeypatch):
    monkeypatch.setattr(estimates, "LEAST", 4)
    people, machine = RNG.integers(0, 4, 60), RNG.integers(0, 4, 60)
    stratum = np.repeat([0, 1], [25, 35])
    population, _, _ = tiny(people, machine, stratum)
    target = Target(population, "", RNG.normal(size=60) * (RNG.random(60) < 0.8), VALUES, (-inf, inf))
    pair = np.r_[RNG.permutation(25)[:10], 25 + RNG.permutation(35)[:12]]
    found = fit(Sample(pair, people[pair]), target)
    value = variance = below = 0.0
    for one in (0, 1):
        whole = np.flatnonzero((stratum == one) & (target.weights != 0))
        drawn = np.array([each for each in pair if each in whole])
        y, f = (target.weights[drawn] * VALUES[each[drawn]] for each in (people, machine))
        n, size = len(drawn), len(whole)
        trust = min(1.0, max(0.0, np.cov(y, f)[0, 1] / np.var(f, ddof=1)))
        freedom = n - 2 if 0 < trust < 1 else n - 1
        off = y - trust * f
        part = size**2 * (1 - n / size) * (((off - off.mean()) ** 2).sum() / freedom) / n
        value += trust * (target.weights[whole] * VALUES[machine[whole]]).sum() + size * off.mean()
        variance, below = variance + part, below + part**2 / freedom
    assert isinstance(found, Fit)
    assert found.value == pytest.approx(value)
    half = scipy.stats.t.ppf(0.975, variance**2 / below) * sqrt(variance)
    assert found.bounds() == pytest.approx((value - half, value + half))


def test_a_machine_that_is_wrong_by_a_constant_is_corrected_in_every_sample():
    people = RNG.integers(0, 3, 72)
    zeros = np.zeros(72, dtype=int)
    population = Population(people + 1, zeros, zeros, np.arange(4.0))
    pair = RNG.permutation(72)[:30]
    found = estimate(Sample(pair, people[pair]), mean_of(population, "", population.values))
    assert found.corrected.value == pytest.approx(people.mean())
    assert found.trust == pytest.approx(1)
    assert found.machine == pytest.approx(people.mean() + 1)


def test_parts_without_any_error_are_given_one_error_more():
    population, _, people = tiny([0] * 400, [0] * 400)
    target = share_of_levels(population, 1)
    found = fit(Sample(np.arange(100), people[:100]), target)
    rate = 1 / 102
    assert found.value == 0
    assert found.variance.sum() == pytest.approx((1 - 100 / 400) * rate * (1 - rate) / 100)
    low, high = found.bounds()
    assert low == 0
    assert 0.02 < high < 0.05


def test_what_people_know_whole_adds_no_uncertainty():
    stratum = np.repeat([0, 1], [300, 100])
    population, target, people = tiny(RNG.integers(0, 4, 400), RNG.integers(0, 4, 400), stratum)
    whole = estimate(Sample(np.arange(400), people), target).corrected
    assert (whole.value, whole.ci.low, whole.ci.high) == pytest.approx((VALUES[people].mean(),) * 3)
    pair = np.r_[RNG.permutation(300)[:60], np.arange(300, 400)]
    alone = Population(population.machine[:300], population.topic[:300], stratum[:300], VALUES)
    rest = estimate(Sample(pair[:60], people[pair[:60]]), mean_of(alone, "", VALUES)).corrected
    found = estimate(Sample(pair, people[pair]), target).corrected
    assert found.value == pytest.approx((300 * rest.value + VALUES[people[300:]].sum()) / 400)
    assert found.se == pytest.approx(rest.se * 300 / 400)


def test_strata_with_few_labels_join_their_neighbour_and_weigh_by_their_probability():
    stratum = np.repeat([0, 1, 2, 3], [100, 100, 100, 20])
    _population, target, people = tiny(RNG.integers(0, 4, 320), RNG.integers(0, 4, 320), stratum)
    pair = np.r_[RNG.permutation(100)[:40], 100 + np.arange(20), 200 + np.arange(5), 300 + np.arange(20)]
    sample = Sample(pair, people[pair])
    parts = parts_of(sample, target)
    assert parts.merged.tolist() == [0, 0, 0, 1]  # 20 and 5 are too few; the last is known whole
    assert parts.sizes.tolist() == [300, 20]
    assert parts.stands_for[:65].sum() == pytest.approx(300)
    chance = np.r_[np.full(40, 0.4), np.full(20, 0.2), np.full(5, 0.05), np.ones(20)]
    given = estimate(Sample(pair, people[pair], probability=chance), target)
    assert given.to_json() == estimate(sample, target).to_json()


def test_known_unequal_probabilities_are_weighed_out():
    people = RNG.integers(0, 4, 2000)
    _population, target, _ = tiny(people, RNG.integers(0, 4, 2000))
    chance = np.where(people > 1, 0.3, 0.1)  # what is good was drawn three times as often
    covered = []
    for _ in range(300):
        pair = np.flatnonzero(RNG.random(2000) < chance)
        found = estimate(Sample(pair, people[pair], probability=chance[pair]), target).corrected
        covered.append(found.ci.low <= VALUES[people].mean() <= found.ci.high)
    assert 0.91 < np.mean(covered) < 0.985


def test_what_cannot_be_estimated_says_why():
    _population, target, people = tiny([0, 1, 2, 3] * 20, [0, 1, 2, 2] * 20)
    pair = np.arange(40)
    chosen = estimate(Sample(pair, people[pair], is_random=False), target)
    never = estimate(Sample(pair, people[pair], probability=np.zeros(40)), target)
    assert chosen.corrected.reason is never.corrected.reason is Reason.NOT_A_RANDOM_SAMPLE
    assert "not usable for estimates" in chosen.corrected.reason.words["whole"]
    none = estimate(Sample(pair[:0], people[:0]), target)
    assert none.corrected.reason is Reason.TOO_FEW_LABELS
    assert none.corrected.value is None
    few = estimate(Sample(pair[:8], people[:8]), target).corrected
    assert few.value is not None
    assert few.ci is None
    assert few.ci_reason is Reason.TOO_FEW_ITEMS
    assert estimate(Sample(pair, people[pair]), target).corrected.flags == (Flag.SMALL_SAMPLE,)
    assert estimate(Sample(pair, people[pair]), target.minus(target)).corrected.reason is Reason.NO_DIFFERENCE


def seen(samples, target, truth):
    """(the share of the samples whose interval covers the truth; its width and that of people alone, by every fifth)"""
    covered = [ci.low <= truth <= ci.high for ci in (fit(sample, target).estimate().ci for sample in samples)]
    both = [(found.corrected.ci, found.people.ci) for found in (estimate(sample, target) for sample in samples[::5])]
    return np.mean(covered), *np.mean([[ci.high - ci.low for ci in pair] for pair in both], axis=0)


@pytest.mark.parametrize("design", ["random", "stratified"])
def test_intervals_cover_the_truth_where_the_machine_errs_to_one_side_by_topic(design):
    world, rng = World(), np.random.default_rng(11)
    population = world.population(None if design == "random" else world.strata(400))
    samples = [world.sample(population, 400, rng) for _ in range(1000)]
    for name, target in world.targets(population).items():
        truth = world.truth(target)
        covered, width, alone = seen(samples, target, truth)
        assert abs(target.by_machine.sum() - truth) > width / 2 * 0.5, f"the machine is right about {name}"
        assert 0.93 <= covered <= 0.97, (name, covered)
        assert width <= 1.02 * alone, (name, width / alone)


def grades(path):
    rows = (line.split() for line in path.read_text().splitlines())
    return {(topic, document): min(3, int(grade)) for topic, _, document, grade in rows}


@pytest.mark.parametrize("n", [200, 500, 1000])
def test_llmjudge_is_covered_for_every_labeler(n):
    people = grades(shared_path("data", "llmjudge", "human.qrels"))
    human = np.array(list(people.values()))
    covered, ratios = [], []
    for number, path in enumerate(sorted(shared_path("data", "llmjudge", "labels").glob("*.qrels"))):
        labels = grades(path)
        machine = np.array([labels[pair] for pair in people])
        zeros = np.zeros(len(machine), dtype=int)
        population = Population(machine, zeros, zeros, np.arange(4.0))
        pairs = [np.random.default_rng([number, n, seed]).choice(len(human), n, replace=False) for seed in range(200)]
        samples = [Sample(pair, human[pair]) for pair in pairs]
        for least in (2, 3):
            target, truth = share_of_levels(population, least), (human >= least).mean()
            inside, width, alone = seen(samples, target, truth)
            covered.append(inside)
            ratios.append(width / alone)
    assert len(covered) == 34
    for at in (0, 1):  # levels 2 and 3, and 3 alone
        assert 0.93 <= np.mean(covered[at::2]) <= 0.97
    assert min(covered) >= 0.89
    assert max(ratios) <= 1.02
    assert np.mean(ratios[::2]) == pytest.approx(0.945, abs=0.01)  # a gain of a few percent, and no more
    assert np.mean(ratios[1::2]) == pytest.approx(0.98, abs=0.01)

"""nDCG in an audit: exact where all is labelled, and the coverage that docs/statistics.md states."""

import numpy as np
import pytest

from engines.stats.audits.ndcg import estimate_ndcg
from engines.stats.audits.sample import Population, Sample
from engines.stats.audits.targets import linear_measure
from engines.stats.measures import parse_measure
from engines.stats.rankings import RankedList, make_gold, match, view
from tests.engines.stats.audits.world import TOPICS, World

WORLD = World()


def truth(name):
    """nDCG of both runs by the labels of people, from the package's own measures."""
    grades = {
        str(topic): {str(pair): float(WORLD.people[pair]) for pair in np.flatnonzero(WORLD.topic == topic)}
        for topic in range(TOPICS)
    }
    gold, values = make_gold(grades), []
    for run in WORLD.runs:
        order = run.pair.reshape(TOPICS, -1)
        ranked = [RankedList(str(topic), [str(pair) for pair in pairs]) for topic, pairs in enumerate(order)]
        values.append(float(np.nanmean(parse_measure(name).values(view(match(ranked, gold), gold)))))
    return values


@pytest.mark.parametrize("name", ["nDCG@10", "nDCG(dcg='exp-log2')@20"])
def test_with_all_labels_it_is_the_measure_itself(name):
    population, measure = WORLD.population(), linear_measure(name)
    dcg = [measure.target(population, run) for run in WORLD.runs]
    _, found = estimate_ndcg(Sample(np.arange(3000), WORLD.people), measure, dcg, np.random.default_rng(1))
    assert [each.corrected.value for each in found] == pytest.approx(truth(name))
    assert all(each.is_approximate and each.corrected.ci.high - each.corrected.ci.low < 1e-6 for each in found)


@pytest.mark.parametrize("n", [300, 900])
def test_its_simulated_coverage_is_the_one_stated(n):
    population, measure, rng = WORLD.population(WORLD.strata(n)), linear_measure("nDCG@10"), np.random.default_rng(8)
    dcg = [measure.target(population, run) for run in WORLD.runs]
    rows, true = [], truth("nDCG@10")
    for _ in range(100):
        _, found = estimate_ndcg(WORLD.sample(population, n, rng), measure, dcg, rng)
        rows.append(
            [
                (each.corrected.ci.low <= at <= each.corrected.ci.high, each.corrected.value)
                for each, at in zip(found, true, strict=True)
            ]
        )
    covered, values = np.mean(rows, axis=0).T
    assert (covered >= 0.9).all()
    assert values == pytest.approx(true, abs=0.02)
    machine = [each.machine for each in found]
    assert machine[1] > machine[0]
    assert values[0] > values[1]


def test_topics_without_anything_relevant_are_left_out_as_in_the_measure():
    people = np.where(WORLD.topic < 3, 0, WORLD.people)
    population = Population(people, WORLD.topic, np.zeros(3000, dtype=int), np.arange(4.0))
    measure = linear_measure("nDCG@10")
    dcg = [measure.target(population, run) for run in WORLD.runs]
    targets, _ = estimate_ndcg(Sample(np.arange(3000), people), measure, dcg, np.random.default_rng(1))
    assert not targets[0].weights[WORLD.topic < 3].any()
    assert targets[0].weights[WORLD.topic == 3].any()

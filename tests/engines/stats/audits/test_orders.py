"""Whether an order of runs holds: verdicts over simulated samples, and how many labels more decide it."""

from collections import Counter

import numpy as np
import pytest

from engines.stats.audits.orders import Verdict, judge_order
from engines.stats.audits.sample import Sample
from engines.stats.audits.targets import linear_measure
from engines.stats.reasons import Reason
from tests.engines.stats.audits.world import World

WORLD = World()


def targets(population, name="DCG@10"):
    return [linear_measure(name).target(population, run) for run in WORLD.runs]


def test_the_whole_truth_overturns_the_order_that_the_machine_is_biased_to():
    population = WORLD.population()
    order = judge_order(Sample(np.arange(3000), WORLD.people), targets(population))
    assert order.runs == ("kin", "plain")
    assert order.verdict is Verdict.DOES_NOT_HOLD
    plain, kin = targets(population)
    assert order.differences[0].corrected.value == pytest.approx(WORLD.truth(kin) - WORLD.truth(plain))


def test_a_wrong_order_is_hardly_ever_confirmed_and_the_labels_asked_for_decide_it():
    population, rng = WORLD.population(), np.random.default_rng(3)
    first = Counter()
    more, asked = [], []
    for _ in range(300):
        order = judge_order(WORLD.sample(population, 200, rng), targets(population))
        first[order.verdict] += 1
        asked += [order.n_more] if order.n_more else []
    assert first[Verdict.HOLDS] <= 0.025 * 300 + 8
    assert first[Verdict.UNDECIDED] > 30
    n = 200 + int(np.median(asked))
    for _ in range(300):
        order = judge_order(WORLD.sample(population, n, rng), targets(population))
        more.append(order.verdict is Verdict.DOES_NOT_HOLD)
    assert 0.6 < np.mean(more) <= 1.0


def test_an_order_that_cannot_be_judged_says_why():
    population = WORLD.population()
    plain, kin = targets(population)
    assert judge_order(Sample(np.arange(90), WORLD.people[:90]), [plain]).reason is Reason.ONE_RUN_ONLY
    chosen = judge_order(Sample(np.arange(90), WORLD.people[:90], is_random=False), [plain, kin])
    assert (chosen.verdict, chosen.reason) == (None, Reason.NOT_A_RANDOM_SAMPLE)
    tie = judge_order(Sample(np.arange(90), WORLD.people[:90]), [plain, plain])
    assert tie.reason is Reason.NO_DIFFERENCE
    few = np.flatnonzero(plain.weights != kin.weights)[:5]
    barely = judge_order(Sample(few, WORLD.people[few]), [plain, kin])
    assert barely.verdict is Verdict.UNDECIDED
    assert barely.n_more

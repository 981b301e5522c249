"""The report of an audit: what stands in it, the error matrix, and that it can be written as JSON."""

import json

import numpy as np
import pytest

from engines.stats.audits.planning import draw
from engines.stats.audits.report import audit, error_matrix
from engines.stats.audits.sample import Sample
from engines.stats.audits.targets import linear_measure
from engines.stats.proportions import proportion
from engines.stats.reasons import Reason
from tests.engines.stats.audits.world import VALUES, World

WORLD = World()
MEASURES = [linear_measure(name) for name in ("P(rel=2)@10", "DCG@10", "nDCG@10")]


def report(sample, population=None):
    rng = np.random.default_rng(2)
    return audit(population or WORLD.population(), sample, WORLD.runs, MEASURES, rng=rng)


def test_a_report_holds_every_figure_and_is_json_at_every_number_of_labels():
    pairs = np.random.default_rng(1).permutation(3000)
    for n in (0, 1, 5, 12, 40, 300, 3000):
        sample = Sample(pairs[:n], WORLD.people[pairs[:n]])
        found = report(sample)
        json.dumps(found.to_json(), allow_nan=False)
    assert [each.corrected.value for each in found.levels] == pytest.approx(np.bincount(WORLD.people) / 3000)
    assert found.from_levels[1].corrected.value == pytest.approx((WORLD.people >= 2).mean())
    assert found.mean_gain.corrected.value == pytest.approx(VALUES[WORLD.people].mean())
    assert [each.measure for each in found.measures] == [each.name for each in MEASURES]
    assert [each.value for each in found.elsewhere[:-1]] == pytest.approx(np.bincount(WORLD.people) / 3000)
    assert {each.ci.unit for each in found.elsewhere} == {"topic"}
    chosen = report(Sample(sample.pair, sample.human, is_random=False))
    reasons = {each.corrected.reason for each in (*chosen.levels, *chosen.measures[0].runs, *chosen.measures[2].runs)}
    assert reasons == {Reason.NOT_A_RANDOM_SAMPLE} == {each.order.reason for each in chosen.measures}


def test_the_error_matrix_is_exact_where_a_level_is_sampled_alike_and_weighed_elsewhere():
    rng, stratum = np.random.default_rng(3), np.where(WORLD.machine == 3, 3 + WORLD.topic % 2, WORLD.machine)
    population = WORLD.population(stratum)
    pair = draw(stratum, np.array([60, 60, 60, 40, 160]), rng)
    rows = error_matrix(population, Sample(pair, WORLD.people[pair]))
    here = WORLD.people[pair[WORLD.machine[pair] == 1]]
    exact = proportion(int((here == 0).sum()), 60)
    assert (rows[1].shares[0].value, rows[1].shares[0].ci.low, rows[1].shares[0].ci.high) == (
        exact.value,
        exact.low,
        exact.high,
    )
    assert {each.ci.method for each in rows[1].shares} == {"clopper_pearson"}
    assert {each.ci.method for each in rows[3].shares} == {"wilson_t"}
    parts = [(WORLD.people[pair[stratum[pair] == one]] == 3).mean() for one in (3, 4)]
    sizes = [(stratum == one).sum() for one in (3, 4)]
    assert rows[3].shares[3].value == pytest.approx(np.average(parts, weights=sizes))
    assert [row.n_labels for row in rows] == [60, 60, 60, 200]
    assert rows[0].n_pairs == (WORLD.machine == 0).sum()


def test_pairs_that_people_alone_labelled_are_not_in_the_error_matrix():
    labelled = WORLD.topic > 4
    stratum = np.where(labelled, 0, 1)
    population = WORLD.population(stratum)
    pair = np.r_[np.flatnonzero(~labelled), 500 + np.arange(0, 2500, 10)]
    rows = error_matrix(population, Sample(pair, WORLD.people[pair]), labelled)
    assert sum(row.n_labels for row in rows) == 250
    assert sum(row.n_pairs for row in rows) == 2500


def test_measures_that_are_not_sums_are_refused():
    for name in ("AP", "R@10", "nDCG", "P(judged_only=True)@5", "RR@10"):
        with pytest.raises(ValueError, match="an audit estimates"):
            linear_measure(name)
    assert (linear_measure("dcg@5").name, linear_measure("P@5", 2.0).relevance) == ("DCG@5", 2.0)

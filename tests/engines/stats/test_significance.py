"""Tests on paired scores and Holm's correction, edges and other libraries."""

import numpy as np
import pytest
from scipy import stats

from engines.stats.bootstrap import make_rng
from engines.stats.reasons import Flag, Reason
from engines.stats.significance import holm, paired_t_test, randomisation_test, randomisation_tests


def test_no_difference_and_equal_differences() -> None:
    same = [0.1, 0.2, 0.3]
    assert paired_t_test(same, same).reason is Reason.NO_DIFFERENCE
    drawn = randomisation_test(same, same, rng=make_rng(1))
    assert (drawn.p, drawn.reason, drawn.difference) == (1.0, None, 0.0)
    moved = paired_t_test([1.0, 2.0, 3.0], [0.5, 1.5, 2.5])
    assert (moved.p, moved.flags) == (0.0, (Flag.ZERO_SPREAD,))


def test_too_few_queries() -> None:
    assert paired_t_test([0.5], [0.4]).reason is Reason.TOO_FEW_QUERIES
    assert paired_t_test([], []).difference is None
    assert randomisation_test([], [], rng=make_rng(1)).reason is Reason.TOO_FEW_QUERIES


@pytest.mark.parametrize("bad", [([1.0], [1.0, 2.0]), ([float("nan")], [1.0])])
def test_scores_that_do_not_pair_are_refused(bad: tuple[list[float], list[float]]) -> None:
    with pytest.raises(ValueError, match=r"same queries|finite"):
        paired_t_test(*bad)


def test_many_differences_are_flipped_at_random() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(0.5, 0.2, 30), rng.normal(0.42, 0.2, 30)
    found = randomisation_test(first, second, rng=make_rng(3), flips=20_000)
    assert not found.exact
    assert found.p is not None
    assert found.p == pytest.approx(stats.ttest_rel(first, second).pvalue, abs=0.02)
    assert found.p == randomisation_test(first, second, rng=make_rng(3), flips=20_000).p


def test_zero_differences_do_not_count_towards_the_exact_limit() -> None:
    first = np.r_[np.zeros(30), [0.3, 0.1, 0.2]]
    found = randomisation_test(first, np.zeros(33), rng=make_rng(4))
    assert found.exact
    assert found.p == 2 / 8


def test_sums_that_tie_but_for_rounding_are_hits() -> None:
    found = randomisation_test([0.1, 0.2, 0.3], [0.0, 0.0, 0.0], rng=make_rng(5))
    shuffled = randomisation_test([0.3, 0.1, 0.2], [0.0, 0.0, 0.0], rng=make_rng(5))
    assert found.p == shuffled.p == 2 / 8
    balanced = randomisation_test([0.1, 0.2, -0.3], [0.0, 0.0, 0.0], rng=make_rng(5))
    assert balanced.p == 1.0


def test_pairs_tested_by_themselves_stand_next_to_those_that_share_patterns() -> None:
    rng = np.random.default_rng(3)
    few, many = np.zeros((40, 3)), rng.random((40, 3))
    few[:3, 1] = 0.5, 0.25, 0.125
    few[:, 2] = rng.random(40)
    pairs = [(0, 1), (0, 2)]
    of_few, of_many = randomisation_tests([few, many], pairs, rng=rng, flips=20_000)
    assert [result.exact for result in (*of_few, *of_many)] == [True, False, False, False]
    (alone,) = randomisation_tests([few], pairs[:1], rng=rng)[0]
    assert of_few[0] == alone == randomisation_test(few[:, 0], few[:, 1], rng=rng)
    assert alone.p == 0.25
    for table, results in ((few, of_few), (many, of_many)):
        for (one, two), result in zip(pairs, results, strict=True):
            single = randomisation_test(table[:, one], table[:, two], rng=rng, flips=20_000)
            assert result.p == pytest.approx(single.p, abs=0.02)
    exact_only, sharing = randomisation_tests([few[:, :2], many], pairs[:1], rng=rng, flips=20_000)
    assert (exact_only, sharing[0].exact) == ([alone], False)


def test_holm_keeps_the_order_given_and_skips_what_was_not_tested() -> None:
    assert holm([0.04, None, 0.01]) == [0.04, None, 0.02]
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]

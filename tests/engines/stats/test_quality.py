"""Figures of one person's answers against brute force: all sequences, each topic left out, each resample refitted."""

from itertools import accumulate, groupby, product
from math import isclose, prod

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from engines.stats.dawid_skene import bootstrap_right, fit
from engines.stats.quality import (
    chance_of_run,
    change_over_topics,
    excess_of_pair,
    longest_run,
    mean_over_topics,
)

RNG = np.random.default_rng(36)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.2, 0.5, 0.3), (0.9, 0.1), (1.0,), (0.6, 0.4, 0.0)])
@pytest.mark.parametrize(("n", "length"), [(1, 1), (3, 5), (6, 2), (7, 4), (7, 7)])
def test_the_chance_of_a_run_is_that_of_all_sequences(shares, n, length):
    sequences = product(range(len(shares)), repeat=n)
    chance = sum(prod(shares[each] for each in one) for one in sequences if longest_run(np.array(one))[0] >= length)
    assert isclose(chance_of_run(shares, n, length), chance, abs_tol=1e-12)


def test_long_series_keep_their_precision():
    assert chance_of_run((0.5, 0.5), 50_000, 200) == pytest.approx(2 * 0.5**200 * (1 + 49_800 / 2), rel=1e-9)
    assert chance_of_run((0.5, 0.5), 100_000, 3) == pytest.approx(1)


@given(st.lists(st.integers(0, 2), max_size=12))
def test_the_longest_run_is_found(values):
    runs = [(len(list(group)), value) for value, group in groupby(values)]
    ends = list(accumulate(length for length, _ in runs))
    starts = [(length, end - length) for (length, _), end in zip(runs, ends, strict=True)]
    expected = max(starts, key=lambda run: (run[0], -run[1]), default=(0, 0))
    assert longest_run(np.array(values)) == expected


def jackknife(figure, topics, *columns):
    """(value, low, high) from leaving out each topic in turn."""
    value = figure(*columns)
    left = np.array([figure(*(each[topics != one] for each in columns)) for one in np.unique(topics)])
    n = len(left)
    half = scipy.stats.t.ppf(0.975, n - 1) * np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum())
    return value, value - half, value + half


def test_means_and_changes_leave_out_whole_topics():
    topics = RNG.integers(0, 12, 300)
    values, after = RNG.random(300), RNG.random(300) < 0.4
    found = mean_over_topics(values, topics)
    assert (found.value, found.low, found.high) == pytest.approx(jackknife(np.mean, topics, values))
    change = change_over_topics(values, topics, after)
    by_hand = jackknife(lambda v, a: v[a].mean() - v[~a].mean(), topics, values, after)
    assert (change.value, change.low, change.high) == pytest.approx(by_hand)


def excess(one, other, others):
    """Agreement minus Cohen's expectation within each level of the others, item by item."""
    expected = 0.0
    for level in np.unique(others):
        inside = others == level
        expected += sum((one[inside] == each).sum() * (other[inside] == each).sum() for each in range(3)) / inside.sum()
    return (one == other).mean() - expected / len(one)


def test_the_excess_of_a_pair_is_that_within_levels_of_the_others():
    topics, others, one = RNG.integers(0, 10, 400), RNG.integers(0, 3, 400), RNG.integers(0, 3, 400)
    other = np.where(RNG.random(400) < 0.5, one, RNG.integers(0, 3, 400))
    found = excess_of_pair(one, other, others, topics, 3)
    assert (found.value, found.low, found.high) == pytest.approx(jackknife(excess, topics, one, other, others))
    apart = excess_of_pair(others, others, others, topics, 3)
    assert apart.value == pytest.approx(0), "who says what all others say has no excess"


def test_nothing_and_few_topics_have_reasons():
    nothing = mean_over_topics(np.zeros(0), np.zeros(0, dtype=np.int64))
    assert (nothing.value, nothing.reason) == (None, "no item can be compared")
    assert excess_of_pair(*[np.zeros(0, dtype=np.int64)] * 4, 3).value is None
    few = mean_over_topics(np.ones(7), np.arange(7))
    assert (few.value, few.low, few.reason) == (1.0, None, "too_few_queries")
    same = mean_over_topics(np.ones(20), np.arange(20))
    assert (same.value, same.low, same.reason) == (1.0, None, "no_variation")
    one_sided = change_over_topics(np.ones(20), np.arange(20), np.ones(20, dtype=bool))
    assert one_sided.value is None


def test_each_resample_of_the_model_is_a_fit_to_its_topics():
    topics = np.repeat(np.arange(8), 10)
    truth = RNG.integers(0, 3, 80)
    positions = np.where(RNG.random((80, 4)) < 0.8, truth[:, None], RNG.integers(0, 3, (80, 4)))
    positions[RNG.random((80, 4)) < 0.2] = -1
    found = bootstrap_right(positions, 3, topics, resamples=3, seed=5)
    draws = np.random.default_rng(5)
    for right in found:
        times = draws.multinomial(8, [1 / 8] * 8)
        rows = np.concatenate([np.flatnonzero(topics == one) for one in range(8) for _ in range(times[one])])
        model = fit(positions[rows], 3)
        diagonal = np.einsum("ajj->aj", model.errors)
        assert right[:, :3] == pytest.approx(diagonal, abs=1e-4)
        assert right[:, 3] == pytest.approx(diagonal @ model.prior, abs=1e-4)


def test_a_level_that_is_true_nowhere_has_no_resample():
    found = bootstrap_right(np.zeros((20, 3), dtype=np.int16), 2, np.arange(20), resamples=2, seed=1)
    assert np.isnan(found[:, :, 1]).all()
    assert (found[:, :, 0] == 1).all()

"""Dawid-Skene beyond the vectors: recovery, patterns, repeated labels, switching, refusals."""

import numpy as np
import pytest

from engines.stats import dawid_skene
from tests.engines.stats.examples import noisy


def crowd(n: int, errors: list[float], seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, size=n, p=[0.5, 0.3, 0.2])
    return truth, np.column_stack([noisy(rng, truth, error) for error in errors])


def test_good_annotators_are_distinguished_from_bad_ones_and_the_truth_is_found() -> None:
    truth, matrix = crowd(3000, [0.05, 0.1, 0.15, 0.4, 0.45])
    found = dawid_skene.fit(matrix, 3)
    assert found.converged
    assert not found.label_switching_suspected
    diagonal = found.errors[:, [0, 1, 2], [0, 1, 2]].mean(axis=1)
    assert list(np.argsort(-diagonal)) == [0, 1, 2, 3, 4]
    assert found.prior == pytest.approx(np.bincount(truth) / 3000, abs=0.03)
    assert np.mean(found.labels == truth) > 0.95


def test_the_order_of_items_and_empty_rows_change_nothing() -> None:
    _, matrix = crowd(200, [0.2, 0.2, 0.3], seed=1)
    matrix[::7, 1] = -1
    base = dawid_skene.fit(matrix, 3)
    order = np.random.default_rng(2).permutation(200)
    shuffled = dawid_skene.fit(np.vstack([matrix[order], np.full((2, 3), -1)]), 3)
    assert shuffled.prior == pytest.approx(base.prior)
    assert shuffled.posterior[:200] == pytest.approx(base.posterior[order])
    assert shuffled.log_likelihood == pytest.approx(base.log_likelihood)
    assert shuffled.labels[200:].tolist() == [-1, -1]
    assert shuffled.posterior[200] == pytest.approx(base.prior)


def test_repeated_labels_of_one_annotator_count() -> None:
    _, matrix = crowd(150, [0.2, 0.2, 0.3], seed=3)
    counts = (matrix[:, :, None] == np.arange(3)).astype(int)
    once, from_positions = dawid_skene.fit_counts(counts), dawid_skene.fit(matrix, 3)
    assert once.posterior == pytest.approx(from_positions.posterior)
    twice = counts.copy()
    twice[:, 0] *= 2
    assert dawid_skene.fit_counts(twice).log_likelihood < once.log_likelihood


def test_smoothing_keeps_error_rates_off_the_edge() -> None:
    matrix = np.array([[0, 0], [1, 1], [0, 0], [1, 1]])
    assert dawid_skene.fit(matrix, 2).errors.min() == 0
    assert dawid_skene.fit(matrix, 2, smoothing=1.0).errors.min() > 0


def test_a_level_never_true_has_uniform_error_rates_and_no_alarm() -> None:
    found = dawid_skene.fit(np.array([[0, 0], [0, 0], [1, 1]]), 3)
    assert found.errors[:, 2] == pytest.approx(np.full((2, 3), 1 / 3))
    assert not found.label_switching_suspected


def test_classes_that_look_swapped_raise_the_flag() -> None:
    prior, responses = np.array([0.5, 0.5]), np.ones((1, 1, 2))
    swapped, straight = np.array([[[0.1, 0.9], [0.2, 0.8]]]), np.array([[[0.9, 0.1], [0.2, 0.8]]])
    assert dawid_skene._switched(prior, swapped, responses)
    assert not dawid_skene._switched(prior, straight, responses)
    assert not dawid_skene._switched(np.array([0.0, 1.0]), swapped, responses)  # the bad level is never true


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="no item has a label"):
        dawid_skene.fit(np.full((3, 2), -1), 2)
    with pytest.raises(ValueError, match="smoothing"):
        dawid_skene.fit(np.zeros((3, 2), dtype=int), 2, smoothing=-1)

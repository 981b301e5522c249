"""Dawid & Skene's (1979) model of annotators with error rates, as a second opinion on the vote; never the default.

EM over distinct response patterns, so its cost does not grow with the number of items.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engines.stats.cells import reduce_rows
from engines.stats.labels import MISSING, Positions
from engines.stats.results import BoolArray, FloatArray, IntArray

FLOOR = 1e-300
DUST = 1e-200  # weight from the floor alone: no data
UNUSED = 1e-6  # share of a level that is true nowhere
CERTAIN = 0.6
MAX_ROUNDS = 1000
GAIN = 1e-8


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model for n items, m annotators and K levels.

    prior (K,); errors (m, K, K): errors[a, j, l] is the chance that annotator a says l when the truth is j;
    posterior (n, K), rows of NaN-free shares; labels (n,) the most probable level if its posterior is at least 0.6,
    else -1. `label_switching_suspected` when, over annotators, the mean chance of saying a level that is true is
    below 1/K for some level: the classes may have swapped places.
    """

    prior: FloatArray
    errors: FloatArray
    posterior: FloatArray
    labels: Positions
    log_likelihood: float
    rounds: int
    converged: bool
    label_switching_suspected: bool


def fit(positions: NDArray[np.integer], levels: int, *, smoothing: float = 0.0) -> DawidSkene:
    """Fit to (n, m) positions, -1 missing. Items without labels get the prior as their posterior."""
    cells = reduce_rows(positions, levels + 1)
    responses = (cells.patterns[:, :, None] == np.arange(levels)).astype(np.float64)
    return _fit(responses, cells.counts, cells.inverse, smoothing)


def fit_counts(responses: NDArray[np.integer], *, smoothing: float = 0.0) -> DawidSkene:
    """Fit to (n, m, K) counts, where an annotator may have labelled an item several times."""
    n, annotators, levels = responses.shape
    flat = responses.reshape(n, annotators * levels)
    cells = reduce_rows(flat, int(flat.max(initial=0)) + 2)
    patterns = cells.patterns.reshape(cells.n_cells, annotators, levels).astype(np.float64)
    return _fit(patterns, cells.counts, cells.inverse, smoothing)


def _fit(responses: FloatArray, counts: FloatArray, inverse: IntArray, smoothing: float) -> DawidSkene:
    votes = responses.sum(axis=1)
    labelled: BoolArray = np.asarray(votes.sum(axis=1) > 0)
    if not labelled.any():
        raise ValueError("no item has a label")
    if smoothing < 0:
        raise ValueError("smoothing cannot be negative")
    kept, weight = responses[labelled], counts[labelled]
    belief = votes[labelled] / votes[labelled].sum(axis=1, keepdims=True)
    before, rounds, converged = -np.inf, 0, False
    while not converged and rounds < MAX_ROUNDS:
        rounds += 1
        prior, errors = _maximise(belief, kept, weight, smoothing)
        belief, likelihood = _expect(prior, errors, kept, weight)
        if likelihood < before - 1e-9 * max(1.0, abs(before)) and not smoothing:
            raise ArithmeticError("the log-likelihood fell: the model or its data are broken")
        converged = (likelihood - before) / weight.sum() < GAIN
        before = likelihood
    posterior = np.tile(prior, (len(counts), 1))
    posterior[labelled] = belief
    label = np.where((posterior.max(axis=1) >= CERTAIN) & labelled, posterior.argmax(axis=1), MISSING)
    return DawidSkene(
        prior=prior,
        errors=errors,
        posterior=posterior[inverse],
        labels=label[inverse].astype(np.int16),
        log_likelihood=float(before),
        rounds=rounds,
        converged=bool(converged),
        label_switching_suspected=_switched(prior, errors, kept),
    )


def _maximise(
    belief: FloatArray, responses: FloatArray, weight: FloatArray, smoothing: float
) -> tuple[FloatArray, FloatArray]:
    """Prior (K,) and error rates (m, K, K) from beliefs (G, K) about patterns (G, m, K) seen `weight` times."""
    weighted = belief * weight[:, None]
    prior = weighted.sum(axis=0) / weight.sum()
    said = np.einsum("gj,gal->ajl", weighted, responses) + smoothing
    total = said.sum(axis=2, keepdims=True)
    uniform = np.full(said.shape, 1 / said.shape[2])
    return prior, np.divide(said, total, out=uniform, where=total > DUST)


def _expect(
    prior: FloatArray, errors: FloatArray, responses: FloatArray, weight: FloatArray
) -> tuple[FloatArray, float]:
    """Beliefs (G, K) and the log-likelihood, in the log domain."""
    logs = np.log(np.maximum(errors, FLOOR))
    joint = np.log(np.maximum(prior, FLOOR)) + np.einsum("gal,ajl->gj", responses, logs)
    peak = joint.max(axis=1, keepdims=True)
    mass = np.exp(joint - peak)
    total = mass.sum(axis=1, keepdims=True)
    return mass / total, float(weight @ (peak + np.log(total))[:, 0])


def _switched(prior: FloatArray, errors: FloatArray, responses: FloatArray) -> bool:
    """Whether annotators, on average, name a level that is in use less often than a guess would."""
    active, in_use = responses.sum(axis=(0, 2)) > 0, prior > DUST
    diagonal = np.einsum("ajj->aj", errors[active]).mean(axis=0)
    return bool((diagonal[in_use] < 1 / errors.shape[2]).any())


def bootstrap_right(
    positions: NDArray[np.integer], levels: int, topics: IntArray, *, resamples: int, seed: int
) -> FloatArray:
    """The chance of saying a level that is true, by level and of all items: (resamples, m, K + 1).

    Whole topics (n,) are drawn with replacement (Field & Welsh 2007; `default_rng(seed)`). NaN for a level that is true
    nowhere in a resample.
    """
    cells = reduce_rows(positions, levels + 1)
    responses = (cells.patterns[:, :, None] == np.arange(levels)).astype(np.float64)
    known, place = np.unique(topics, return_inverse=True)
    by_topic = np.zeros((len(known), cells.n_cells))
    np.add.at(by_topic, (place.reshape(-1), cells.inverse), 1)
    rng = np.random.default_rng(seed)
    found = np.full((resamples, positions.shape[1], levels + 1), np.nan)
    for number in range(resamples):
        weight = rng.multinomial(len(known), np.full(len(known), 1 / len(known))) @ by_topic
        drawn = weight > 0
        if responses[drawn].any():
            model = _fit(responses[drawn], weight[drawn], np.arange(int(drawn.sum())), 0.0)
            right = np.einsum("ajj->aj", model.errors)
            found[number, :, :-1] = np.where(model.prior > UNUSED, right, np.nan)
            found[number, :, -1] = right @ model.prior
    return found

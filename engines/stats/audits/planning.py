"""Which pairs people are to label: strata, how many of each, and how many a wished width takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from engines.stats.audits.estimates import LEVEL, fit
from engines.stats.audits.sample import LEAST, Sample, Target
from engines.stats.reasons import Reason
from engines.stats.results import FloatArray, IntArray, JsonFields


def make_strata(machine: IntArray, disagreement: FloatArray, topic: IntArray, n_labels: int) -> IntArray:
    """(M,) the stratum of each pair for a sample of `n_labels`: by the machine's level, then disagreement, then topic.

    As many levels are strata as have 30 labels each: the rarest joins its rarer neighbour. The
    pairs of a level, by the committee's disagreement and by topic, are cut into equal parts with 30 labels or more each
    in a proportional sample.
    """
    level = np.unique(machine, return_inverse=True)[1]
    while len(counts := np.bincount(level)) > max(1, n_labels // LEAST):
        at = int(counts.argmin())
        left = at > 0 and (at + 1 == len(counts) or counts[at - 1] <= counts[at + 1])
        level[level >= at + (not left)] -= 1
    order = np.lexsort((topic, disagreement, level))
    cuts = np.maximum(1, n_labels * counts / len(machine) // LEAST).astype(np.int64)
    of_level, within = level[order], np.arange(len(machine)) - np.repeat(np.cumsum(counts) - counts, counts)
    strata = np.zeros(len(machine), dtype=np.int64)
    strata[order] = (np.cumsum(cuts) - cuts)[of_level] + within * cuts[of_level] // counts[of_level]
    return strata


def allocate(
    n_labels: int, sizes: IntArray, spread: FloatArray | None = None, least: IntArray | None = None
) -> IntArray:
    """(H,) labels of each stratum: proportional to its pairs, or by Neyman (1934) to pairs times `spread` (H,).

    Each gets `least` (H,), which is 30 or all of its pairs. They add up to `n_labels`, or to more where these are more.
    """
    least = np.minimum(sizes, LEAST) if least is None else least
    wish = sizes * (
        np.ones(len(sizes)) if spread is None or not spread.any() else np.maximum(spread / spread.max(), 1e-9)
    )
    target = min(max(n_labels, int(least.sum())), int(sizes.sum()))
    low, high = 0.0, float((sizes / wish).max())
    # Bisection: the clipped wishes grow with the factor. It ends where no number lies between low and high.
    while low < (factor := (low + high) / 2) < high:
        low, high = (factor, high) if np.clip(wish * factor, least, sizes).sum() < target else (low, factor)
    given = np.clip(wish * high, least, sizes)
    whole = np.floor(given + 1e-9).astype(np.int64)
    room = np.flatnonzero(whole < sizes)
    first = room[np.argsort(whole[room] - given[room], kind="stable")][: target - int(whole.sum())]
    whole[first] += 1
    return whole


def draw(stratum: IntArray, labels: IntArray, rng: np.random.Generator) -> IntArray:
    """Places of the pairs to label, in the order to do so: `labels` (H,) of each stratum (M,), without replacement.

    The order is random over all strata, so that the labels of the first pairs are a random sample too.
    """
    order = rng.permutation(len(stratum))
    order = order[np.argsort(stratum[order], kind="stable")]
    sizes = np.bincount(stratum, minlength=len(labels))
    within = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return rng.permutation(order[within < np.repeat(labels, sizes)])


def spread_of(sample: Sample, target: Target) -> FloatArray | Reason:
    """(H,) the standard deviation of y - λ f in each stratum by a pilot, times √(share of its pairs concerned).

    Strata with few labels have that of the part that they were merged into.
    """
    fitted = fit(sample, target)
    if isinstance(fitted, Reason):
        return fitted
    room = fitted.parts.room
    variance = np.divide(fitted.variance, room, out=np.zeros_like(room), where=room > 0)
    of_stratum = np.where(fitted.parts.merged < 0, 0, np.sqrt(variance)[fitted.parts.merged])
    return np.asarray(of_stratum * np.sqrt(target.sizes / np.maximum(target.population.sizes, 1)))


def assumed_spread(target: Target, error_rate: float) -> FloatArray:
    """(H,) the spread without a pilot, if the machine misses this share of the pairs by the whole range of gains.

    Errors: ValueError unless the share lies between 0 and 1.
    """
    if not 0 < error_rate < 1:
        raise ValueError("the assumed share of errors lies between 0 and 1")
    population = target.population
    squares = np.bincount(population.stratum, target.weights**2, len(population.sizes)) / np.maximum(
        population.sizes, 1
    )
    return np.asarray(np.sqrt(squares * error_rate * (1 - error_rate)) * np.ptp(target.gains))


@dataclass(frozen=True)
class Plan(JsonFields):
    """The labels that a wished half-width takes: in all, of each stratum, and the half-width that they should give.

    `is_all` where these are all pairs.
    """

    n_labels: int
    of_strata: tuple[int, ...]
    half_width: float
    is_all: bool


def plan(target: Target, spread: FloatArray, half_width: float, sample: Sample | None = None) -> Plan:
    """The fewest labels for an interval of ± `half_width` by Neyman's allocation; `spread` (H,) as above.

    Strata that people have labelled whole in a `sample` count with all of their labels. Errors: ValueError unless the
    half-width is above 0.
    """
    if not half_width > 0:
        raise ValueError("half width must be above 0")
    sizes = target.population.sizes
    least = np.minimum(sizes, LEAST)
    if sample is not None:
        least = np.where(sample.drawn(target.population) == sizes, sizes, least)
    low, high = int(least.sum()), int(sizes.sum())
    while low < high:
        middle = (low + high) // 2
        enough = expected_half_width(sizes, allocate(middle, sizes, spread, least), spread) <= half_width
        low, high = (low, middle) if enough else (middle + 1, high)
    labels = allocate(low, sizes, spread, least)
    width = expected_half_width(sizes, labels, spread)
    return Plan(low, tuple(labels.tolist()), width, low == int(sizes.sum()))


def expected_half_width(sizes: IntArray, labels: IntArray, spread: FloatArray) -> float:
    """The half-width that so many labels of each stratum should give, (H,) each."""
    variance = sizes * (sizes / np.maximum(labels, 1) - 1) * spread**2
    total, below = float(variance.sum()), float((variance**2 / np.maximum(labels - 1, 1)).sum())
    return float(scipy.special.stdtrit(total**2 / below, (1 + LEVEL) / 2)) * math.sqrt(total) if below else 0.0

"""What an audit rests on: pairs that a machine labelled, a figure of them, and a sample of them labelled by people."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from engines.stats.intervals import Bounds
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, FloatArray, IntArray

LEAST = 30  # labels of a stratum; with fewer, its neighbour is merged with it


def _sums(places: IntArray, values: FloatArray, length: int) -> FloatArray:
    return np.asarray(np.bincount(places, values, length), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Population:
    """The M pairs that figures are about: the machine's position on a scale of K levels, topic and stratum, (M,) each
    from 0; `values` (K,) are the grades of the levels.

    Pairs that people have labelled anyway form one stratum, all of it in the sample: they add no uncertainty.
    """

    machine: IntArray
    topic: IntArray
    stratum: IntArray
    values: FloatArray

    def __len__(self) -> int:
        return len(self.machine)

    @cached_property
    def sizes(self) -> IntArray:
        """(H,) pairs of each stratum."""
        return np.bincount(self.stratum)

    @cached_property
    def n_topics(self) -> int:
        """Topics, by which a mean over topics divides."""
        return int(self.topic.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False)
class Target:
    """A figure in the range `limits`: the sum over pairs of weights (M,) times the gain of a pair's level, gains (K,).

    Pairs of weight 0 do not concern it. `by_topic` says that it is a mean over topics, not over pairs.
    """

    population: Population
    name: str
    weights: FloatArray
    gains: FloatArray
    limits: Bounds
    by_topic: bool = False

    def minus(self, other: Target) -> Target:
        """The difference of two figures with the same gains: what both share cancels."""
        width, weights = self.limits[1] - self.limits[0], self.weights - other.weights
        return replace(self, name=f"{self.name} - {other.name}", weights=weights, limits=(-width, width))

    @cached_property
    def sizes(self) -> FloatArray:
        """(H,) the pairs of each stratum that it concerns."""
        return self._by_stratum((self.weights != 0).astype(np.float64))

    @cached_property
    def by_machine(self) -> FloatArray:
        """(H,) its sum over each stratum by the labels of the machine."""
        return self._by_stratum(self.weights * self.gains[self.population.machine])

    def _by_stratum(self, values: FloatArray) -> FloatArray:
        return _sums(self.population.stratum, values, len(self.population.sizes))


@dataclass(frozen=True, eq=False)
class Sample:
    """The n pairs that people labelled: their places among the M, `pair` (n,), and scale positions, `human` (n,).

    They were drawn without replacement in each stratum, or with the probabilities (n,) given. Drawn pairs that have no
    label yet are absent, as if missing at random in their stratum. `is_random` is False where pairs were chosen, as by
    uncertainty or by holes of runs: no figure can be estimated from them.
    """

    pair: IntArray
    human: IntArray
    probability: FloatArray | None = None
    is_random: bool = True

    def __len__(self) -> int:
        return len(self.pair)

    @property
    def is_usable(self) -> bool:
        """Whether the probability of each pair to be in the sample is known and positive."""
        return self.is_random and (self.probability is None or bool((self.probability > 0).all()))

    def drawn(self, population: Population) -> IntArray:
        """(H,) labels of each stratum."""
        return np.bincount(population.stratum[self.pair], minlength=len(population.sizes))


@dataclass(frozen=True, eq=False)
class Parts:
    """The pairs that a target concerns in G parts: strata, those with few labels merged.

    merged (H,) is the part of a stratum, -1 for none; sizes (G,) and labels (G,) count pairs and labels. used (n',) are
    places of labels in the sample, part (n',) their parts, stands_for (n',) how many pairs of it a label stands for.
    """

    merged: IntArray
    sizes: FloatArray
    labels: FloatArray
    used: IntArray
    part: IntArray
    stands_for: FloatArray

    def mean(self, values: FloatArray) -> FloatArray:
        """(G,) means over pairs, estimated from values (n',) of labels."""
        return _sums(self.part, self.stands_for * values, len(self.sizes)) / self.sizes

    def total(self, values: FloatArray) -> FloatArray:
        """(G,) sums over pairs of values (H,) of strata."""
        return _sums(self.merged[self.merged >= 0], values[self.merged >= 0], len(self.sizes))

    @property
    def room(self) -> FloatArray:
        """(G,) N² (1/n - 1/N): the variance of a sum over that of one pair."""
        return np.maximum(self.sizes**2 / self.labels - self.sizes, 0)

    def squares(self, values: FloatArray) -> FloatArray:
        """(G,) sums of squares of what labels (n',) add to a sum, each with its factor 1 - n/N."""
        factor = np.maximum(1 - 1 / self.stands_for, 0)
        return _sums(self.part, factor * (self.stands_for * values) ** 2, len(self.sizes))


def parts_of(sample: Sample, target: Target, least: float = LEAST) -> Parts | Reason:
    """The parts of the pairs that a target concerns, with `least` labels each, or why it cannot be estimated.

    A label weighs the inverse of its probability, scaled so that those of a part stand for all its pairs (Hájek 1971).
    """
    if not sample.is_usable:
        return Reason.NOT_A_RANDOM_SAMPLE
    population, drawn = target.population, sample.drawn(target.population)
    used = np.flatnonzero(target.weights[sample.pair])
    stratum = population.stratum[sample.pair[used]]
    merged = _merge(target.sizes, np.bincount(stratum, minlength=len(drawn)), drawn == population.sizes, least)
    groups = int(merged.max(initial=-1)) + 1
    part, inside = merged[stratum], merged >= 0
    sizes, labels = _sums(merged[inside], target.sizes[inside], groups), _sums(part, np.ones(len(part)), groups)
    if not groups or not labels.all():
        return Reason.TOO_FEW_LABELS if groups else Reason.NO_DIFFERENCE
    weight = population.sizes[stratum] / drawn[stratum] if sample.probability is None else 1 / sample.probability[used]
    return Parts(merged, sizes, labels, used, part, weight * (sizes / _sums(part, weight, groups))[part])


def _merge(sizes: FloatArray, labels: IntArray, is_known: BoolArray, least: float) -> IntArray:
    """(H,) the part of each stratum: neighbours are merged until each part has enough labels, but for those known."""
    merged, groups, gathered = np.full(len(sizes), -1), 0, 0
    for stratum in np.flatnonzero((sizes > 0) & ~is_known):
        merged[stratum], gathered = groups, gathered + labels[stratum]
        if gathered >= least:
            groups, gathered = groups + 1, 0
    if groups:
        merged[merged == groups] = groups - 1  # what is left over has too few
    known = np.flatnonzero((sizes > 0) & is_known)
    merged[known] = merged.max(initial=-1) + 1 + np.arange(len(known))
    return merged

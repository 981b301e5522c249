"""The figures that an audit estimates: shares of grades, the mean grade, and measures of runs that add up pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engines.stats.audits.estimates import SHARE
from engines.stats.audits.sample import Population, Target
from engines.stats.gain_measures import GAINS, log2_discount
from engines.stats.measures import parse_measure
from engines.stats.results import BoolArray, FloatArray, IntArray


def share_of_levels(population: Population, least: int, most: int | None = None) -> Target:
    """The share of pairs with a level, a position on the scale, from `least` to `most` (None: to the highest)."""
    levels = np.arange(len(population.values))
    inside = (levels >= least) & (levels <= (len(levels) if most is None else most))
    return mean_of(population, "", inside.astype(np.float64))


def mean_of(population: Population, name: str, gains: FloatArray, among: BoolArray | None = None) -> Target:
    """The mean of gains (K,) over all pairs, or `among` (M,) some."""
    counted = np.ones(len(population)) if among is None else among.astype(np.float64)
    return Target(population, name, counted / max(1, counted.sum()), gains, (float(gains.min()), float(gains.max())))


@dataclass(frozen=True, eq=False)
class Ranks:
    """Where a run ranks pairs: their places among the M, `pair` (R,), and ranks from 1. Others it does not rank."""

    run: str
    pair: IntArray
    rank: IntArray


@dataclass(frozen=True)
class LinearMeasure:
    """P@k or DCG@k, which add up what pairs contribute; nDCG@k before it is divided by the ideal."""

    name: str
    kind: str
    cut: int
    relevance: float
    gain: str

    def gains(self, values: FloatArray) -> FloatArray:
        """(K,) what a document of each level adds before the discount."""
        return (values >= self.relevance).astype(np.float64) if self.kind == "P" else GAINS[self.gain](values)

    def discounts(self, ranks: IntArray) -> FloatArray:
        """(R,) by what each rank multiplies it: 0 after the cut."""
        at = np.full(len(ranks), 1 / self.cut) if self.kind == "P" else log2_discount(ranks)
        return np.asarray(np.where(ranks <= self.cut, at, 0.0))

    def target(self, population: Population, ranks: Ranks) -> Target:
        """The measure of a run as a mean over topics."""
        weights, gains = np.zeros(len(population)), self.gains(population.values)
        weights[ranks.pair] = self.discounts(ranks.rank) / population.n_topics
        most = float(weights.sum() * gains.max())  # several pairs may be of one document: its aspects
        return Target(population, ranks.run, weights, gains, SHARE if self.kind == "P" else (0.0, most), by_topic=True)


def linear_measure(text: str, relevance: float = 1.0) -> LinearMeasure:
    """The measure of a name such as P@5, P(rel=2)@10, DCG@10 or nDCG(dcg='exp-log2')@10.

    `relevance` is the least relevant grade where the name has none. Errors: ValueError for other measures, and where no
    rank is named.
    """
    is_dcg = text.strip().casefold().startswith("dcg")
    measure = parse_measure(f"n{text.strip()}" if is_dcg else text)
    kind, options = measure.definition.name, {**measure.definition.parameters, **dict(measure.options)}
    if kind not in ("P", "nDCG") or measure.rank is None or options["judged_only"]:
        raise ValueError(f"an audit estimates P@k, DCG@k and nDCG@k of whole rankings, not {text!r}")
    name = measure.name.removeprefix("n" if is_dcg else "")
    least = relevance if options.get("rel") is None else float(options["rel"])
    return LinearMeasure(name, "DCG" if is_dcg else kind, measure.rank, least, str(options.get("dcg")))

"""A collection whose truth is known: a machine that errs to one side, more so in some topics, and two runs."""

import numpy as np

from engines.stats.audits.planning import allocate, draw, make_strata
from engines.stats.audits.sample import Population, Sample
from engines.stats.audits.targets import Ranks, linear_measure, mean_of, share_of_levels

TOPICS, PER_TOPIC = 30, 100
VALUES = np.arange(4.0)


class World:
    """3,000 pairs of 30 topics on a scale of four levels. Run "kin" likes what the machine likes."""

    def __init__(self, seed: int = 37) -> None:
        rng = np.random.default_rng(seed)
        self.topic = np.repeat(np.arange(TOPICS), PER_TOPIC)
        merit = rng.normal(size=len(self.topic)) + rng.normal(0, 0.4, TOPICS)[self.topic]
        self.people = np.digitize(merit, [0.3, 1.0, 1.7])
        lenience = rng.normal(0.35, 0.5, TOPICS)[self.topic]
        taste = rng.normal(0, 0.7, len(merit))
        self.machine = np.digitize(merit + lenience + taste, [0.3, 1.0, 1.7])
        self.runs = (
            self._ranks("plain", merit + rng.normal(0, 1.0, len(merit))),
            self._ranks("kin", merit + 0.8 * taste + rng.normal(0, 1.3, len(merit))),
        )

    def _ranks(self, name, scores) -> Ranks:
        order = np.lexsort((-scores, self.topic))
        return Ranks(name, order, np.tile(np.arange(1, PER_TOPIC + 1), TOPICS))

    def population(self, stratum=None) -> Population:
        stratum = np.zeros(len(self.topic), dtype=int) if stratum is None else stratum
        return Population(self.machine, self.topic, stratum, VALUES)

    def strata(self, n: int):
        return make_strata(self.machine, np.abs(self.topic % 3 - 1), self.topic, n)

    def sample(self, population, n: int, rng, spread=None) -> Sample:
        pair = draw(population.stratum, allocate(n, population.sizes, spread), rng)
        return Sample(pair, self.people[pair])

    def targets(self, population) -> dict:
        found = {"share of 2 and 3": share_of_levels(population, 2), "share of 3": share_of_levels(population, 3, 3)}
        found["mean grade"] = mean_of(population, "mean grade", VALUES)
        for name in ("P(rel=2)@10", "DCG@10"):
            plain, kin = (linear_measure(name).target(population, run) for run in self.runs)
            found |= {name: plain, f"{name} difference": plain.minus(kin)}
        return found

    def truth(self, target) -> float:
        return float(target.weights @ target.gains[self.people])

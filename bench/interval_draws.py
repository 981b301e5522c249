"""Simulated labels and scores whose true figures are known, and every way of making an interval asked of each draw.

`python -m bench.intervals` runs them and writes the document.
"""

import json
import time
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engines.stats.blocks import plan
from engines.stats.bootstrap import Design as Units
from engines.stats.bootstrap import Resampled, TopicDesign, make_rng, resample
from engines.stats.group_analysis import analyse_group, groups
from engines.stats.intervals import METHODS, Request, Sample, make_interval
from engines.stats.labels import Annotator, Kind, Labels, make_labels
from engines.stats.pair_analysis import analyse_pairs
from engines.stats.results import FloatArray, IntArray

CHECKOUT = Path(__file__).resolve().parents[1]
RESULTS = CHECKOUT / "docs" / "performance" / "intervals.json"
DRAWS, RESAMPLES, LEVEL, EQUIVALENCE_LEVEL = 2_000, 1_000, 0.95, 0.90
PAIRED = ("accuracy", "macro_f1", "spearman", "cohen_kappa_quadratic")
GROUPED = ("alpha_ordinal", "fleiss_kappa", "gwet_ac1")
PEOPLE = [Annotator(f"H{place}") for place in (1, 2, 3)]
RUNS = [Annotator(f"G{place}", Kind.MACHINE, "model", str(place)) for place in (1, 2)]
ITEMS_IN_POPULATION, TOPICS_IN_POPULATION = 100_000, 20_000
Run = Callable[[Units, Callable[[FloatArray], FloatArray]], Resampled]
Counts = dict[str, dict[str, dict[str, float]]]  # figure: method: how often
Draw = Callable[[np.random.Generator], dict[str, Sample]]


@dataclass(frozen=True)
class Experts:
    """How labels 0-2 come about: how often people err, how the machine differs, and what a topic shares.

    error      a person's chance to be a level off; the third person's is `uneven` more
    machine    the same of the machine; its second run repeats the first but for 3 in 100
    bias       how much of the machine's errors go up instead of either way
    topic      the spread of what a topic shares: its levels, its difficulty, and each annotator's reading of it
    """

    error: float = 0.25
    machine: float = 0.25
    bias: float = 0.0
    uneven: float = 0.0
    topic: float = 0.0


EXPERTS = {
    "exchangeable": Experts(),
    "other-margins": Experts(machine=0.3, bias=0.8),
    "unequal-people": Experts(uneven=0.2),
    "high-agreement": Experts(error=0.03, machine=0.06),
}


@dataclass(frozen=True)
class Design:
    """What is drawn: `units` items, topics of `size` items each, or topics with one score of a run each."""

    kind: str
    population: str
    units: int
    size: int = 1
    topic: float = 0.0

    @property
    def name(self) -> str:
        extent = f"{self.units}x{self.size}" if self.kind == "topics" else str(self.units)
        return "-".join((self.kind, extent, self.population, *(["no-effect"] if self._is_flat else [])))

    @property
    def words(self) -> str:
        """The design as the document names it."""
        extent = f"{self.units:,} × {self.size}" if self.kind == "topics" else f"{self.units:,}"
        return f"{extent}, {self.population}" + (", no-effect" if self._is_flat else "")

    @property
    def _is_flat(self) -> bool:
        return self.kind == "topics" and not self.topic

    @property
    def unit(self) -> str:
        return "item" if self.kind == "items" else "topic"


ITEMS = [Design("items", name, n) for name in EXPERTS for n in (20, 50, 90, 100, 250, 1_000, 4_000)]
TOPICS = [
    *(
        Design("topics", name, topics, size, 0.8)
        for name in ("exchangeable", "other-margins", "high-agreement")
        for topics, size in ((10, 25), (20, 12), (50, 5), (100, 20), (200, 5), (500, 5))
    ),
    *(Design("topics", "exchangeable", topics, size) for topics, size in ((50, 5), (100, 2))),
]
# Scores of a run over topics, as measures give them: the ends of the range are often reached.
SCORES: dict[str, Callable[[np.random.Generator, int], FloatArray]] = {
    "nDCG": lambda rng, n: np.where(rng.random(n) < 0.08, 0.0, rng.beta(2.0, 1.8, n)),
    "AP-low": lambda rng, n: rng.beta(0.5, 3.0, n),
    "RR": lambda rng, n: 1 / np.minimum(rng.geometric(0.55, n), 10),
    "R@5-80%": lambda rng, n: (rng.random(n) < 0.80).astype(np.float64),
    "R@5-95%": lambda rng, n: (rng.random(n) < 0.95).astype(np.float64),
    "difference": lambda rng, n: np.where(rng.random(n) < 0.5, 0.0, 0.03 + rng.laplace(0.0, 0.12, n)),
}
MEANS = [Design("means", "scores", n) for n in (8, 20, 50, 100, 250, 600, 2_000)]
DESIGNS = {design.name: design for design in (*ITEMS, *TOPICS, *MEANS)}


def population(design: Design) -> Labels:
    """All items there are, for three people and two runs of a machine; topics of equal size where there are any."""
    experts = replace(EXPERTS[design.population], topic=design.topic)
    rng = make_rng(zlib.crc32(f"{design.population} {design.topic} {design.size}".encode()))
    topics = TOPICS_IN_POPULATION if design.kind == "topics" else ITEMS_IN_POPULATION
    n = topics * design.size
    own = np.repeat(np.arange(topics), design.size)

    def shared(spread: float) -> FloatArray:
        return (spread * rng.standard_normal(topics))[own] if spread else np.zeros(n)

    level = shared(experts.topic) + rng.standard_normal(n)
    truth = np.digitize(level, (-0.1, 1.0))
    hardness = shared(experts.topic)

    def labelled(error: float, bias: float) -> IntArray:
        odds = np.log(error / (1 - error)) + hardness + shared(experts.topic)
        moved = truth + np.where(rng.random(n) < (1 + bias) / 2, 1, -1)
        return np.where(rng.random(n) < 1 / (1 + np.exp(-odds)), np.clip(moved, 0, 2), truth)

    people = [labelled(experts.error + (experts.uneven if place == 2 else 0), 0.0) for place in range(3)]
    machine = labelled(experts.machine, experts.bias)
    again = np.where(rng.random(n) < 0.03, rng.integers(0, 3, n), machine)
    return make_labels(np.column_stack([*people, machine, again]), (0, 1, 2), [*PEOPLE, *RUNS], topics=own)


def figures(labels: Labels, topics: IntArray | None, run: Run) -> dict[str, Sample]:
    """{figure: its sample}: agreement of people, the difference of people and machine, coefficients of people."""
    whole = plan(labels, with_pairs=False, compared=("model",))
    rows = tuple(row for row in whole.rows if row.block in ("HH", "HH-GH"))
    analysis = analyse_pairs(replace(whole, rows=rows), tuple("abcde"), topics, min_common=10)
    found = {
        f"{one.target.statistic} {'D' if one.target.minus else 'HH'}": one.sample
        for one in analysis.measure(analysis.targets(PAIRED), run)
    }
    people = next(group for group in groups(labels) if group.block == "HH")
    found |= {f"{one.statistic} HH": one.sample for one in analyse_group(labels, people, GROUPED, topics, run)}
    return {name: sample for name, sample in found.items() if sample is not None}


def only_point(units: Units, statistic: Callable[[FloatArray], FloatArray]) -> Resampled:
    """The figures of a population: nothing is resampled."""
    point = statistic(units.total[:, None])[:, 0]
    empty = np.zeros((len(point), 0))
    return Resampled(point, empty, empty, np.zeros(0))


def drawer(resamples: int, seed: int) -> Run:
    return lambda units, statistic: resample(units, statistic, resamples=resamples, rng=make_rng(seed))


def of_labels(design: Design, resamples: int) -> tuple[dict[str, float], Draw]:
    """The true figures of a population of labels, and how one data set is drawn from it."""
    whole = population(design)
    items = whole.positions.reshape(-1, design.size, len(whole.annotators))
    topics = np.repeat(np.arange(design.units), design.size) if design.kind == "topics" else None

    def draw(rng: np.random.Generator) -> dict[str, Sample]:
        taken = items[rng.integers(0, len(items), design.units)].reshape(-1, len(whole.annotators))
        labels = make_labels(taken, whole.scale, whole.annotators, topics=topics)
        return figures(labels, labels.topics, drawer(resamples, int(rng.integers(0, 2**32))))

    return {name: sample.point for name, sample in figures(whole, None, only_point).items()}, draw


def of_scores(design: Design, resamples: int) -> tuple[dict[str, float], Draw]:
    """The true means of populations of scores, and how the scores of some topics are drawn."""
    rng = make_rng(design.units)
    scores = np.column_stack([make(rng, ITEMS_IN_POPULATION) for make in SCORES.values()])

    def draw(rng: np.random.Generator) -> dict[str, Sample]:
        taken = scores[rng.integers(0, len(scores), design.units)]
        seed = int(rng.integers(0, 2**32))
        found = drawer(resamples, seed)(TopicDesign.of(np.column_stack([taken, np.ones(len(taken))])), _mean)
        limits = {name: (-1.0, 1.0) if name == "difference" else (0.0, 1.0) for name in SCORES}
        return {name: found.sample(place, design.units, limits[name]) for place, name in enumerate(SCORES)}

    return dict(zip(SCORES, scores.mean(axis=0).tolist(), strict=True)), draw


def _mean(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[:-1] / sums[-1])


def simulate(
    design: Design, draws: int = DRAWS, resamples: int = RESAMPLES, methods: Iterable[str] = METHODS
) -> dict[str, Any]:
    """{figure: {method: counts}} over `draws` data sets.

    Counts: `covered`, and the truth `below` or `above` the 95 % interval; `tost_high` and `tost_low`, where the end of
    the 90 % interval lies on the wrong side of the truth, which is how equivalence is claimed wrongly; `none`, where
    there is no interval; and the mean `width`.
    """
    started = time.process_time()
    truth, draw = (of_scores if design.kind == "means" else of_labels)(design, resamples)
    rng = make_rng(zlib.crc32(design.name.encode()))
    names = ("covered", "below", "above", "tost_high", "tost_low", "none", "width")
    found: Counts = {figure: {method: dict.fromkeys(names, 0) for method in methods} for figure in truth}
    for _ in range(draws):
        samples = draw(rng)
        for figure, of_method in found.items():
            for method, counts in of_method.items():
                _count(counts, samples.get(figure), truth[figure], Request(method, design.unit, LEVEL, resamples, 1))
    for of_method in found.values():
        for counts in of_method.values():
            counts["width"] = round(counts["width"] / max(1, draws - counts["none"]), 5)
    seconds = round(time.process_time() - started, 1)
    return {"draws": draws, "resamples": resamples, "truth": truth, "figures": found, "cpu_seconds": seconds}


def _count(counts: dict[str, float], sample: Sample | None, truth: float, request: Request) -> None:
    ci = make_interval(sample, request).ci if sample else None
    shorter = make_interval(sample, replace(request, level=EQUIVALENCE_LEVEL)).ci if sample else None
    if ci is None or shorter is None:
        counts["none"] += 1
        return
    counts["below"] += int(truth < ci.low)
    counts["above"] += int(truth > ci.high)
    counts["covered"] += int(ci.low <= truth <= ci.high)
    counts["tost_high"] += int(shorter.high < truth)
    counts["tost_low"] += int(shorter.low > truth)
    counts["width"] += ci.high - ci.low


def stored() -> dict[str, Any]:
    return dict(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}


def store(results: dict[str, Any]) -> None:
    """A design a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in results.items())
    RESULTS.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def chosen(names: list[str]) -> Iterator[Design]:
    """The designs whose names begin so; all for none."""
    return (one for name, one in DESIGNS.items() if not names or any(name.startswith(each) for each in names))

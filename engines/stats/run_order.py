"""How similar two orders of systems are, and how much the order depends on the pool (statistics.md 10)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from engines.stats.bootstrap import draw_counts, make_rng
from engines.stats.evaluation import score
from engines.stats.intervals import Request, Sample, make_interval
from engines.stats.measure import Measure
from engines.stats.rankings import Gold, Match
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, Estimate, FloatArray, IntArray, JsonFields, finite, undefined

DRAWN_AT_ONCE = 512


def tau_b(first: FloatArray, second: FloatArray) -> float | None:
    """Kendall's τ-b of two scorings (R,) of the same systems, ties corrected for; None where one ties them all."""
    one, two = _signs(first), _signs(second)
    spread = float(np.sqrt((one * one).sum() * (two * two).sum()))
    return float((one * two).sum()) / spread if spread else None


def tau_ap(reference: FloatArray, other: FloatArray) -> float | None:
    """τ_AP (Yilmaz, Aslam & Robertson 2008): like τ, but a swap near the top of `other` costs more.

    Not symmetric: `reference` is the order that is held to be true. Systems that `other` ties are taken in every order
    (the mean over them), a tie in the reference counts half. None with fewer than two systems.
    """
    n = len(other)
    if n < 2:
        return None
    above = _signs(other) > 0  # above[i, j]: i stands before j
    agree = (_signs(reference) + 1) / 2  # agree[i, j]: 1 where the reference has i before j
    correct = (above * agree).sum(axis=0)  # of those before j, how many rightly
    before = above.sum(axis=0)
    total = 0.0
    for start in np.unique(before):
        tied = before == start
        places = start + np.arange(np.count_nonzero(tied))
        within = places - start
        kept = places > 0
        total += float(((correct[tied].mean() + within[kept] * 0.5) / places[kept]).sum())
    return 2 / (n - 1) * total - 1


def _signs(values: FloatArray) -> FloatArray:
    """(R, R) 1 where the row's system scores higher than the column's, -1 where lower."""
    return np.asarray(np.sign(values[:, None] - values[None, :]))


@dataclass(frozen=True)
class OrderAgreement(JsonFields):
    """Two golds, one set of runs, one measure: how far the orders of the runs agree. `reference` names the first."""

    measure: str
    reference: str
    other: str
    runs: tuple[str, ...]
    tau_b: Estimate
    tau_ap: Estimate


def order_agreement(
    first: Mapping[str, FloatArray],
    second: Mapping[str, FloatArray],
    *,
    measure: str,
    names: tuple[str, str],
    seed: int,
    resamples: int = 10_000,
) -> OrderAgreement:
    """τ-b and τ_AP of the runs' means under two golds, with percentile intervals from resampling topics.

    The scores {run: (T,)} are those of the topics that both golds judge, NaN where undefined; topics that are undefined
    for a run under either gold are left out. Runs that only one of them has are left out.
    """
    runs = tuple(name for name in first if name in second)
    one = np.stack([first[name] for name in runs], axis=1) if runs else np.zeros((0, 0))
    two = np.stack([second[name] for name in runs], axis=1) if runs else np.zeros((0, 0))
    kept = np.isfinite(one).all(axis=1) & np.isfinite(two).all(axis=1)
    one, two = one[kept], two[kept]
    request = Request("percentile", "topic", 0.95, resamples, seed)
    figures = [_tau(function, one, two, request) for function in (tau_b, tau_ap)]
    return OrderAgreement(measure, *names, runs, *figures)


Tau = Callable[[FloatArray, FloatArray], float | None]


def _tau(function: Tau, one: FloatArray, two: FloatArray, request: Request) -> Estimate:
    topics, runs = one.shape
    if runs < 2 or not topics:
        return undefined(Reason.NO_OVERLAP if runs > 1 else Reason.ONE_RUN_ONLY, n_items=topics)
    point = function(one.mean(axis=0), two.mean(axis=0))
    if point is None:
        return undefined(Reason.NO_DIFFERENCE, n_items=topics)
    if topics < 8:
        return Estimate(point, n_items=topics, ci_reason=Reason.TOO_FEW_QUERIES)
    drawn = _replicates(function, one, two, request)
    sample = Sample(point, drawn, np.zeros(0), np.zeros(0), topics, (-1.0, 1.0))
    outcome = make_interval(sample, request)
    return Estimate(point, n_items=topics, ci=outcome.ci, ci_reason=outcome.reason, se=outcome.se)


def _replicates(function: Tau, one: FloatArray, two: FloatArray, request: Request) -> FloatArray:
    rng, drawn = make_rng(request.seed), list[float | None]()
    for low in range(0, request.resamples, DRAWN_AT_ONCE):
        weights = draw_counts(rng, len(one), min(DRAWN_AT_ONCE, request.resamples - low)) / len(one)
        drawn += [function(a, b) for a, b in zip(weights @ one, weights @ two, strict=True)]
    return np.array([np.nan if value is None else value for value in drawn])


@dataclass(frozen=True)
class LeftOut(JsonFields):
    """The runs measured without the judgments that one method alone brought into the pools, as if nobody had used it.

    A method is a pooled run or search, a list, or adding by hand. The figures are those of `run`: the method itself
    where it is among the runs, else the run that changes most. `without` has every run's mean without these
    `judgments`, `tau_b` compares the two orders of the runs. Topics that have no relevant document without them are
    left out, so that the second mean may be over fewer: `n_topics` and `n_topics_without`.
    """

    method: str
    measure: str
    judgments: int
    run: str
    value: float | None
    value_without: float | None
    rank: int | None
    rank_without: int | None
    n_topics: int
    n_topics_without: int
    tau_b: float | None
    without: Mapping[str, float | None]

    @property
    def change(self) -> float | None:
        known = self.value is not None and self.value_without is not None
        return self.value_without - self.value if known else None  # type: ignore[operator]

    def to_json(self) -> dict[str, Any]:
        return {**super().to_json(), "change": self.change}


def leave_methods_out(
    runs: Mapping[str, Match],
    gold: Gold,
    measures: Sequence[Measure],
    sole_judgments: Mapping[str, BoolArray],
    *,
    topics: IntArray | None = None,
    empty_as_zero: bool = False,
) -> list[LeftOut]:
    """Would a system that contributed to no pool be treated fairly? (Zobel 1998; Buckley & Voorhees 2004)

    `sole_judgments` {method: (J,)} are the judgments that are there for this method alone. All runs are measured again
    without them, over these topics (their positions; all), as `score` takes those without a relevant document.
    """
    means = partial(_means, runs, gold, measures, topics=topics, empty_as_zero=empty_as_zero)
    whole = means(keep=None)
    found = []
    for method, own in sole_judgments.items():
        pair = whole, means(keep=~own)
        for at, measure in enumerate(measures):
            columns = [(values[:, at], counts[:, at]) for values, counts in pair]
            found.append(_left_out(method, measure.name, int(own.sum()), list(runs), columns))
    return found


def _left_out(
    method: str, measure: str, judgments: int, names: list[str], means: Sequence[tuple[FloatArray, IntArray]]
) -> LeftOut:
    """From the means (R,) with and without the judgments, each with its number of topics (R,)."""
    (whole, n_whole), (without, n_without) = means
    at = names.index(method) if method in names else int(np.argmax(np.nan_to_num(np.abs(without - whole), nan=-1.0)))
    return LeftOut(
        method,
        measure,
        judgments,
        names[at],
        finite(whole[at]),
        finite(without[at]),
        _rank(whole, at),
        _rank(without, at),
        int(n_whole[at]),
        int(n_without[at]),
        _tau_of_known(whole, without),
        dict(zip(names, map(finite, without), strict=True)),
    )


def _tau_of_known(one: FloatArray, two: FloatArray) -> float | None:
    """τ-b over the runs that have both values."""
    both = np.isfinite(one) & np.isfinite(two)
    return tau_b(one[both], two[both]) if both.sum() > 1 else None


@dataclass(frozen=True)
class AtDepth(JsonFields):
    """The runs measured with the judgments of the first `depth` of each pooled run; τ-b to the whole pool's order.

    `n_topics` is over how many topics each run's mean goes: those with a relevant document among these judgments.
    """

    depth: int
    measure: str
    judgments: int
    values: tuple[float | None, ...]
    tau_b: float | None
    n_topics: tuple[int, ...]


def at_depths(
    runs: Mapping[str, Match],
    gold: Gold,
    measures: Sequence[Measure],
    depth: FloatArray,
    depths: Sequence[int],
    *,
    topics: IntArray | None = None,
    empty_as_zero: bool = False,
) -> list[AtDepth]:
    """How the order of the runs depends on the pool's depth. `depth` (J,) is the best rank that brought a judgment in,
    infinite where no ranking did; such judgments belong to every pool. Topics are as in `leave_methods_out`."""
    means = partial(_means, runs, gold, measures, topics=topics, empty_as_zero=empty_as_zero)
    whole, _ = means(keep=None)
    found = []
    for each in depths:
        kept = (depth <= each) | np.isinf(depth)
        shallow, counts = means(keep=kept)
        for place, measure in enumerate(measures):
            tau = _tau_of_known(whole[:, place], shallow[:, place])
            values = tuple(finite(value) for value in shallow[:, place])
            n_topics = tuple(counts[:, place].tolist())
            found.append(AtDepth(each, measure.name, int(kept.sum()), values, tau, n_topics))
    return found


def _means(
    runs: Mapping[str, Match],
    gold: Gold,
    measures: Sequence[Measure],
    *,
    keep: BoolArray | None,
    topics: IntArray | None,
    empty_as_zero: bool,
) -> tuple[FloatArray, IntArray]:
    """(R, M) means over the topics where a measure is defined, NaN where it is for none, and how many topics."""
    found = np.full((len(runs), len(measures)), np.nan)
    defined = np.zeros(found.shape, dtype=np.int64)
    for place, each in enumerate(runs.values()):
        values = score(each, gold, measures, keep, empty_as_zero=empty_as_zero).values
        values = values if topics is None else values[topics]
        known = np.isfinite(values)
        defined[place] = counts = known.sum(axis=0)
        np.divide(np.where(known, values, 0).sum(axis=0), counts, out=found[place], where=counts > 0)
    return found, defined


def _rank(values: FloatArray, at: int) -> int | None:
    return 1 + int(np.count_nonzero(values > values[at])) if np.isfinite(values[at]) else None

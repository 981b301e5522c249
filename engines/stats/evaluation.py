"""Runs against a gold over explicit topics: scores, means with intervals over topics, tests of each pair of runs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice

import numpy as np

from engines.stats.bootstrap import Cancelled, TopicDesign, make_rng, resample
from engines.stats.intervals import Request, make_interval
from engines.stats.measure import Measure, UnjudgedError
from engines.stats.rankings import Gold, Match, view
from engines.stats.reasons import Reason
from engines.stats.results import BoolArray, Estimate, FloatArray, IntArray, undefined
from engines.stats.significance import FLIPS, TestResult, holm, paired_t_test, randomisation_tests

IsCancelled = Callable[[], bool]  # whether somebody has cancelled
SHUFFLES = 100  # of the pool, for the random row


@dataclass(frozen=True, eq=False)
class RunScores:
    """A run's scores: `values` (T, M), NaN where undefined (nothing relevant, or a `problems` of the measure).

    Topics that the run lacks score 0 and are in `missing`. `tied` counts, for each measure with a cut-off, the topics
    where equal scores straddle it. `problems` say of a measure why it cannot be computed for this run. `highest`
    {measure: (T,)} are the values if every unjudged document were relevant, for measures for which it is known.
    `empty_shares` {measure: (T,)} say where the share of the ranking that a measure looks at is no document.
    """

    topics: tuple[str, ...]
    measures: tuple[Measure, ...]
    values: FloatArray
    missing: tuple[str, ...] = ()
    tied: Mapping[str, int] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)
    highest: Mapping[str, FloatArray] = field(default_factory=dict)
    empty_shares: Mapping[str, BoolArray] = field(default_factory=dict)

    def highest_mean(self, name: str, topics: IntArray) -> float | None:
        """The mean if every unjudged document were relevant, over the topics where the measure is defined."""
        place = [measure.name for measure in self.measures].index(name)
        counted = topics[np.isfinite(self.values[topics, place])]
        return float(self.highest[name][counted].mean()) if name in self.highest and len(counted) else None

    def column(self, name: str) -> list[float | None]:
        """A measure's value for each topic, None where undefined."""
        place = [measure.name for measure in self.measures].index(name)
        return [float(value) if np.isfinite(value) else None for value in self.values[:, place]]


def score(
    run: Match,
    gold: Gold,
    measures: Sequence[Measure],
    keep: BoolArray | None = None,
    *,
    empty_as_zero: bool = False,
) -> RunScores:
    """The run's value of each measure for each topic of the gold; judgments that are not kept (J,) count as none.

    A topic without a relevant document is undefined; `empty_as_zero` gives it 0, as trec_eval does, except for the
    measures over a share of the ranking, which trec_eval does not have. Then no highest value is known.
    """
    hits = view(run, gold, keep)
    values = np.full((len(gold.topics), len(measures)), np.nan)
    problems = {}
    for place, measure in enumerate(measures):
        try:
            values[:, place] = measure.values(hits)
        except UnjudgedError as error:
            problems[measure.name] = str(error)
    highest = {each.name: most for each in measures if (most := each.highest(hits)) is not None}
    if empty_as_zero and (empty := hits.n_relevant(gold.relevance) == 0).any():
        filled = [not measure.is_share and measure.name not in problems for measure in measures]
        values[np.ix_(empty, filled)] = np.nan_to_num(values[np.ix_(empty, filled)])
        highest = {}
    missing = tuple(gold.topics[place] for place in np.flatnonzero(run.length == 0))
    tied = {each.name: count for each in measures if each.rank and (count := run.tied.get(each.rank, 0))}
    empty_shares = {each.name: each.is_empty_share(hits) for each in measures if each.is_share}
    return RunScores(gold.topics, tuple(measures), values, missing, tied, problems, highest, empty_shares)


def score_random(
    orders: Iterator[Match],
    gold: Gold,
    measures: Sequence[Measure],
    shuffles: int = SHUFFLES,
    *,
    empty_as_zero: bool = False,
) -> RunScores:
    """The mean score of each topic over random orders: what a ranking reaches without any knowledge. A topic that they
    do not rank has no pool to shuffle: undefined."""
    drawn = [score(found, gold, measures, empty_as_zero=empty_as_zero) for found in islice(orders, shuffles)]
    values = np.mean([each.values for each in drawn], axis=0)
    values[[topic in set(drawn[0].missing) for topic in gold.topics]] = np.nan
    return replace(drawn[0], values=values, highest={})


def mean_scores(
    runs: Mapping[str, RunScores],
    *,
    seed: int,
    topics: IntArray | None = None,
    resamples: int = 10_000,
    level: float = 0.95,
    interval: str = "auto",
    cancelled: IsCancelled | None = None,
) -> dict[str, dict[str, Estimate]]:
    """{run: {measure: mean over the topics (their positions; all) where it is defined, with its interval}}.

    `n_items` is the number of topics that count. With fewer than 8 there is no interval, with fewer than 100 it is
    the jackknife's (`jackknife_t`), else BCa, unless another is asked for by name. All runs are resampled together.
    """
    columns = [(name, measure, scores) for name, scores in runs.items() for measure in scores.measures]
    table = np.hstack([scores.values for scores in runs.values()] or [np.zeros((0, 0))])
    table = table if topics is None else table[topics]
    defined = np.isfinite(table)
    counts = defined.sum(axis=0)
    found: dict[str, dict[str, Estimate]] = {name: {} for name in runs}
    for (name, measure, scores), n in zip(columns, counts, strict=True):
        if not n:
            found[name][measure.name] = undefined(
                _why_undefined(scores, measure, topics) if len(table) else Reason.NO_TOPIC
            )
    kept = np.flatnonzero(counts)
    if not len(kept):
        return found
    masks, which = np.unique(defined[:, kept], axis=1, return_inverse=True)
    sums = np.hstack([np.where(defined, table, 0.0)[:, kept], masks.astype(np.float64)])
    statistic = _Ratio(len(kept), which.ravel())
    result = resample(TopicDesign.of(sums), statistic, resamples=resamples, rng=make_rng(seed), cancelled=cancelled)
    request = Request(interval, "topic", level, resamples, seed)
    for place, column in enumerate(kept):
        name, measure, _ = columns[column]
        sample = result.sample(place, int(counts[column]), measure.definition.bounds)
        found[name][measure.name] = make_interval(sample, request).estimate(sample.point, sample.n_units)
        if cancelled is not None and cancelled():
            raise Cancelled
    return {
        name: {measure.name: means[measure.name] for measure in runs[name].measures} for name, means in found.items()
    }


def _why_undefined(scores: RunScores, measure: Measure, topics: IntArray | None) -> Reason:
    if len(scores.missing) == len(scores.topics):
        return Reason.NO_OVERLAP
    if measure.name in scores.problems:
        return Reason.UNJUDGED_DOCUMENT
    empty = scores.empty_shares.get(measure.name, np.zeros(len(scores.topics), dtype=np.bool_))
    is_empty = (empty if topics is None else empty[topics]).any()
    return Reason.EMPTY_SHARE if is_empty else Reason.NO_RELEVANT_DOCUMENT


@dataclass(frozen=True, eq=False)
class _Ratio:
    """Weighted totals over weighted numbers of defined topics: feature sums (S + U, b) -> (S, b)."""

    columns: int
    which: IntArray  # (S,) which of the U counts belongs to each column

    def __call__(self, sums: FloatArray) -> FloatArray:
        above, below = sums[: self.columns], sums[self.columns :][self.which]
        return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


@dataclass(frozen=True)
class RunComparison:
    """Run `a` against run `b` on one measure, over the topics defined for both; Holm over all comparisons shown."""

    a: str
    b: str
    measure: str
    t_test: TestResult
    randomisation: TestResult
    t_holm: float | None = None
    randomisation_holm: float | None = None

    @property
    def p(self) -> float | None:
        """The paired t-test's p, the one ACM-CR reports."""
        return self.t_test.p


def compare_runs(
    runs: Mapping[str, RunScores],
    *,
    rng: np.random.Generator,
    topics: IntArray | None = None,
    baseline: str | None = None,
    flips: int = FLIPS,
    cancelled: IsCancelled | None = None,
) -> tuple[RunComparison, ...]:
    """Every pair of runs on every measure; with a `baseline` only the pairs it is in.

    The runs must have been scored on the same topics. Raises ValueError otherwise, and where no run is the baseline.
    """
    if len({scores.topics for scores in runs.values()}) > 1:
        raise ValueError("runs are compared on the same topics only")
    if baseline is not None and baseline not in runs:
        raise ValueError(f"the baseline {baseline!r} is not among the runs")
    names = list(runs)
    places = [
        (one, two) for one, two in combinations(range(len(names)), 2) if baseline in (None, names[one], names[two])
    ]
    found = []
    measures = next(iter(runs.values())).measures if runs else ()
    tables = [np.stack([scores.values[:, place] for scores in runs.values()], axis=1) for place in range(len(measures))]
    tables = [table if topics is None else table[topics] for table in tables]
    drawn = randomisation_tests(tables, places, rng=rng, flips=flips, cancelled=cancelled)
    for measure, table, of_measure in zip(measures, tables, drawn, strict=True):
        broken = [measure.name in scores.problems for scores in runs.values()]
        for (one, two), flipped in zip(places, of_measure, strict=True):
            if broken[one] or broken[two]:
                none = TestResult(None, Reason.UNJUDGED_DOCUMENT, None, 0)
                found.append(RunComparison(names[one], names[two], measure.name, none, none))
                continue
            both = np.isfinite(table[:, one]) & np.isfinite(table[:, two])
            tested = paired_t_test(table[both, one], table[both, two])
            found.append(RunComparison(names[one], names[two], measure.name, tested, flipped))
    by_t = holm([each.t_test.p for each in found])
    by_draw = holm([each.randomisation.p for each in found])
    return tuple(
        replace(each, t_holm=t, randomisation_holm=draw) for each, t, draw in zip(found, by_t, by_draw, strict=True)
    )

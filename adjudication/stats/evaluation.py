"""Runs against judgments over an explicit set of queries: scores, means with query-bootstrap intervals, tests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from adjudication.stats.bootstrap import TopicDesign, make_rng, resample
from adjudication.stats.intervals import Request, Sample, make_interval
from adjudication.stats.results import Estimate, FloatArray, Reason, to_jsonable, undefined
from adjudication.stats.retrieval import Grades, Threshold, UnjudgedError, canonical_ranking, cut_off, measure, ties_at
from adjudication.stats.significance import TestResult, holm, paired_t_test, randomisation_test

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Grades]


@dataclass(frozen=True)
class RunScores:
    """Per-query scores of one run: `values[query][measure]`, None where undefined (no relevant document).

    Queries absent from the run score 0 and are listed in `missing`. `tied` counts, for each measure with a cut-off,
    the queries where equal scores straddle it, so that the order of ties matters. `problems` says of a measure why it
    cannot be computed for this run; its values are None.
    """

    measures: tuple[str, ...]
    queries: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    missing: tuple[str, ...]
    tied: tuple[int, ...]
    problems: Mapping[str, str] = field(default_factory=dict)

    def column(self, name: str) -> list[float | None]:
        index = self.measures.index(name)
        return [row[index] for row in self.values]


def score_run(
    run: Run,
    qrels: Qrels,
    measures: Sequence[str],
    *,
    queries: Sequence[str] | None = None,
    threshold: float | Mapping[str, Threshold] = 1,
) -> RunScores:
    """Score a run (query -> document -> score) on the queries given, by default all judged ones.

    `threshold` is the lowest relevant grade, for all queries, for each, or for each of a query's documents (sums over
    aspects: the number of aspects). A measure that re-ranks judged pools has a problem where the run ranks an unjudged
    document. Raises ValueError on unknown measures, NaN scores and queries without judgments.
    """
    wanted = tuple(qrels if queries is None else queries)
    unjudged = [query for query in wanted if query not in qrels]
    if unjudged:
        raise ValueError(f"queries without judgments: {', '.join(unjudged[:5])}")
    functions = [measure(name) for name in measures]
    cuts = [cut_off(name) for name in measures]
    tied, rows, problems = [0] * len(measures), [], dict[str, str]()
    for query in wanted:
        scores = run.get(query) or {}
        ranking = canonical_ranking(scores)
        least = threshold if isinstance(threshold, int | float) else threshold[query]
        values: list[float | None] = []
        for name, function in zip(measures, functions, strict=True):
            try:
                values.append(None if name in problems else function(ranking, qrels[query], least))
            except UnjudgedError as error:
                problems[name] = f"query {query}: {error}"
                values.append(None)
        if not ranking:
            values = [_absent(value, qrels[query]) for value in values]
        rows.append(tuple(values))
        for index, cut in enumerate(cuts):
            tied[index] += bool(cut is not None and ties_at(scores, ranking, cut))
    missing = tuple(query for query in wanted if not run.get(query))
    if problems:
        kept = [name not in problems for name in measures]
        rows = [tuple(value if keep else None for value, keep in zip(row, kept, strict=True)) for row in rows]
    return RunScores(tuple(measures), wanted, tuple(rows), missing, tuple(tied), problems)


def _absent(value: float | None, grades: Grades) -> float | None:
    """The score of a query that a run does not answer: 0, unless the query has nothing to find."""
    return 0.0 if value is None and any(grade > 0 for grade in grades.values()) else value


def mean_scores(
    scores: RunScores,
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
    interval: str = "auto",
    cancelled: Callable[[], bool] | None = None,
) -> dict[str, Estimate]:
    """Mean of each measure over the queries where it is defined, with an interval over queries.

    `n_items` is the number of queries that count. With fewer than 8 there is no interval, with fewer than 50 it is
    the jackknife's (`jackknife_t`) unless another is asked for by name.
    """
    table = np.array([[np.nan if value is None else value for value in row] for row in scores.values])
    table = table.reshape(len(scores.queries), len(scores.measures))
    defined = np.isfinite(table)
    counts = defined.sum(axis=0)
    names = scores.measures
    found = {
        name: undefined(Reason.UNJUDGED_DOCUMENT if name in scores.problems else Reason.NO_RELEVANT_DOCUMENT)
        for name, n in zip(names, counts, strict=True)
        if not n
    }
    kept = np.flatnonzero(counts)
    if not len(kept):
        return found
    sums = np.hstack([np.where(defined, table, 0.0)[:, kept], defined[:, kept].astype(np.float64)])
    result = resample(TopicDesign(sums), _ratio, resamples=resamples, rng=make_rng(seed), cancelled=cancelled)
    request = Request(interval, "topic", level, resamples, seed)
    for place, column in enumerate(kept):
        sample = Sample(
            float(result.point[place]),
            result.replicates[place],
            result.left_out[place],
            result.multiplicity,
            int(counts[column]),
            (0.0, 1.0),
        )
        found[names[column]] = _mean(sample, request)
    return {name: found[name] for name in names}


def _ratio(sums: FloatArray) -> FloatArray:
    """Weighted totals over weighted numbers of defined queries, (S, b)."""
    half = len(sums) // 2
    return np.divide(sums[:half], sums[half:], out=np.full(sums[:half].shape, np.nan), where=sums[half:] > 0)


def _mean(sample: Sample, request: Request) -> Estimate:
    outcome = make_interval(sample, request)
    return Estimate(
        sample.point,
        n_items=sample.n_units,
        ci=outcome.ci,
        ci_reason=outcome.reason,
        se=outcome.se,
        flags=outcome.flags,
        alternatives=outcome.alternatives,
    )


@dataclass(frozen=True)
class RunComparison:
    """Run `a` against run `b` on one measure, over the queries defined for both; Holm over all comparisons shown."""

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

    def to_json(self) -> dict[str, Any]:
        return {**to_jsonable(self), "p": self.p}


def compare_runs(
    runs: Mapping[str, RunScores], measures: Sequence[str], *, rng: np.random.Generator
) -> tuple[RunComparison, ...]:
    """Every pair of runs on every measure. The runs must have been scored on the same queries."""
    if len({scores.queries for scores in runs.values()}) > 1:
        raise ValueError("runs are compared on the same queries only")
    found = []
    for name in measures:
        for a, b in combinations(runs, 2):
            if name in runs[a].problems or name in runs[b].problems:
                none = TestResult(None, Reason.UNJUDGED_DOCUMENT, None, 0)
                found.append(RunComparison(a, b, name, none, none))
                continue
            pairs = zip(runs[a].column(name), runs[b].column(name), strict=True)
            both = [(one, two) for one, two in pairs if one is not None and two is not None]
            first, second = [one for one, _ in both], [two for _, two in both]
            drawn = randomisation_test(first, second, rng=rng)
            found.append(RunComparison(a, b, name, paired_t_test(first, second), drawn))
    by_t = holm([one.t_test.p for one in found])
    by_draw = holm([one.randomisation.p for one in found])
    return tuple(
        replace(one, t_holm=t, randomisation_holm=draw) for one, t, draw in zip(found, by_t, by_draw, strict=True)
    )

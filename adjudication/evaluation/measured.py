"""One run, two runs and all pairs of runs of a finished evaluation, from its stored report and scores by topic."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from accounts.counting import counted
from adjudication.evaluation.tables import (
    ALPHA,
    DAGGER,
    LEAST_P,
    ScoreCell,
    ScoreColumn,
    ScoreRow,
    ScoreTable,
    figure_text,
    p_text,
)
from adjudication.models import Evaluation
from engines.formats.csv_text import write_csv
from engines.stats.results import FloatArray, finite
from engines.stats.significance import FEWEST_TOPICS

PAIR_COLUMNS = ("run", "against", "measure", "difference", "test", "p", "p_holm", "reason")
TESTS = {"paired-t": "paired t-test", "randomisation": "randomisation test"}
WORST, BEST, BEHIND, AHEAD = "worst", "best", "behind", "ahead"
ORDERS = {
    WORST: "lowest value first",
    BEST: "highest value first",
    BEHIND: "furthest behind the other runs first",
    AHEAD: "furthest ahead of the other runs first",
}


@dataclass(frozen=True, eq=False)
class Measured:
    """One part of a finished evaluation. `values` are (R, T, M): run, topic, measure; NaN where undefined. `report`
    is that of the API."""

    number: int
    report: Mapping[str, Any]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    measures: tuple[str, ...]
    values: FloatArray

    def of(self, run: str, measure: str) -> FloatArray:
        """(T,) the run's values by topic, NaN where undefined."""
        found: FloatArray = self.values[self.runs.index(run), :, self.measures.index(measure)]
        return found

    @property
    def unit(self) -> str:
        return str(self.report.get("unit", "query"))


def reports_of(job: Evaluation) -> list[dict[str, Any]]:
    """The report of each evaluation: those of a preset, else the only one."""
    report = job.results.get("report", {})
    return list(report.get("parts") or [report])


def fetch_measured(job: Evaluation, number: int = 0) -> Measured | None:
    """A part of an evaluation; None where it is not done, or has no figures by topic. One query."""
    reports = reports_of(job) if job.results else []
    scores = list(job.scores.filter(part=number).order_by("pk"))
    if not scores or number >= len(reports):
        return None
    first = scores[0]
    shape = (len(scores), len(first.topics), len(first.measures))
    values = np.array([each.values for each in scores], dtype=np.float64).reshape(shape)
    runs = tuple(each.run for each in scores)
    return Measured(number, reports[number], runs, tuple(first.topics), tuple(first.measures), values)


# --- one run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RunFigure:
    """A mean of a run. `place` is its rank among the `of` runs that have a value, `most` its value if all unjudged
    documents were relevant, `why` the reason where there is no value."""

    measure: str
    figure: Mapping[str, Any]
    place: int | None
    of: int
    why: str = ""

    @property
    def most(self) -> float | None:
        return self.figure.get("unjudged_high")


@dataclass(frozen=True)
class RunSubset:
    heading: str
    n_topics: int
    figures: tuple[RunFigure, ...]


@dataclass(frozen=True)
class TopicValue:
    """A run's value for a topic against `other`: that of another run, or the mean of the other runs there."""

    topic: str
    text: str
    value: float | None
    other: float | None
    is_missing: bool = False

    @property
    def gap(self) -> float | None:
        return None if self.value is None or self.other is None else self.value - self.other


def run_subsets(part: Measured, run: str) -> list[RunSubset]:
    """The run's means: all topics first, then each subset."""
    found = []
    for subset in part.report["subsets"]:
        figures = tuple(_run_figure(subset["runs"], run, measure) for measure in part.measures)
        words = ", ".join(f"{key} {'none' if value is None else value}" for key, value in subset["by"].items())
        found.append(RunSubset(words or "All topics", subset["n_topics"], figures))
    return found


def _run_figure(runs: Mapping[str, Any], run: str, measure: str) -> RunFigure:
    figure = runs[run][measure]
    values = [each[measure]["value"] for each in runs.values() if each[measure]["value"] is not None]
    place = None if figure["value"] is None else 1 + sum(value > figure["value"] for value in values)
    return RunFigure(measure, figure, place, len(values), figure.get("problem") or str(figure.get("reason") or ""))


def topic_values(part: Measured, run: str, measure: str, order: str, texts: Mapping[str, str]) -> list[TopicValue]:
    """The run's topics in this order, undefined ones last."""
    own = part.of(run, measure)
    rest = np.delete(part.values[:, :, part.measures.index(measure)], part.runs.index(run), axis=0)
    counts = np.isfinite(rest).sum(axis=0)
    others = np.divide(np.nansum(rest, axis=0), counts, out=np.full(len(own), np.nan), where=counts > 0)
    missing = set(part.report.get("missing", {}).get(run, ()))
    rows = [
        TopicValue(topic, texts.get(topic, ""), finite(own[at]), finite(others[at]), topic in missing)
        for at, topic in enumerate(part.topics)
    ]
    sign = -1 if order in (BEST, AHEAD) else 1

    def key(row: TopicValue) -> tuple[bool, float]:
        value = row.gap if order in (BEHIND, AHEAD) else row.value
        return value is None, sign * (value or 0.0)

    return sorted(rows, key=key)


# --- run against run --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Run `a` against run `b` on a measure, over the topics where both are defined."""

    a: str
    b: str
    measure: str
    rows: tuple[TopicValue, ...]  # the largest advantage of a first, undefined ones last
    wins: int
    losses: int
    ties: int
    undefined: int
    tests: tuple[Mapping[str, Any], ...]

    @property
    def defined(self) -> int:
        return self.wins + self.losses + self.ties

    @property
    def mean(self) -> float | None:
        gaps = [row.gap for row in self.rows if row.gap is not None]
        return float(np.mean(gaps)) if gaps else None


def compare_pair(part: Measured, a: str, b: str, measure: str, texts: Mapping[str, str]) -> Pair:
    """The two runs topic by topic, with the tests of their difference as the report has them."""
    one, two = part.of(a, measure), part.of(b, measure)
    rows = [
        TopicValue(topic, texts.get(topic, ""), finite(one[at]), finite(two[at]))
        for at, topic in enumerate(part.topics)
    ]
    rows.sort(key=lambda row: (row.gap is None, -(row.gap or 0.0)))
    gaps = [row.gap for row in rows if row.gap is not None]
    wins, losses = sum(gap > 0 for gap in gaps), sum(gap < 0 for gap in gaps)
    tests = tuple(
        {**test, "sentence": _test_sentence(test)}
        for test in part.report["tests"]
        if {test["a"], test["b"]} == {a, b} and test["measure"] == measure and not test["by"]
    )
    return Pair(a, b, measure, tuple(rows), wins, losses, len(gaps) - wins - losses, len(rows) - len(gaps), tests)


def _test_sentence(test: Mapping[str, Any]) -> str:
    """ "Paired t-test: p = 0.012, Holm-adjusted 0.024 over all comparisons of this evaluation, n = 40 topics." """
    if test["p"] is None:
        found = f"no p value ({test['reason']})"
    else:
        found = f"p {'' if test['p'] < LEAST_P else '= '}{p_text(test['p'])}"
        if test["p_holm"] is not None:
            found += f", Holm-adjusted {p_text(test['p_holm'])} over all comparisons of this evaluation"
    return f"{TESTS[test['test']].capitalize()}: {found}, n = {test['n_topics']:,} topics."


# --- all pairs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MatrixCell:
    """The row's mean minus the column's, with its p values; `why` where there is none."""

    difference: float | None = None
    p: float | None = None
    p_holm: float | None = None
    why: str = ""
    is_self: bool = False
    n_topics: int = 0

    @property
    def is_marked(self) -> bool:
        return self.p_holm is not None and self.p_holm < ALPHA and self.n_topics >= FEWEST_TOPICS


@dataclass(frozen=True)
class MatrixRow:
    run: str
    value: float | None
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class RunMatrix:
    """Every run against every other on a measure, the highest mean first. `n_tests` were corrected for together."""

    measure: str
    test: str
    rows: tuple[MatrixRow, ...]
    n_tests: int
    n_marked: int

    @property
    def sentence(self) -> str:
        """How many pairs differ, and for how many comparisons their p values were adjusted."""
        if not self.n_tests:
            return "No pair of runs was tested."
        differ = counted(self.n_marked, "pair differs", "pairs differ") if self.n_marked else "No pair is marked"
        mark = f"{DAGGER}: Holm-adjusted p < {ALPHA}, over at least {FEWEST_TOPICS} topics"
        adjusted = f"The adjustment is for all {self.n_tests:,} comparisons of this test, over every measure"
        return f"{differ} on {self.measure} ({mark}). {adjusted} of the evaluation."


def pair_matrix(part: Measured, measure: str, test: str) -> RunMatrix:
    """The matrix over all topics, from the tests of the report."""
    means = {run: of[measure]["value"] for run, of in part.report["subsets"][0]["runs"].items()}
    runs = sorted(means, key=lambda run: (means[run] is None, -(means[run] or 0.0)))
    tests = [each for each in part.report["tests"] if each["test"] == test and not each["by"]]
    found: dict[tuple[str, str], MatrixCell] = {}
    for each in (each for each in tests if each["measure"] == measure):
        gap, why = each["difference"], "" if each["p"] is not None else str(each["reason"] or "").replace("_", " ")
        shared = {"p": each["p"], "p_holm": each["p_holm"], "why": why, "n_topics": each["n_topics"]}
        found[each["a"], each["b"]] = MatrixCell(gap, **shared)
        found[each["b"], each["a"]] = MatrixCell(None if gap is None else -gap, **shared)
    rows = tuple(MatrixRow(run, means[run], tuple(_cell(found, run, other) for other in runs)) for run in runs)
    marked = sum(cell.is_marked for row in rows for cell in row.cells) // 2
    return RunMatrix(measure, test, rows, sum(each["p"] is not None for each in tests), marked)


def _cell(found: Mapping[tuple[str, str], MatrixCell], run: str, other: str) -> MatrixCell:
    return MatrixCell(is_self=True) if run == other else found.get((run, other), MatrixCell(why="not tested"))


def pairs_csv(matrix: RunMatrix) -> Iterator[str]:
    """A line for each run against each other, in both orders; differences as shares, empty where there is none."""
    names = [row.run for row in matrix.rows]
    rows = (
        (row.run, other, matrix.measure, cell.difference, matrix.test, cell.p, cell.p_holm, cell.why)
        for row in matrix.rows
        for other, cell in zip(names, row.cells, strict=True)
        if not cell.is_self
    )
    return write_csv(PAIR_COLUMNS, rows)


def matrix_table(matrix: RunMatrix) -> ScoreTable:
    """Runs by runs: the row's mean minus the column's, the adjusted p in brackets; both orders of a pair are there."""
    columns = (ScoreColumn(matrix.measure), *(ScoreColumn(row.run) for row in matrix.rows))
    rows = tuple(
        ScoreRow(row.run, (_mean(matrix, row.value), *(_table_cell(matrix, each) for each in row.cells)))
        for row in matrix.rows
    )
    caption = (
        f"{matrix.measure}: mean of each run, and the row's mean minus the column's, in percent where the measure lies "
        f"between 0 and 1. In brackets: p of the {TESTS[matrix.test]}, Holm-adjusted for all {matrix.n_tests:,} "
        f"comparisons of the evaluation. {DAGGER}: below {ALPHA}, over at least {FEWEST_TOPICS} topics."
    )
    return ScoreTable("Run", columns, rows, caption)


def _mean(matrix: RunMatrix, value: float | None) -> ScoreCell:
    return ScoreCell("–") if value is None else ScoreCell(figure_text(matrix.measure, value), value)


def _table_cell(matrix: RunMatrix, cell: MatrixCell) -> ScoreCell:
    if cell.is_self:
        return ScoreCell("")
    if cell.difference is None:
        return ScoreCell("–", why=cell.why)
    p = cell.why or "no p" if cell.p_holm is None else f"{cell.p_holm:.3g}"
    return ScoreCell(f"{figure_text(matrix.measure, cell.difference)} ({p})", cell.difference, is_marked=cell.is_marked)

"""Evaluations as tables: runs in rows, measures and subsets in columns, with what a reader must know of each figure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from accounts.counting import share_in_percent
from adjudication.evaluation.result import EvaluationResult, SubsetFigures
from adjudication.evaluation.tables import (
    ALPHA,
    DAGGER,
    NONE,
    PLAIN,
    ScoreCell,
    ScoreColumn,
    ScoreRow,
    ScoreTable,
    Style,
    figure_text,
    scale_of,
)
from engines.stats.evaluation import RunComparison
from engines.stats.measure import Measure
from engines.stats.measures import parse_measure
from engines.stats.reasons import INTERVAL, RUNS, Reason, words_of
from engines.stats.results import Estimate
from engines.stats.significance import FEWEST_TOPICS

MOST = 3  # places that a note names
NO_TOPICS = "no such topics"
METHODS = {
    "percentile": "percentile bootstrap",
    "bca": "bias-corrected bootstrap",
    "jackknife_t": "jackknife with Student's t",
}
Heads = Sequence[tuple[ScoreColumn, SubsetFigures | None, str]]  # column, its topics (None: there are none), measure


@dataclass(frozen=True, eq=False)
class Built:
    """A column with its cells, in the order of the runs. `is_tested` says whether † could stand in it, `is_small` that
    its runs have too few topics in common for it, whether or not they differ."""

    column: ScoreColumn
    cells: tuple[ScoreCell, ...]
    estimates: tuple[Estimate, ...] = ()
    is_tested: bool = False
    is_small: bool = False


def make_table(done: EvaluationResult, style: Style = PLAIN) -> ScoreTable:
    """Runs in rows; measures in columns, for all topics and for each combination of the attributes asked for."""
    subsets = [each for each in done.subsets if len(each.by) in (0, len(done.spec.by))]
    columns = [
        (ScoreColumn(measure, subset_heading(done, each)), each, measure)
        for each in subsets
        for measure in done.measures
    ]
    return build_table(done, columns, style)


def subset_heading(done: EvaluationResult, figures: SubsetFigures) -> tuple[str, ...]:
    """The headings above a subset's columns, with how many topics its means count: nothing where topics are not broken
    down."""
    if not done.spec.by:
        return ()
    counts = {each.n_items for of_run in figures.means.values() for each in of_run.values() if each.value is not None}
    size = f"(n = {_span(counts) if counts else 0})"
    if not figures.by:
        return (f"all topics {size}",)
    words = ", ".join(f"{name} {'none' if value is None else value}" for name, value in figures.by.items())
    return (f"{' '.join(words.split())} {size}",)


def build_table(
    done: EvaluationResult,
    columns: Heads,
    style: Style = PLAIN,
    label: Callable[[str], tuple[str, bool]] = lambda run: (run, False),
) -> ScoreTable:
    """A table of these columns; `label` says how a run is called and whether it is indented."""
    built = [_column(done, column, figures, measure, style) for column, figures, measure in columns]
    rows = []
    for place, run in enumerate(done.runs):
        name, indented = label(run)
        rows.append(ScoreRow(name, tuple(each.cells[place] for each in built), indented))
    return ScoreTable(
        "Run",
        tuple(each.column for each in built),
        tuple(rows),
        _caption(done, built, style),
        (*done.notes, *_column_notes(done.runs, built)),
        with_se=style.with_se,
        se_about=_about_errors(built),
        interval_about=_about_intervals(built),
    )


def _column(
    done: EvaluationResult, column: ScoreColumn, figures: SubsetFigures | None, measure: str, style: Style
) -> Built:
    if figures is None:
        return Built(column, tuple(ScoreCell(NONE, why=NO_TOPICS) for _ in done.runs))
    estimates = {run: figures.means[run][measure] for run in done.runs}
    best = _best(done, estimates, lambda value: figure_text(measure, value, style))
    tests = list(_tests(figures.tests, measure, done.spec.baseline or (best[0] if best else "")))
    marked = {run for run, test in tests if _is_significant(test, style)}
    cells = []
    for run, estimate in estimates.items():
        cell = _undefined(done, run, measure, estimate) or _cell(measure, estimate, style)
        cells.append(replace(cell, is_best=run in best, is_marked=run in marked))
    is_tested = any(test.p is not None and test.t_test.n >= FEWEST_TOPICS for _, test in tests)
    common = [test.t_test.n for _, test in tests if test.t_test.n]  # also of one topic, or of runs that do not differ
    is_small = bool(common) and max(common) < FEWEST_TOPICS
    return Built(column, tuple(cells), tuple(estimates.values()), is_tested, is_small)


def _best(done: EvaluationResult, estimates: Mapping[str, Estimate], text: Callable[[float], str]) -> list[str]:
    """The runs with the highest value as it is printed, the highest in full first; none where there is one run."""
    known = {run: each.value for run, each in estimates.items() if each.value is not None and run in done.spec.runs}
    order = sorted(known, key=lambda run: -known[run])
    return [run for run in order if text(known[run]) == text(known[order[0]])] if len(done.runs) > 1 else []


def _tests(tests: Sequence[RunComparison], measure: str, other: str) -> Iterator[tuple[str, RunComparison]]:
    """(run, its test) of the runs that are compared with `other` on this measure."""
    for test in tests:
        if test.measure == measure and other in (test.a, test.b):
            yield (test.a if test.b == other else test.b), test


def _is_significant(test: RunComparison, style: Style) -> bool:
    """By the p that the style prints; never over so few topics that a test says next to nothing."""
    p = test.t_holm if style.adjusted else test.p
    return p is not None and p < ALPHA and test.t_test.n >= FEWEST_TOPICS


def _undefined(done: EvaluationResult, run: str, measure: str, estimate: Estimate) -> ScoreCell | None:
    if estimate.value is not None:
        return None
    reason = words_of(estimate.reason, RUNS)
    if estimate.reason == Reason.EMPTY_SHARE:
        reason = f"{_share(parse_measure(measure))} of these pools is no document"
    why = done.problems.get(run) or done.scores[run].problems.get(measure) or reason
    return ScoreCell(NONE, why=why)


def _share(measure: Measure) -> str:
    """The part of a ranking that a measure looks at, as a sentence begins with it."""
    return "a tenth" if measure.cut == 0.1 else f"{100 * (measure.cut or 0):g}%"


def _cell(measure: str, estimate: Estimate, style: Style) -> ScoreCell:
    value, scale = estimate.value or 0.0, scale_of(measure)
    low, high = (estimate.ci.low, estimate.ci.high) if estimate.ci else (None, None)
    return ScoreCell(
        figure_text(measure, value, style),
        value,
        low=low,
        high=high,
        n_topics=estimate.n_items,
        se=estimate.se,
        scale=scale,
        places=style.places if scale == 100 else 1,
    )


# --- what a reader must know ------------------------------------------------------------------------------------------


def _caption(done: EvaluationResult, built: Sequence[Built], style: Style) -> str:
    """Over how many topics the means are, in which unit, against what, and what the marks mean."""
    known = [cell for each in built for cell in each.cells if cell.value is not None]
    counts = {cell.n_topics or 0 for cell in known}
    means = "Figures of one topic" if counts == {1} else f"Means over {_span(counts)} topics" if counts else "Means"
    scales = {cell.scale for cell in known}
    unit = {(100,): " in percent", (1, 100): ", in percent where a measure lies between 0 and 1"}
    parts = [f"{means}{unit.get(tuple(sorted(scales)), '')}, against {done.gold.label}."]
    if len(done.runs) > 1:
        parts.append("Bold: best.")
        if any(each.is_tested for each in built):
            other = done.spec.baseline or "the best run of the column"
            p = "Holm-adjusted p" if style.adjusted else "p"
            parts.append(f"{DAGGER}: differs from {other}, paired t-test, {p} < {ALPHA}.")
    return " ".join(parts)


def _span(counts: set[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _column_notes(runs: Sequence[str], built: Sequence[Built]) -> Iterator[str]:
    """Over how many topics each mean is, where they differ; why † is missing; why there is no figure."""
    counts = {
        each.column.heading: {cell.n_topics or 0 for cell in each.cells if cell.value is not None} for each in built
    }
    known = {heading: found for heading, found in counts.items() if found}
    if len(set.union(set(), *known.values())) > 1:
        yield f"Topics in each mean: {'; '.join(f'{heading} {_span(found)}' for heading, found in known.items())}."
    if small := [each.column.heading for each in built if each.is_small]:
        where = "" if len(small) == len(built) else f" ({_some(small)})"
        yield f"No {DAGGER} for fewer than {FEWEST_TOPICS} topics{where}: a test over so few topics says very little."
    missing: dict[str, list[str]] = {}
    for each in built:
        for run, cell in zip(runs, each.cells, strict=True):
            if cell.why:
                everywhere = all(other.why == cell.why for other in each.cells)
                missing.setdefault(cell.why, []).append(
                    each.column.heading if everywhere else f"{run}, {each.column.heading}"
                )
    for why, places in missing.items():
        yield f"{NONE} ({_some(list(dict.fromkeys(places)))}): {why.rstrip('.')}."


def _some(places: Sequence[str]) -> str:
    return "; ".join(places[:MOST]) + (f"; {len(places) - MOST:,} more" if len(places) > MOST else "")


def _about_errors(built: Sequence[Built]) -> str:
    """What the standard errors are, or why there are none; "" where nothing has a value."""
    known = [each for column in built for each in column.estimates if each.value is not None]
    how = {
        "by the jackknife" if each.ci.method == "jackknife_t" else f"by the bootstrap ({each.ci.resamples:,} resamples)"
        for each in known
        if each.ci is not None
    }
    about = f"±: standard error of the mean over topics{', ' if how else ''}{' or '.join(sorted(how))}."
    none = _reasons(each for each in known if each.se is None)
    if all(each.se is None for each in known):
        return f"No standard errors: {none}." if known else ""
    return f"{about} Without ±: {none}." if none else about


def _about_intervals(built: Sequence[Built]) -> str:
    """What the intervals are, or why there are none; "" where nothing has a value."""
    known = [each for column in built for each in column.estimates if each.value is not None]
    ways = sorted(
        {(METHODS.get(each.ci.method, each.ci.method), each.ci.level) for each in known if each.ci is not None}
    )
    none = _reasons(each for each in known if each.ci is None)
    if not ways:
        return f"No intervals: {none}." if known else ""
    about = f"In brackets: {share_in_percent(ways[0][1])} intervals over topics ({', '.join(way for way, _ in ways)})."
    return f"{about} Without: {none}." if none else about


def _reasons(estimates: Iterator[Estimate]) -> str:
    found = dict.fromkeys(str(each.ci_reason or "") for each in estimates)
    return ", ".join(words_of(reason, INTERVAL) for reason in found if reason)

"""Evaluations as tables: runs in rows, measures and subsets in columns; as Markdown, LaTeX and CSV.

In each column the best run is bold. † marks a run whose difference from the compared one is significant: the baseline,
or the column's best run where there is no baseline.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from adjudication.agreement.reads.report import escape
from adjudication.evaluation.reads.result import EvaluationResult, SubsetFigures
from adjudication.stats.evaluation import RunComparison
from adjudication.stats.measures import parse_measure
from adjudication.stats.results import Estimate
from corpus.formats.csv_text import write_csv

ALPHA = 0.05
_MARKDOWN = re.compile(r"[\\`*\[\]>|]|<(?=[A-Za-z/!?])|\b_|_\b")  # what would begin a mark-up
DAGGER = "†"
REASONS = {
    "no_relevant_document": "no topic has a relevant document",
    "unjudged_document": "the run ranks unjudged documents",
    "no_overlap": "the run ranks no topic of the gold",
    "no_topic": "no topic",
}


@dataclass(frozen=True)
class Cell:
    """One figure. `text` is what is printed, `why` the reason where there is none; `value` is the figure in full."""

    text: str
    value: float | None = None
    is_best: bool = False
    is_marked: bool = False
    why: str = ""
    low: float | None = None
    high: float | None = None
    n_topics: int | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Row:
    label: str
    cells: tuple[Cell, ...]
    is_indented: bool = False


@dataclass(frozen=True)
class Column:
    """A measure over some topics. `groups` are the headings above it, the outermost first."""

    label: str
    groups: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """All its headings in one line."""
        return " ".join([*filter(None, self.groups), self.label])


@dataclass(frozen=True)
class Table:
    """What is printed: columns with their headings, rows, the caption and notes below it."""

    corner: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    caption: str
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As it is stored; `from_json` reads it again, estimates apart."""
        return {
            "corner": self.corner,
            "columns": [[*column.groups, column.label] for column in self.columns],
            "rows": [
                {"label": row.label, "is_indented": row.is_indented, "cells": [cell.to_json() for cell in row.cells]}
                for row in self.rows
            ],
            "caption": self.caption,
            "notes": list(self.notes),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Table":
        columns = tuple(Column(each[-1], tuple(each[:-1])) for each in stored["columns"])
        rows = tuple(
            Row(row["label"], tuple(Cell(**cell) for cell in row["cells"]), row["is_indented"])
            for row in stored["rows"]
        )
        return cls(stored["corner"], columns, rows, stored["caption"], tuple(stored["notes"]))

    @property
    def heads(self) -> list[list[tuple[str, int]]]:
        """The lines of headings above the columns, each as (text, how many columns it spans)."""
        depth = max((len(column.groups) for column in self.columns), default=0)
        found = []
        for level in range(depth):
            line: list[tuple[str, int]] = []
            known: tuple[str, ...] | None = None
            for column in self.columns:
                groups = column.groups[: level + 1]
                if groups == known and line:
                    line[-1] = (line[-1][0], line[-1][1] + 1)
                else:
                    line.append((groups[level] if level < len(groups) else "", 1))
                known = groups
            found.append(line)
        return found


@dataclass(frozen=True)
class Style:
    """How figures are printed: number of decimal `places`, with ± standard errors or not, † by which p."""

    places: int = 2
    with_se: bool = False
    adjusted: bool = True  # † by Holm-adjusted p; else by the p of each test alone


PLAIN = Style()


def make_table(done: EvaluationResult, style: Style = PLAIN) -> Table:
    """Runs in rows; measures in columns, for all topics and for each combination of the attributes asked for."""
    subsets = [each for each in done.subsets if len(each.by) in (0, len(done.spec.by))]
    columns = []
    for each in subsets:
        for measure in done.measures:
            columns.append((Column(measure, subset_heading(done, each)), each, measure))
    return build_table(done, columns, caption(done, style), style)


def subset_heading(done: EvaluationResult, figures: SubsetFigures) -> tuple[str, ...]:
    """The headings above a subset's columns: nothing where topics are not broken down."""
    if not done.spec.by:
        return ()
    n = len(figures.topics)
    if not figures.by:
        return (f"all topics (n = {n:,})",)
    words = ", ".join(f"{name} {'none' if value is None else value}" for name, value in figures.by.items())
    return (f"{' '.join(words.split())} (n = {n:,})",)


def build_table(
    done: EvaluationResult,
    columns: Sequence[tuple[Column, SubsetFigures | None, str]],
    text: str,
    style: Style = PLAIN,
    label: Callable[[str], tuple[str, bool]] = lambda run: (run, False),
) -> Table:
    """A table of these columns; `label` says how a run is called and whether it is indented."""
    built = [_column(done, figures, measure, style) for _, figures, measure in columns]
    rows = []
    for place, run in enumerate(done.runs):
        name, indented = label(run)
        rows.append(Row(name, tuple(cells[place] for cells in built), indented))
    return Table("Run", tuple(column for column, _, _ in columns), tuple(rows), text, done.notes)


def _column(done: EvaluationResult, figures: SubsetFigures | None, measure: str, style: Style) -> list[Cell]:
    if figures is None:
        return [Cell("–", why="no such topics") for _ in done.runs]
    estimates = {run: figures.means[run][measure] for run in done.runs}
    best = _best(done, estimates, lambda value: figure_text(measure, value, style))
    other = done.spec.baseline or (best[0] if best else "")
    marked = _significant(figures.tests, measure, other, style)
    cells = []
    for run, estimate in estimates.items():
        cell = _undefined(done, run, measure, estimate) or _cell(measure, estimate, style)
        cells.append(replace(cell, is_best=run in best, is_marked=run in marked))
    return cells


def _best(done: EvaluationResult, estimates: Mapping[str, Estimate], text: Callable[[float], str]) -> list[str]:
    """The runs with the highest value as it is printed, the highest in full first; none where there is one run."""
    known = {run: each.value for run, each in estimates.items() if each.value is not None and run in done.spec.runs}
    order = sorted(known, key=lambda run: -known[run])
    return [run for run in order if text(known[run]) == text(known[order[0]])] if len(done.runs) > 1 else []


def _significant(tests: Sequence[RunComparison], measure: str, other: str, style: Style) -> set[str]:
    found = set()
    for test in tests:
        p = test.t_holm if style.adjusted else test.p
        if test.measure == measure and other in (test.a, test.b) and p is not None and p < ALPHA:
            found.add(test.a if test.b == other else test.b)
    return found


def _undefined(done: EvaluationResult, run: str, measure: str, estimate: Estimate) -> Cell | None:
    if estimate.value is not None:
        return None
    reason = REASONS.get(str(estimate.reason), str(estimate.reason))
    why = done.problems.get(run) or done.scores[run].problems.get(measure) or reason
    return Cell("–", why=why)


def _cell(measure: str, estimate: Estimate, style: Style) -> Cell:
    value = estimate.value or 0.0
    text = figure_text(measure, value, style)
    if style.with_se and estimate.se is not None:
        text += f" ± {figure_text(measure, estimate.se, style)}"
    ci = estimate.ci
    low, high = (ci.low, ci.high) if ci else (None, None)
    return Cell(text, value, low=low, high=high, n_topics=estimate.n_items)


def figure_text(measure: str, value: float, style: Style = PLAIN) -> str:
    """A figure as printed: percentages for what lies between 0 and 1, plain numbers for counts."""
    bounded = parse_measure(measure).definition.bounds[1] == 1
    return f"{100 * value:.{style.places}f}" if bounded else f"{value:.1f}"


def caption(done: EvaluationResult, style: Style = PLAIN, figures: SubsetFigures | None = None) -> str:
    """What the table shows, against what, and what its marks mean. `figures` are those of a table about one subset."""
    topics = len((figures or done.whole).topics)
    means = "Figures of one topic" if topics == 1 else f"Means over {topics:,} topics"
    parts = [f"{means} in percent, against {done.gold.label}."]
    if style.with_se:
        parts.append("± standard error over topics.")
    if len(done.runs) > 1:
        other = done.spec.baseline or "the best run of the column"
        p = "Holm-adjusted p" if style.adjusted else "p"
        parts.append(f"Bold: best. {DAGGER}: differs from {other}, paired t-test, {p} < {ALPHA}.")
    return " ".join(parts)


# --- written ----------------------------------------------------------------------------------------------------------


def as_markdown(table: Table) -> str:
    """A Markdown table; headings above columns are put before their names."""
    lines = [
        "| " + " | ".join([table.corner, *(_plain(column.heading) for column in table.columns)]) + " |",
        "|---|" + "---:|" * len(table.columns),
    ]
    for row in table.rows:
        label = ("&nbsp;&nbsp;" if row.is_indented else "") + _plain(row.label)
        lines.append("| " + " | ".join([label, *(_markdown(cell) for cell in row.cells)]) + " |")
    return "\n\n".join(["\n".join(lines), *map(_plain, [table.caption, *table.notes]), ""])


def _plain(text: str) -> str:
    """Text in one line that Markdown prints as it is: names come from files."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def _markdown(cell: Cell) -> str:
    text = f"**{cell.text}**" if cell.is_best else cell.text
    return text + (DAGGER if cell.is_marked else "")


def as_latex(table: Table) -> str:
    """A table environment for a paper; notes follow it as comments."""
    lines = [r"\begin{table}", rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}", r"\hline"]
    for head in table.heads:
        cells = [rf"\multicolumn{{{span}}}{{c}}{{{escape(text)}}}" for text, span in head]
        lines.append(" & ".join(["", *cells]) + r" \\")
    lines.append(" & ".join([escape(table.corner), *(escape(column.label) for column in table.columns)]) + r" \\")
    lines.append(r"\hline")
    for row in table.rows:
        label = (r"\quad " if row.is_indented else "") + escape(row.label)
        lines.append(" & ".join([label, *(_latex(cell) for cell in row.cells)]) + r" \\")
    lines += [r"\hline", r"\end{tabular}", rf"\caption{{{_dagger(escape(table.caption))}}}", r"\end{table}"]
    return "\n".join([*lines, *(f"% {' '.join(note.split())}" for note in table.notes), ""])


def _dagger(text: str) -> str:
    return text.replace(DAGGER, r"$^\dagger$").replace("±", r"$\pm$")


def _latex(cell: Cell) -> str:
    if cell.text == "–":
        return "--"
    text = cell.text.replace("±", r"$\pm$")
    return (rf"\textbf{{{text}}}" if cell.is_best else text) + (r"$^\dagger$" if cell.is_marked else "")


def as_csv(table: Table) -> str:
    """The table as it is printed, marks included; figures in full are in `figures_csv`."""
    rows = ([row.label, *(cell.text + (DAGGER if cell.is_marked else "") for cell in row.cells)] for row in table.rows)
    return "".join(write_csv([table.corner, *(column.heading for column in table.columns)], rows))


FIGURE_COLUMNS = (
    *("run", "measure", "by", "n_topics", "value", "se", "low", "high", "method", "reason"),
    *("baseline", "p", "p_holm", "p_randomisation", "p_randomisation_holm", "gold"),
)


def figures_csv(parts: Sequence[EvaluationResult]) -> str:
    """A line for each figure in full, with its interval and, where there is a baseline, the tests against it."""
    return "".join(write_csv(FIGURE_COLUMNS, (row for done in parts for row in _figure_rows(done))))


def _figure_rows(done: EvaluationResult) -> Iterator[list[object]]:
    baseline = done.spec.baseline
    for each in done.subsets:
        by = "; ".join(f"{name}={'' if value is None else value}" for name, value in each.by.items())
        tests = {(test.measure, test.b if test.a == baseline else test.a): test for test in each.tests if baseline}
        for run, means in each.means.items():
            for measure, found in means.items():
                ci = found.ci
                test = tests.get((measure, run))
                yield [
                    *(run, measure, by, found.n_items, found.value, found.se),
                    *((ci.low, ci.high, ci.method) if ci else (None, None, "")),
                    str(found.reason or ""),
                    *((baseline, test.p, test.t_holm) if test else ("", None, None)),
                    *((test.randomisation.p, test.randomisation_holm) if test else (None, None)),
                    done.gold.selector,
                ]


WRITERS: dict[str, Callable[[Table], str]] = {"markdown": as_markdown, "latex": as_latex, "csv": as_csv}

"""Tables of evaluations as Markdown, LaTeX and CSV, and every figure in full as CSV."""

import csv
import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from adjudication.evaluation.further import further_tables
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.tables import DAGGER, NONE, ScoreCell, ScoreColumn, ScoreTable
from engines.formats.csv_text import write_csv
from engines.text.latex_escape import escape

STALE = "stale"  # the column that says so
_MARKDOWN = re.compile(r"[\\`*\[\]>|]|<(?=[A-Za-z/!?])|\b_|_\b")  # what would begin a mark-up


def write_report(form: str, table: ScoreTable, report: Mapping[str, Any]) -> str:
    """The table and what else was asked for (order under two golds, dependence on the pools) in one of `WRITERS`.

    In CSV the tables follow each other after an empty line.
    """
    tables = [table, *further_tables(report)]
    return ("\r\n" if form == "csv" else "\n").join(WRITERS[form](each) for each in tables)


def noted(table: ScoreTable, stale: str) -> ScoreTable:
    """The table with a first note (in CSV a column) that says what has changed since then; "" for nothing."""
    return replace(table, notes=(stale, *table.notes), stale=stale) if stale else table


def with_stale(text: str, stale: str) -> str:
    """Figures stored as CSV with a column that says what has changed since then; unchanged where nothing has."""
    header, *rows = csv.reader(io.StringIO(text)) if stale else ([], [])
    return "".join(write_csv([*header, STALE], [[*row, stale] for row in rows], guarded=False)) if stale else text


def as_markdown(table: ScoreTable) -> str:
    """A Markdown table; headings above columns are put before their names."""
    lines = [
        "| " + " | ".join([table.corner, *(_plain(column.heading) for column in table.columns)]) + " |",
        "|---|" + "".join("---|" if column.is_text else "---:|" for column in table.columns),
    ]
    for row, cells in table.named_rows:
        label = ("&nbsp;&nbsp;" if row.is_indented else "") + _plain(row.label)
        lines.append("| " + " | ".join([label, *(_markdown(cell, spread) for cell, spread in cells)]) + " |")
    return "\n\n".join(["\n".join(lines), *map(_plain, [table.full_caption, *table.notes]), ""])


def _plain(text: str) -> str:
    """Text in one line that Markdown prints as it is: names come from files."""
    return _MARKDOWN.sub(r"\\\g<0>", " ".join(text.split()))


def _markdown(cell: ScoreCell, spread: str) -> str:
    text = _plain(cell.text)
    text = (f"**{text}**" if cell.is_best else text) + (DAGGER if cell.is_marked else "")
    return f"{text} {spread}" if spread else text


def as_latex(table: ScoreTable) -> str:
    """A table environment for a paper; what a reader must know is printed below the caption."""
    sides = "".join("l" if column.is_text else "r" for column in table.columns)
    lines = [r"\begin{table}", rf"\begin{{tabular}}{{l{sides}}}", r"\hline"]
    for head in table.heads:
        cells = [rf"\multicolumn{{{span}}}{{c}}{{{escape(text)}}}" for text, span in head]
        lines.append(" & ".join(["", *cells]) + r" \\")
    lines.append(" & ".join([escape(table.corner), *(escape(column.label) for column in table.columns)]) + r" \\")
    lines.append(r"\hline")
    for row, figures in table.named_rows:
        label = (r"\quad " if row.is_indented else "") + escape(row.label)
        lines.append(" & ".join([label, *(_latex(cell, spread) for cell, spread in figures)]) + r" \\")
    lines += [r"\hline", r"\end{tabular}", rf"\caption{{{_latex_text(table.full_caption)}}}"]
    if table.notes:
        notes = r" \\ ".join(_latex_text(" ".join(note.split())) for note in table.notes)
        lines.append(rf"\par\footnotesize\raggedright {notes}")
    return "\n".join([*lines, r"\end{table}", ""])


def _latex_text(text: str) -> str:
    return escape(text).replace(DAGGER, r"$^\dagger$").replace(NONE, "--")


def _latex(cell: ScoreCell, spread: str) -> str:
    text = _latex_text(cell.text)
    text = (rf"\textbf{{{text}}}" if cell.is_best else text) + (r"$^\dagger$" if cell.is_marked else "")
    return f"{text} {escape(spread)}" if spread else text


def as_csv(table: ScoreTable) -> str:
    """The figures as they are printed, each a number in a separate column: figure, standard error and interval where
    they were asked for, how many topics count, †, and the reason where there is no figure."""
    columns = [(column, [row.cells[place] for row in table.rows]) for place, column in enumerate(table.columns)]
    found = [each for column, cells in columns for each in _csv_columns(table, column, cells)]
    found += [(STALE, [table.stale] * len(table.rows))] if table.stale else []
    rows = ([row.label, *(values[place] for _, values in found)] for place, row in enumerate(table.rows))
    return "".join(write_csv([table.corner, *(heading for heading, _ in found)], rows))


def _csv_columns(
    table: ScoreTable, column: ScoreColumn, cells: Sequence[ScoreCell]
) -> Iterator[tuple[str, Sequence[object]]]:
    """(heading, values) of what a column of the table becomes."""
    name = column.heading
    ends = [(f"{name} low", [cell.printed(cell.low) for cell in cells])]
    ends.append((f"{name} high", [cell.printed(cell.high) for cell in cells]))
    if column.is_interval:
        yield from ends
    else:
        yield name, [cell.text if column.is_text else _number(cell) for cell in cells]
    if table.with_se and any(cell.se is not None for cell in cells):
        yield f"{name} SE", [cell.printed(cell.se) for cell in cells]
    if table.with_interval and any(cell.interval for cell in cells):
        yield from ends
    if any(cell.n_topics is not None for cell in cells):
        yield f"{name} topics", [cell.n_topics for cell in cells]
    if any(cell.is_marked for cell in cells):
        yield f"{name} {DAGGER}", [DAGGER if cell.is_marked else "" for cell in cells]
    if any(cell.why for cell in cells):
        yield f"{name} reason", [cell.why for cell in cells]


def _number(cell: ScoreCell) -> str:
    return "" if cell.value is None else cell.printed(cell.value)


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


WRITERS: dict[str, Callable[[ScoreTable], str]] = {"markdown": as_markdown, "latex": as_latex, "csv": as_csv}

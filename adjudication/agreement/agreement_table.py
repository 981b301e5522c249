"""The table of a finished run to take away: Markdown and LaTeX to paste, CSV with every number in full."""

from collections.abc import Callable, Iterator
from typing import Any

from adjudication.agreement.report import AgreementReport, Entry, make_report
from adjudication.agreement.results import shape
from adjudication.agreement.standing import why_stale
from adjudication.models import AgreementRun
from annotation.campaigns.overrides import overrides_in
from engines.formats.csv_text import write_csv
from engines.text.latex_escape import escape

INTERVAL = ("low", "high", "level", "method", "unit", "resamples", "seed", "n_undefined")
COLUMNS = (
    *("criterion", "statistic", "block", "model", "annotators", "value", "reason"),
    *(*INTERVAL, "ci_reason", "n_items", "n_pairs", "n_excluded", "p", "p_holm", "flags", "excluded_pairs", "stale"),
)


def as_markdown(report: AgreementReport) -> str:
    """A table with the notes and the caption under it."""
    names = [column.name.replace("|", r"\|") for column in report.columns]
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---|" * len(names)]
    for label, cells in report.rows:
        lines.append(f"| {label} | " + " | ".join(_markdown_cell(cell) for cell in cells) + " |")
    for label, counts in _extents(report):
        lines.append(f"| {label} | " + " | ".join(counts) + " |")
    notes = [f"[{letter}] {note}." if letter else f"All figures: {note}." for letter, note in report.notes]
    return "\n\n".join(["\n".join(lines), *notes, report.caption, ""])


def as_latex(report: AgreementReport) -> str:
    """A table environment to be put into a paper as it is."""
    lines = [
        r"\begin{table}",
        rf"\begin{{tabular}}{{l{'r' * len(report.columns)}}}",
        r"\hline",
        " & ".join(["", *(escape(column.name) for column in report.columns)]) + r" \\",
        r"\hline",
    ]
    for label, cells in report.rows:
        lines.append(" & ".join([escape(label), *(_latex_cell(cell) for cell in cells)]) + r" \\")
    lines.append(r"\hline")
    for label, counts in _extents(report):
        lines.append(" & ".join([label, *(count.replace("–", "--") for count in counts)]) + r" \\")
    notes = [
        f"{_raised(letter)}{escape(note)}." if letter else f"All figures: {escape(note)}."
        for letter, note in report.notes
    ]
    caption = " ".join([escape(report.caption), *notes])
    return "\n".join([*lines, r"\hline", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}", ""])


def as_csv(run: AgreementRun, criterion: str, report: AgreementReport) -> str:
    """A line for each figure of the table, one for each test of people against a machine, one for each override."""
    tests = run.detail[criterion].get("comparisons", ())
    lines = [_line(criterion, {**shape(row), "block": row.block or row.scope}) for row in report.results]
    lines += [_line(criterion, {**test["difference"], **test, "block": "HH-GH"}) for test in tests]
    stale = [why_stale(run)]
    return "".join(write_csv(COLUMNS, [[*line, *stale] for line in (*lines, *_overridden(run, criterion))]))


FORMS: dict[str, Callable[[AgreementRun, str], str]] = {
    "markdown": lambda run, criterion: as_markdown(make_report(run, criterion)),
    "latex": lambda run, criterion: as_latex(make_report(run, criterion)),
    "csv": lambda run, criterion: as_csv(run, criterion, make_report(run, criterion)),
}


def tables_of(run: AgreementRun, form: str) -> dict[str, str]:
    """{criterion: its table in one of `FORMS`}, in the order of the campaign."""
    keys = run.campaign.criteria.values_list("key", flat=True)
    return {key: FORMS[form](run, key) for key in keys if key in run.detail}


def _extents(report: AgreementReport) -> list[tuple[str, list[str]]]:
    """The last two lines: n of each column."""
    return [
        ("Items", [column.n_items for column in report.columns]),
        ("Pairs", [column.n_pairs for column in report.columns]),
    ]


def _markdown_cell(cell: Entry) -> str:
    marks = f" [{', '.join(cell.marks)}]" if cell.marks else ""
    return (", ".join(filter(None, [cell.text, cell.test])) or "–") + marks


def _latex_cell(cell: Entry) -> str:
    test = f"$p < {cell.p[2:]}$" if cell.p.startswith("<") else f"$p = {cell.p}$" if cell.p else ""
    return (", ".join(filter(None, [escape(cell.text), test])) or "--") + (
        _raised(",".join(cell.marks)) if cell.marks else ""
    )


def _raised(letters: str) -> str:
    return rf"\textsuperscript{{{letters}}}"


def _overridden(run: AgreementRun, criterion: str) -> Iterator[list[object]]:
    """Machines that annotate without a passed test, with the whole sentence as the reason."""
    for each in overrides_in(run.campaign):
        if each.criterion == criterion:
            override = {"statistic": "machine_override", "model": each.machine, "reason": each.text}
            yield _line(criterion, {**override, "annotators": each.annotators})


def _line(criterion: str, found: dict[str, Any]) -> list[object]:
    """The cells of one line; what a figure does not have is empty."""
    pairs = [" and ".join(pair["annotators"]) for pair in found.get("excluded_pairs", ())]
    joined = {
        "criterion": criterion,
        "annotators": "; ".join(found["annotators"]),
        "flags": "; ".join(found.get("flags", ())),
        "excluded_pairs": "; ".join(pairs),
    }
    cells = {**found, **(found.get("ci") or {}), **joined}
    return [cells.get(name) for name in COLUMNS[:-1]]  # the last says of all lines whether they are of today

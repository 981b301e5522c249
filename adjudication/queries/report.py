"""The report of a finished run: one table for a paper, in Markdown and LaTeX, with the sentence that goes with it."""

from collections.abc import Iterable
from dataclasses import dataclass

from adjudication.models import AgreementFigure, AgreementResult, AgreementRun
from adjudication.queries.agreement import BLOCKS, SHARES, STATISTICS, comparisons, method_sentence

ROWS = ("macro_f1", "accuracy", "cohen_kappa", "spearman", "alpha_ordinal", "gwet_ac1")
ALONE = "fewer_than_two_annotators"  # a block that cannot be: one run, or one person
UNITS = "Agreement and macro F1 in percent; in brackets the interval."
FIGURES = {
    "forest": "Forest plot",
    "matrix": "Matrix of pairs",
    "confusion": "Confusion matrices",
    "topics": "Heat map of topics",
}
ESCAPES = {
    **{sign: rf"\{sign}" for sign in "%&_#${}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
    "α": r"$\alpha$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "−": "$-$",
    "<": "$<$",
}


@dataclass(frozen=True)
class Entry:
    """One cell of the table: value with interval, or "undefined" with its reason; "" where nothing was computed."""

    text: str
    p: str = ""


@dataclass(frozen=True)
class Report:
    """The table, its heading, and the two texts to paste."""

    columns: list[str]
    rows: list[tuple[str, list[Entry]]]
    caption: str
    markdown: str
    latex: str

    @property
    def named_rows(self) -> list[tuple[str, list[tuple[str, Entry]]]]:
        """The rows with the column's name at each cell, for narrow screens."""
        return [(label, list(zip(self.columns, cells, strict=True))) for label, cells in self.rows]


def make_report(run: AgreementRun, criterion: str) -> Report:
    """The figures of DORIS-MAE's Table 1 and a few more: a row for each statistic, a column for each block there is."""
    results = list(run.results.filter(criterion=criterion, statistic__in=ROWS, scope__in=["block", "all", "mean"]))
    columns = _columns(results)
    rows = [(STATISTICS[name], [_entry(results, name, key) for key in columns]) for name in ROWS]
    rows = [(label, cells) for label, cells in rows if any(cell.text for cell in cells)]
    names = [_name(key) for key in columns]
    caption = " ".join(filter(None, [UNITS, method_sentence(run, criterion), test_sentence(run, criterion)]))
    return Report(names, rows, caption, _markdown(names, rows, caption), _latex(names, rows, caption))


def test_sentence(run: AgreementRun, criterion: str) -> str:
    """What the p of the table test, with each difference, its interval and corrected p; "" without machines."""
    planned = [one for one in comparisons(run, criterion) if one.is_planned and one.p]
    if not planned:
        return ""
    told = "; ".join(
        f"{one.label} ({one.model}) {one.value} ({one.low} to {one.high}), n {one.n_items:,}, Holm-adjusted p"
        f" {one.p_holm}, {one.verdict}"
        for one in planned
    )
    return (
        "p tests that people agree with each other as they do with the machine, by the paired difference on the"
        " items with two human labels and one of every run:"
        f" {told}. A large p is no evidence that there is no difference."
    )


@dataclass(frozen=True)
class Drawn:
    """One figure for papers, with its files."""

    label: str
    files: list[AgreementFigure]


def figures_by_name(files: Iterable[AgreementFigure]) -> list[Drawn]:
    """The files of a run as figures, in the order they were drawn."""
    names: dict[str, list[AgreementFigure]] = {}
    for file in files:
        names.setdefault(file.name, []).append(file)
    return [Drawn(figure_label(name), found) for name, found in names.items()]


def figure_label(name: str) -> str:
    """What a stored figure shows, in words; names are kind_statistic, or confusion_page."""
    kind, _, rest = name.partition("_")
    return f"{FIGURES[kind]}: {STATISTICS[rest]}" if rest in STATISTICS else f"{FIGURES[kind]} {rest}"


def _columns(results: list[AgreementResult]) -> list[tuple[str, str]]:
    """(block, model) of each column; ("", "") is all annotators together, where there is nothing to set apart."""
    found = dict.fromkeys((row.block, row.model) for row in results if row.scope == "block" and row.reason != ALONE)
    ordered = sorted(found, key=lambda key: (list(BLOCKS).index(key[0]), key[1]))
    return ordered if len({block for block, _ in ordered}) > 1 else [("", "")]


def _name(key: tuple[str, str]) -> str:
    block, model = key
    if not block:
        return "All annotators"
    return f"{BLOCKS[block]} ({model})" if model else BLOCKS[block]


def _entry(results: list[AgreementResult], statistic: str, key: tuple[str, str]) -> Entry:
    for row in results:
        wanted = (row.block, row.model) == key if key[0] else row.scope in ("all", "mean")
        if row.statistic == statistic and wanted and row.value is None:
            return Entry(f"undefined ({row.reason.replace('_', ' ')})")
        if row.statistic == statistic and wanted:
            return Entry(_text(row), "" if row.p is None else f"{row.p:.3f}")
    return Entry("")


def _text(row: AgreementResult) -> str:
    """Percentages with two decimals, as statistics.md 4.2 says that 10,000 resamples give; coefficients with three."""
    scale, places = (100, 2) if row.statistic in SHARES else (1, 3)
    value = f"{scale * (row.value or 0):.{places}f}"
    if not row.ci:
        return value
    return f"{value} ({scale * row.ci['low']:.{places}f}, {scale * row.ci['high']:.{places}f})"


def _markdown(columns: list[str], rows: list[tuple[str, list[Entry]]], caption: str) -> str:
    lines = ["| | " + " | ".join(name.replace("|", r"\|") for name in columns) + " |", "|---|" + "---|" * len(columns)]
    for label, cells in rows:
        lines.append(f"| {label} | " + " | ".join(_with_p(cell, "p = ") for cell in cells) + " |")
    return "\n".join([*lines, "", caption, ""])


def _latex(columns: list[str], rows: list[tuple[str, list[Entry]]], caption: str) -> str:
    lines = [
        r"\begin{table}",
        rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\hline",
        " & ".join(["", *map(escape, columns)]) + r" \\",
        r"\hline",
    ]
    for label, cells in rows:
        lines.append(" & ".join([escape(label), *(_with_p(cell, "$p$ = ") for cell in cells)]) + r" \\")
    return "\n".join([*lines, r"\hline", r"\end{tabular}", rf"\caption{{{escape(caption)}}}", r"\end{table}", ""])


def _with_p(cell: Entry, before: str) -> str:
    return f"{cell.text}, {before}{cell.p}" if cell.p else cell.text or "–"


def escape(text: str) -> str:
    """Text as LaTeX prints it: signs that mean something there, and Greek letters as mathematics."""
    return "".join(ESCAPES.get(sign, sign) for sign in text)

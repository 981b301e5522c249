"""The figures of citation contexts as tables to take away: table 1 of ACM-CR with coverage, and figures per paper."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engines.formats.csv_text import write_csv
from engines.text.latex_escape import escape

CAPTION = (
    "Citation contexts of {papers:,} papers. Tokens, characters and citations are means per context; paragraphs are all"
    " contexts, sentences those that cite. Coverage: texts of which no cited work is in the collection (none), some but"
    " not all are, or all; and the mean share of a text's citations that are."
)
PER_PAPER = "Figures per paper, of {papers:,} papers. Coverage is the share of a paper's references in the collection."
MEASURED = ("tokens", "characters", "citations")
COLUMNS = (
    *("contexts", "number", "queries"),
    *(f"{name}{part}" for name in MEASURED for part in ("", "_min", "_max")),
    *("none", "some", "all", "mean_coverage"),
)
PAPER_LABELS = {
    "contexts": "Paragraphs",
    "context_topics": "Queries of paragraphs",
    "sentences": "Sentences",
    "citing_sentences": "Citing sentences",
    "sentence_topics": "Queries of sentences",
    "anonymised_sentences": "Anonymised sentences",
    "references": "References",
    "references_in_collection": "References in the collection",
    "coverage": "Coverage of references",
}


@dataclass(frozen=True)
class ContextFigure:
    """A mean with its range; None where nothing was counted."""

    mean: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class TableRow:
    """One line: counts, means with ranges, texts by how many of their citations are known, and the mean share."""

    label: str
    number: int
    queries: int
    tokens: ContextFigure
    chars: ContextFigure
    cites: ContextFigure
    none: int
    some: int
    all: int
    coverage: float | None

    @property
    def figures(self) -> list[tuple[str, ContextFigure, str]]:
        """Name, figure, and how a page rounds its mean."""
        return [("Tokens", self.tokens, "1g"), ("Characters", self.chars, "0g"), ("Citations", self.cites, "1g")]

    def cells(self) -> list[object]:
        """The line under `COLUMNS`."""
        figures = [cell for one in (self.tokens, self.chars, self.cites) for cell in (one.mean, one.low, one.high)]
        return [self.label, self.number, self.queries, *figures, self.none, self.some, self.all, self.coverage]


@dataclass(frozen=True)
class ContextRow:
    """One figure over the papers; counts but for coverage, which is a share."""

    label: str
    is_share: bool
    figure: ContextFigure


def table_rows(figures: Mapping[str, Any]) -> list[TableRow]:
    """The two lines of the table from the figures as `collection_stats` gives them."""
    return [
        _table_row(figures, "Paragraphs", "contexts", "context_topics", "context"),
        _table_row(figures, "Sentences", "citing_sentences", "sentence_topics", "sentence"),
    ]


def paper_rows(figures: Mapping[str, Any]) -> list[ContextRow]:
    """A line for each figure per paper; none for figures that were stored before there were any."""
    found = figures.get("per_paper", {})
    return [
        ContextRow(
            label, name == "coverage", ContextFigure(found[name]["mean"], found[name]["min"], found[name]["max"])
        )
        for name, label in PAPER_LABELS.items()
        if name in found
    ]


def as_csv(figures: Mapping[str, Any]) -> str:
    """The table with a header."""
    return "".join(write_csv(COLUMNS, (row.cells() for row in table_rows(figures))))


def papers_csv(figures: Mapping[str, Any]) -> str:
    """A line for each paper with its counts."""
    names = ("paper", *PAPER_LABELS)
    return "".join(write_csv(names, ([paper[name] for name in names] for paper in figures.get("by_paper", []))))


def as_latex(figures: Mapping[str, Any]) -> str:
    """The tables as LaTeX, to be put into a paper as they are."""
    head = ["Context", r"\#nb", r"\#queries", r"\#tokens", r"\#char.", r"\#cit.", "none", "some", "all", "mean"]
    lines = []
    for row in table_rows(figures):
        means = (_fixed(row.tokens.mean, 1), _fixed(row.chars.mean, 0), _fixed(row.cites.mean, 1))
        counts = (f"{row.none:,}", f"{row.some:,}", f"{row.all:,}", _fixed(row.coverage, 2))
        lines.append([row.label, f"{row.number:,}", f"{row.queries:,}", *means, *counts])
    table = _latex(head, lines, CAPTION.format(papers=figures["papers"]))
    lines = []
    for each in paper_rows(figures):
        of_mean, of_ends = (2, 2) if each.is_share else (1, 0)
        ends = (_fixed(end, of_ends) for end in (each.figure.low, each.figure.high))
        lines.append([each.label, _fixed(each.figure.mean, of_mean), *ends])
    return table + _latex(["Per paper", "mean", "min", "max"], lines, PER_PAPER.format(papers=figures["papers"]))


def _latex(head: list[str], lines: list[list[str]], caption: str) -> str:
    """One table; "" without lines."""
    if not lines:
        return ""
    begin = [r"\begin{table}", rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\hline"]
    rows = [" & ".join(cells) + r" \\" for cells in lines]
    end = [r"\hline", r"\end{tabular}", rf"\caption{{{escape(caption)}}}", r"\end{table}", ""]
    return "\n".join([*begin, " & ".join(head) + r" \\", r"\hline", *rows, *end])


def _table_row(figures: Mapping[str, Any], label: str, number: str, queries: str, one: str) -> TableRow:
    means, ranges = figures[f"{one}_means"], figures.get(f"{one}_ranges", {})
    spans = {name: ranges.get(name, {}) for name in means}
    tokens, chars, cites = (
        ContextFigure(means[name], spans[name].get("min"), spans[name].get("max"))
        for name in ("tokens", "chars", "cites")
    )
    found = figures["coverage"][f"{one}s"]
    parts = (found["none"], found["some"], found["all"], found.get("mean"))
    return TableRow(label, figures[number], figures[queries], tokens, chars, cites, *parts)


def _fixed(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:,.{places}f}"

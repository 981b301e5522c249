"""The figures of citation contexts as a table to take away: table 1 of ACM-CR, and coverage."""

from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any

from adjudication.queries.report import escape
from corpus.formats.csv_text import write_csv

CAPTION = (
    "Citation contexts of {papers:,} papers. Tokens, characters and citations are means per context; paragraphs are all"
    " contexts, sentences those that cite. Coverage: texts that cite no work of the collection (0), at least one (1+),"
    " only such works (all)."
)
COLUMNS = ("contexts", "number", "queries", "tokens", "characters", "citations", "0", "1+", "all")


@dataclass(frozen=True)
class TableRow:
    """One line: counts, means (None where nothing was counted) and coverage."""

    label: str
    number: int
    queries: int
    tokens: float | None
    chars: float | None
    cites: float | None
    none: int
    any: int
    all: int


def table_rows(figures: Mapping[str, Any]) -> list[TableRow]:
    """The two lines of the table from the figures as `collection_stats` gives them."""
    return [
        TableRow(label, figures[number], figures[queries], *_means(figures[means]), *_coverage(figures, part))
        for label, number, queries, means, part in (
            ("Paragraphs", "contexts", "context_topics", "context_means", "contexts"),
            ("Sentences", "citing_sentences", "sentence_topics", "sentence_means", "sentences"),
        )
    ]


def as_csv(figures: Mapping[str, Any]) -> str:
    """The table with a header."""
    return "".join(write_csv(COLUMNS, map(astuple, table_rows(figures))))


def as_latex(figures: Mapping[str, Any]) -> str:
    """The table as LaTeX, to be put into a paper as it is."""
    head = ["Context", r"\#nb", r"\#queries", r"\#tokens", r"\#char.", r"\#cit.", "0", "1+", "all"]
    lines = [r"\begin{table}", r"\begin{tabular}{lrrrrrrrr}", r"\hline", " & ".join(head) + r" \\", r"\hline"]
    for row in table_rows(figures):
        cells = [row.label, f"{row.number:,}", f"{row.queries:,}", _fixed(row.tokens, 1), _fixed(row.chars, 0)]
        cells += [_fixed(row.cites, 1), f"{row.none:,}", f"{row.any:,}", f"{row.all:,}"]
        lines.append(" & ".join(cells) + r" \\")
    caption = escape(CAPTION.format(papers=figures["papers"]))
    return "\n".join([*lines, r"\hline", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}", ""])


def _means(means: Mapping[str, float | None]) -> tuple[float | None, float | None, float | None]:
    return means["tokens"], means["chars"], means["cites"]


def _coverage(figures: Mapping[str, Any], part: str) -> tuple[int, int, int]:
    found = figures["coverage"][part]
    return found["none"], found["any"], found["all"]


def _fixed(value: float | None, places: int) -> str:
    return "–" if value is None else f"{value:,.{places}f}"

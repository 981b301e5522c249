"""The tables of ACM-CR (Boudin 2021): what the collection holds, and retrieval by paragraph and by sentence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from accounts.refusals import Refused
from adjudication.evaluation.presets.preset import Part, Preset
from adjudication.evaluation.reads.result import EvaluationResult
from adjudication.evaluation.reads.tables import Cell, Column, Row, Style, Table, build_table, caption
from adjudication.papers.context_table import table_rows
from annotation.papers.reads.gold import context_figures
from corpus.models import Collection

MEASURES = ("R@10", "nDCG@10")


class Table1(Preset):
    name = "acm-cr-1"
    label = "ACM-CR Table 1: the citation contexts"
    about = "How many paragraphs and sentences there are, how many are queries, and how long they are."

    def table(self, collection: Collection, done: Sequence[EvaluationResult]) -> Table:  # noqa: ARG002
        figures = context_figures(collection)
        if not figures.get("papers"):
            raise Refused("The collection has no papers, so it has no citation contexts.")
        columns = tuple(map(Column, ("#nb", "#queries", "#tokens", "#char.", "#cit.")))
        rows = []
        for row in table_rows(figures):
            means = [(row.tokens.mean, 1), (row.chars.mean, 0), (row.cites.mean, 1)]
            texts = ["–" if mean is None else f"{mean:,.{places}f}" for mean, places in means]
            rows.append(Row(row.label, tuple(map(Cell, [f"{row.number:,}", f"{row.queries:,}", *texts]))))
        text = "Citation contexts: number, number with a cited document in the collection, mean length and citations."
        return Table("Context", columns, tuple(rows), text)


class Table2(Preset):
    name = "acm-cr-2"
    label = "ACM-CR Table 2: retrieval by paragraph and by sentence"
    about = "R@10 and nDCG@10 of paragraphs and sentences; † differs from the first run."
    parts: ClassVar = (Part("contexts:paragraph", MEASURES), Part("contexts:sentence", MEASURES))
    needs_baseline = True
    style: ClassVar[Style] = Style(places=2, adjusted=False)

    def table(self, collection: Collection, done: Sequence[EvaluationResult]) -> Table:  # noqa: ARG002
        halves = []
        for title, each in zip(("Paragraphs", "Sentences"), done, strict=True):
            columns = [(Column(measure, (title,)), each.whole, measure) for measure in MEASURES]
            halves.append(build_table(each, columns, caption(each, self.style), self.style))
        first, second = halves
        rows = [replace(one, cells=one.cells + two.cells) for one, two in zip(first.rows, second.rows, strict=True)]
        notes = tuple(dict.fromkeys(first.notes + second.notes))
        text = f"Paragraphs: {first.caption} Sentences: {second.caption}"
        return replace(first, columns=first.columns + second.columns, rows=tuple(rows), caption=text, notes=notes)

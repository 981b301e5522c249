"""The tables of ACM-CR (Boudin 2021): what the collection holds, and retrieval by paragraph and by sentence."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from accounts.refusals import Refused
from adjudication.evaluation.layout import build_table
from adjudication.evaluation.presets.preset import PAPERS, Preset, PresetPart
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import NONE, ScoreCell, ScoreColumn, ScoreRow, ScoreTable, Style
from adjudication.papers.context_table import table_rows
from annotation.papers.gold import context_figures
from corpus.models import Collection

MEASURES = ("R@10", "nDCG@10")


class AcmCrTable1(Preset):
    name = "acm-cr-1"
    label = "ACM-CR Table 1: the citation contexts"
    about = "How many paragraphs and sentences there are, how many are queries, and how long they are."
    needs = PAPERS
    measures_runs = False

    def inputs(self, collection: Collection, specs: Sequence[EvaluationSpec]) -> object:  # noqa: ARG002
        return context_figures(collection)

    def table(
        self,
        collection: Collection,
        specs: Sequence[EvaluationSpec],  # noqa: ARG002
        done: Sequence[EvaluationResult],  # noqa: ARG002
    ) -> ScoreTable:
        figures = context_figures(collection)
        if not figures.get("papers"):
            raise Refused("The collection has no papers, so it has no citation contexts.")
        columns = tuple(map(ScoreColumn, ("#nb", "#queries", "#tokens", "#char.", "#cit.")))
        rows = []
        for row in table_rows(figures):
            means = [(row.tokens.mean, 1), (row.chars.mean, 0), (row.cites.mean, 1)]
            numbers = [(row.number, 0), (row.queries, 0), *means]
            rows.append(ScoreRow(row.label, tuple(_cell(number, places) for number, places in numbers)))
        text = "Citation contexts: number, number with a cited document in the collection, mean length and citations."
        text += " A citation that appears twice in a text counts twice."
        return ScoreTable("Context", columns, tuple(rows), text)


def _cell(number: float | None, places: int) -> ScoreCell:
    if number is None:
        return ScoreCell(NONE, why="there are no such contexts")
    return ScoreCell(f"{number:,.{places}f}", number, places=places)


class AcmCrTable2(Preset):
    name = "acm-cr-2"
    label = "ACM-CR Table 2: retrieval by paragraph and by sentence"
    about = "R@10 and nDCG@10 of paragraphs and sentences; † differs from the first run."
    needs = PAPERS
    parts: ClassVar = (PresetPart("contexts:paragraph", MEASURES), PresetPart("contexts:sentence", MEASURES))
    needs_baseline = True
    style: ClassVar[Style] = Style(places=2, adjusted=False)

    def table(
        self,
        collection: Collection,  # noqa: ARG002
        specs: Sequence[EvaluationSpec],  # noqa: ARG002
        done: Sequence[EvaluationResult],
    ) -> ScoreTable:
        halves = []
        for title, each in zip(("Paragraphs", "Sentences"), done, strict=True):
            columns = [(ScoreColumn(measure, (title,)), each.whole, measure) for measure in MEASURES]
            halves.append(build_table(each, columns, self.style))
        first, second = halves

        def both(one: str, two: str) -> str:
            return one if one == two else f"Paragraphs: {one} Sentences: {two}"

        return replace(
            first,
            columns=first.columns + second.columns,
            rows=tuple(replace(a, cells=a.cells + b.cells) for a, b in zip(first.rows, second.rows, strict=True)),
            caption=both(first.caption, second.caption),
            notes=tuple(dict.fromkeys(first.notes + second.notes)),
            se_about=both(first.se_about, second.se_about),
            interval_about=both(first.interval_about, second.interval_about),
        )

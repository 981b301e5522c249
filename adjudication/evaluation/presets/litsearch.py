"""The tables of LitSearch (Ajith et al. 2024): recall of targets by source, specificity and quality of questions."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from adjudication.evaluation.layout import build_table
from adjudication.evaluation.presets.preset import QUESTIONS, Preset, PresetPart, subset
from adjudication.evaluation.result import EvaluationResult, SubsetFigures
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreColumn, ScoreTable
from corpus.models import Collection

KEPT = "targets;questions=kept"
BROAD, SPECIFIC = "0", "1"
ORIGINS = {"inline": "Inline-citation", "author": "Author-written"}
FULL_TEXT = ("full", "fulltext", "full-text")
DISCOUNTS = (
    "nDCG@10 discounts by 1/log2(rank + 1), as trec_eval and other benchmarks do; LitSearch_nDCG@10 by 1/rank, over "
    "the best order of all relevant documents, as the function calculate_ndcg of LitSearch's repository does."
)
UNKNOWN_DISCOUNT = (
    "It is not known which of the two the paper's Table 8 reports: it says nDCG@10, and nothing in its repository"
    " calls "
    "calculate_ndcg."
)
Figure = tuple[ScoreColumn, SubsetFigures | None, str]
Cells = list[Figure]


class LitSearchPreset(Preset):
    """A table whose columns are measures of subsets: `cells` names them."""

    needs = QUESTIONS
    parts: ClassVar = (PresetPart(KEPT, ("R@5", "R@20"), ("origin", "specificity")),)

    @abstractmethod
    def columns(self, done: EvaluationResult) -> Cells:
        """What stands in each column: its heading, the figures of its subset, the measure."""

    def run_label(self, run: str) -> tuple[str, bool]:
        return run, False

    def table(
        self,
        collection: Collection,  # noqa: ARG002
        specs: Sequence[EvaluationSpec],  # noqa: ARG002
        done: Sequence[EvaluationResult],
    ) -> ScoreTable:
        (only,) = done
        return build_table(only, self.columns(only), self.style, self.run_label)


def _of(done: EvaluationResult, measure: str, groups: tuple[str, ...], heading: str = "", **by: str) -> Figure:
    return ScoreColumn(heading or measure, groups), subset(done, by), measure


def _origins(done: EvaluationResult, columns: Sequence[tuple[str, str, str]]) -> Cells:
    """For each origin of questions these (heading, specificity, measure)."""
    return [
        _of(done, measure, (title, heading), origin=origin, specificity=level)
        for origin, title in ORIGINS.items()
        for heading, level, measure in columns
    ]


class Table3(LitSearchPreset):
    name = "litsearch-3"
    label = "LitSearch Table 3: recall by source and specificity"
    about = "R@20 of broad questions, R@5 and R@20 of specific ones, by source and on average."

    def columns(self, done: EvaluationResult) -> Cells:
        kinds = (("Broad", BROAD, "R@20"), ("Specific", SPECIFIC, "R@5"), ("Specific", SPECIFIC, "R@20"))
        return [
            *_origins(done, kinds),
            _of(done, "R@20", ("Avg.", "Broad"), specificity=BROAD),
            _of(done, "R@5", ("Avg.", "Specific"), specificity=SPECIFIC),
        ]


class Table4(LitSearchPreset):
    name = "litsearch-4"
    label = "LitSearch Table 4: recall by quality"
    about = "R@5 of specific questions of quality 1 and 2, by source."
    parts: ClassVar = (PresetPart(KEPT, ("R@5",), ("origin", "specificity", "quality")),)

    def columns(self, done: EvaluationResult) -> Cells:
        return [
            _of(
                done,
                "R@5",
                (f"{title} (specific)", f"Qual={quality}"),
                origin=origin,
                specificity=SPECIFIC,
                quality=quality,
            )
            for origin, title in ORIGINS.items()
            for quality in ("1", "2")
        ]


class Table5(LitSearchPreset):
    name = "litsearch-5"
    label = "LitSearch Table 5: title and abstract against full text"
    about = "R@20 of broad and R@5 of specific questions; runs named “… full” stand below the run they belong to."

    def columns(self, done: EvaluationResult) -> Cells:
        return _origins(done, (("Broad", BROAD, "R@20"), ("Specific", SPECIFIC, "R@5")))

    def run_label(self, run: str) -> tuple[str, bool]:
        words = run.lower().replace("_", "-").split("-")
        return ("w/ full", True) if len(words) > 1 and words[-1] in FULL_TEXT else (run, False)


class LitSearchTable6(LitSearchPreset):
    name = "litsearch-6"
    label = "LitSearch Table 6: citing papers inside and outside the collection"
    about = "R@20 of broad and R@5 of specific inline questions by where they come from: for one-hop expansion."
    parts: ClassVar = (PresetPart(KEPT, ("R@5", "R@20"), ("inline", "specificity")),)

    def columns(self, done: EvaluationResult) -> Cells:
        return [
            _of(done, measure, (title, heading), inline=inside, specificity=level)
            for inside, title in (("inside", "ACL"), ("outside", "Non-ACL"))
            for heading, level, measure in (("Broad", BROAD, "R@20"), ("Specific", SPECIFIC, "R@5"))
        ]


class LitSearchTable7(LitSearchPreset):
    name = "litsearch-7"
    label = "LitSearch Table 7: search engines on sampled questions"
    about = "R@5 of specific questions by source; over the questions that every run answers, such as a sample."
    parts: ClassVar = (PresetPart(KEPT, ("R@5",), ("origin", "specificity"), "common"),)

    def columns(self, done: EvaluationResult) -> Cells:
        return [
            _of(done, "R@5", (f"{title} (specific)",), origin=origin, specificity=SPECIFIC)
            for origin, title in ORIGINS.items()
        ]


class LitSearchTable8(LitSearchPreset):
    """The paper says nDCG@10. Its repository has a function of that name which discounts by 1/rank and which nothing
    there calls, so both are printed, each under its own name."""

    name = "litsearch-8"
    label = "LitSearch Table 8: nDCG@10 for comparison with other benchmarks"
    about = "nDCG@10 of broad and of specific questions, and LitSearch_nDCG@10, which discounts by 1/rank."
    parts: ClassVar = (PresetPart(KEPT, ("nDCG@10", "LitSearch_nDCG@10"), ("specificity",)),)

    def columns(self, done: EvaluationResult) -> Cells:
        return [
            _of(done, measure, (f"{measure}, {discount}",), heading=word, specificity=level)
            for measure, discount in (("nDCG@10", "1/log2(rank + 1)"), ("LitSearch_nDCG@10", "1/rank"))
            for word, level in (("Broad", BROAD), ("Specific", SPECIFIC))
        ]

    def table(
        self, collection: Collection, specs: Sequence[EvaluationSpec], done: Sequence[EvaluationResult]
    ) -> ScoreTable:
        table = super().table(collection, specs, done)
        return replace(table, caption=f"{table.caption} {DISCOUNTS}", notes=(*table.notes, UNKNOWN_DISCOUNT))

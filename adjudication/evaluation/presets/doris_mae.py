"""The tables of DORIS-MAE (Wang et al. 2023): seven measures with standard errors, next to shuffled pools."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from adjudication.evaluation.presets.preset import Part, Preset, subset
from adjudication.evaluation.reads.result import EvaluationResult
from adjudication.evaluation.reads.tables import Column, Style, Table, build_table, caption
from corpus.models import Collection

MEASURES = ("R@5", "R@20", "Rprec", "nDCG_pool@10%", "nDCG_exp@10%", "DORIS_RR@10", "AP")
PRINTED = {
    "R@5": "R@5",
    "R@20": "R@20",
    "Rprec": "RP",
    "nDCG_exp@10%": "NDCG exp 10%",
    "DORIS_RR@10": "MRR@10",
    "AP": "MAP",
}


class DorisPreset(Preset):
    parts: ClassVar = (Part("campaign", MEASURES),)
    style: ClassVar[Style] = Style(places=2, with_se=True)
    topics: ClassVar[Mapping[str, str]] = {}  # the attributes of the topics that count

    def table(self, collection: Collection, done: Sequence[EvaluationResult]) -> Table:  # noqa: ARG002
        (only,) = done
        figures = subset(only, self.topics)
        columns = [(Column(printed), figures, measure) for measure, printed in PRINTED.items()]
        return build_table(only, columns, caption(only, self.style, figures), self.style)


class Table2(DorisPreset):
    name = "doris-2"
    label = "DORIS-MAE Table 2: complex queries"
    about = "Seven measures with standard errors, next to random orders of each pool."
    random = True


class Table6(DorisPreset):
    name = "doris-6"
    label = "DORIS-MAE Table 6: given the aspects"
    about = "The same measures for runs that searched with the texts of the aspects."
    style = Style(places=2)


class Table7(DorisPreset):
    name = "doris-7"
    label = "DORIS-MAE Table 7: sub-queries of two aspects"
    about = "The same measures for sub-queries of two aspects, by the verdicts on them; others are left out."
    parts: ClassVar = (Part("sub-queries", MEASURES, ("aspects",)),)
    topics: ClassVar = {"aspects": "2"}
    style = Style(places=2)


class Table8(DorisPreset):
    name = "doris-8"
    label = "DORIS-MAE Table 8: test queries, trained against pretrained"
    about = "The same measures over the topics of the test split."
    parts: ClassVar = (Part("campaign", MEASURES, ("split",)),)
    topics: ClassVar = {"split": "test"}

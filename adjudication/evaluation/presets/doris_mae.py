"""The tables of runs of DORIS-MAE (Wang et al. 2023): seven measures with standard errors, next to shuffled pools."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from accounts.refusals import Refused
from adjudication.evaluation.layout import build_table
from adjudication.evaluation.presets.preset import ASPECTS, Preset, PresetPart, subset
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.subsets import STORED
from adjudication.evaluation.tables import ScoreColumn, ScoreTable, Style
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
TEST = "test"  # the part of a split that Table 8 is about


class DorisPreset(Preset):
    needs = ASPECTS
    parts: ClassVar = (PresetPart("campaign", MEASURES),)
    interval = "percentile"  # whose standard errors are those of a bootstrap
    style: ClassVar[Style] = Style(places=2, with_se=True)
    topics: ClassVar[Mapping[str, str]] = {}  # the attributes of the topics that count

    def wanted(self, specs: Sequence[EvaluationSpec]) -> Mapping[str, str]:  # noqa: ARG002 - for subclasses
        return self.topics

    def table(
        self,
        collection: Collection,  # noqa: ARG002
        specs: Sequence[EvaluationSpec],
        done: Sequence[EvaluationResult],
    ) -> ScoreTable:
        (only,) = done
        figures = subset(only, self.wanted(specs))
        return build_table(
            only, [(ScoreColumn(label), figures, measure) for measure, label in PRINTED.items()], self.style
        )


class DorisTable2(DorisPreset):
    name = "doris-2"
    label = "DORIS-MAE Table 2: complex queries"
    about = "Seven measures with standard errors, next to random orders of each pool."
    random = True


class DorisTable6(DorisPreset):
    name = "doris-6"
    label = "DORIS-MAE Table 6: given the aspects"
    about = "The same measures for runs that searched with the texts of the aspects."
    style = Style(places=2)


class DorisTable7(DorisPreset):
    name = "doris-7"
    label = "DORIS-MAE Table 7: sub-queries of two aspects"
    about = "The same measures for sub-queries of two aspects, by the verdicts on them; others are left out."
    parts: ClassVar = (PresetPart("sub-queries", MEASURES, ("aspects",)),)
    topics: ClassVar = {"aspects": "2"}
    style = Style(places=2)


class DorisTable8(DorisPreset):
    name = "doris-8"
    label = "DORIS-MAE Table 8: test queries, trained against pretrained"
    about = "The same measures over the topics in the part “test” of a split that was drawn."

    def specs(self, collection: Collection, spec: EvaluationSpec) -> list[EvaluationSpec]:
        by = (STORED + _split(collection, spec.by),)
        return [replace(each, by=by) for each in super().specs(collection, spec)]

    def wanted(self, specs: Sequence[EvaluationSpec]) -> Mapping[str, str]:
        return {specs[0].by[0]: TEST}


def _split(collection: Collection, by: Sequence[str]) -> str:
    """The split with a part “test”: the one that `by` names, else the only one. Errors: Refused, with what there is."""
    known = [split.name for split in collection.splits.all() if TEST in split.parts]
    asked = [name.removeprefix(STORED) for name in by if name.startswith(STORED)]
    found = [name for name in known if name in asked] if asked else known
    if len(found) == 1:
        return found[0]
    if not known:
        raise Refused(f"No split of the topics has a part “{TEST}”. Draw a split first, such as dev=40 test=60.")
    names = ", ".join(STORED + name for name in known)
    if asked:
        raise Refused(f"{', '.join(asked)} is not a split with a part “{TEST}”. Break down by one of {names}.")
    raise Refused(f"Several splits have a part “{TEST}”: break down by one of {names}.")

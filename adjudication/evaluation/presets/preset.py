"""What a report preset is: the evaluations a paper's table is made of, and how it is laid out.

Another package subclasses `Preset` and declares an instance under the entry points `litmus.evaluation_presets`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from accounts.refusals import Refused
from adjudication.evaluation.result import EvaluationResult, SubsetFigures
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreTable, Style
from corpus.models import Collection

PAPERS, QUESTIONS, ASPECTS = "papers", "questions", "aspects"  # what a collection may hold


@dataclass(frozen=True)
class PresetPart:
    """One of a preset's evaluations: its gold unless another was asked for, and what is broken down by what."""

    gold: str
    measures: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    topics: str = ""  # those that were asked for, unless the paper's table is about others


class Preset(ABC):
    """One table of a paper."""

    name: str
    label: str
    about: str
    parts: ClassVar[tuple[PresetPart, ...]] = ()
    needs: ClassVar[str] = ""  # what a collection holds whose table it can be: PAPERS, QUESTIONS or ASPECTS
    measures_runs: ClassVar[bool] = True  # else it is about the collection, or the labels behind its gold
    random: ClassVar[bool] = False
    needs_baseline: ClassVar[bool] = False  # the first run, unless another is asked for
    interval: ClassVar[str] = ""  # how the paper made its intervals and errors, unless another way is asked for
    style: ClassVar[Style] = Style(places=1)

    def check(self, spec: EvaluationSpec) -> None:
        """Errors: Refused for a gold where the table itself has several golds or none."""
        if spec.gold and len(self.parts) != 1:
            golds = " and ".join(part.gold for part in self.parts)
            raise Refused(f"{self.label} has {f'the golds {golds}' if golds else 'no gold'}: do not name a gold.")

    def specs(self, collection: Collection, spec: EvaluationSpec) -> list[EvaluationSpec]:  # noqa: ARG002 - for others
        """The evaluations of its table as the collection is now. Errors: Refused for what the table needs and lacks."""
        return self.asked(spec)

    def asked(self, spec: EvaluationSpec) -> list[EvaluationSpec]:
        """The evaluations of its table, as far as the words say them: by their golds it is decided who may see it, also
        later, whatever the collection has become. A gold in `spec` replaces the preset's gold if that has only one.
        """
        baseline = spec.baseline or (spec.runs[0] if self.needs_baseline and spec.runs else "")
        return [
            replace(
                spec,
                gold=spec.gold if spec.gold and len(self.parts) == 1 else part.gold,
                measures=part.measures,
                by=part.by,
                topics=part.topics or spec.topics,
                random=spec.random or self.random,
                interval=self.interval if self.interval and spec.interval == "auto" else spec.interval,
                baseline=baseline,
                preset=self.name,
            )
            for part in self.parts
        ]

    def inputs(self, collection: Collection, specs: Sequence[EvaluationSpec]) -> object:  # noqa: ARG002 - for others
        """What a table that measures no runs is made of, as JSON takes it: where it changes, the table is of another
        day."""
        return None

    @abstractmethod
    def table(
        self, collection: Collection, specs: Sequence[EvaluationSpec], done: Sequence[EvaluationResult]
    ) -> ScoreTable:
        """The table, from its evaluations in the order of `specs`; without them where it measures no runs."""


def subset(done: EvaluationResult, by: Mapping[str, str]) -> SubsetFigures | None:
    """The figures of the topics with exactly these values, None where there are none."""
    return next((each for each in done.subsets if dict(each.by) == dict(by)), None)

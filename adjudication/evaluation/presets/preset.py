"""What a report preset is: the evaluations a paper's table is made of, and how it is laid out.

Another package subclasses `Preset` and declares an instance under the entry points `litmus.evaluation_presets`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from adjudication.evaluation.reads.result import EvaluationResult, SubsetFigures
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.reads.tables import Style, Table
from corpus.models import Collection

Label = Callable[[str], tuple[str, bool]]


@dataclass(frozen=True)
class Part:
    """One of a preset's evaluations: its gold unless another was asked for, and what is broken down by what."""

    gold: str
    measures: tuple[str, ...]
    by: tuple[str, ...] = ()
    topics: str = "all"


class Preset(ABC):
    """One table of a paper."""

    name: str
    label: str
    about: str
    parts: ClassVar[tuple[Part, ...]] = ()  # without one it is about the collection, not about runs
    random: ClassVar[bool] = False
    needs_baseline: ClassVar[bool] = False  # the first run, unless another is asked for
    style: ClassVar[Style] = Style(places=1)

    def specs(self, spec: EvaluationSpec) -> list[EvaluationSpec]:
        """The evaluations of its table. A gold in `spec` replaces the preset's gold if that has only one."""
        baseline = spec.baseline or (spec.runs[0] if self.needs_baseline and spec.runs else "")
        return [
            replace(
                spec,
                gold=spec.gold if spec.gold and len(self.parts) == 1 else part.gold,
                measures=part.measures,
                by=part.by,
                topics=part.topics,
                random=spec.random or self.random,
                baseline=baseline,
                preset=self.name,
            )
            for part in self.parts
        ]

    @abstractmethod
    def table(self, collection: Collection, done: Sequence[EvaluationResult]) -> Table:
        """The table, from its evaluations in the order of `specs`."""


def subset(done: EvaluationResult, by: Mapping[str, str]) -> SubsetFigures | None:
    """The figures of the topics with exactly these values, None where there are none."""
    return next((each for each in done.subsets if dict(each.by) == dict(by)), None)

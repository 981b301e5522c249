"""A whole report: the evaluations that were asked for, or those of a preset, with the table they make."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.reads.evaluation import Progress, evaluate, unheard
from adjudication.evaluation.reads.result import EvaluationResult
from adjudication.evaluation.reads.spec import EvaluationSpec
from adjudication.evaluation.reads.tables import Table, make_table
from corpus.models import Collection


@dataclass(frozen=True, eq=False)
class Report:
    """The evaluations (one, unless a preset stands on more) and their table."""

    wanted: EvaluationSpec
    parts: tuple[EvaluationResult, ...]
    table: Table

    def to_json(self) -> dict[str, Any]:
        """The evaluation; with a preset its table as well, and the further evaluations it stands on."""
        first: dict[str, Any] = self.parts[0].to_json() if self.parts else {"gold": "", "subsets": [], "tests": []}
        if not self.wanted.preset:
            return first
        return {
            **first,
            "preset": self.wanted.preset,
            "table": self.table.to_json(),
            "parts": [each.to_json() for each in self.parts],
        }


def make_report(
    collection: Collection,
    wanted: EvaluationSpec,
    *,
    files: Mapping[str, Grades] | None = None,
    progress: Progress = unheard,
) -> Report:
    """The report. Errors: Refused as `evaluate`."""
    if not wanted.preset:
        done = evaluate(collection, wanted, files=files, progress=progress)
        return Report(wanted, (done,), make_table(done))
    preset = find_preset(wanted.preset)
    parts = tuple(evaluate(collection, each, files=files, progress=progress) for each in preset.wanted(wanted))
    return Report(wanted, parts, preset.table(collection, parts))

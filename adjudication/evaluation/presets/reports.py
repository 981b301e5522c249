"""A report: the requested evaluation, or those of a preset, with their table."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adjudication.evaluation.evaluation import Progress, evaluate, no_progress
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.layout import make_table
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.tables import ScoreTable
from corpus.models import Collection


@dataclass(frozen=True, eq=False)
class PresetReport:
    """The evaluations (one, unless a preset needs more) and their table."""

    spec: EvaluationSpec
    parts: tuple[EvaluationResult, ...]
    table: ScoreTable

    def results(self) -> dict[str, Any]:
        """What is printed of it, and kept."""
        return {"report": self.to_json(), "table": self.table.to_json()}

    def to_json(self) -> dict[str, Any]:
        """The evaluation; with a preset also its table and all its evaluations."""
        nothing = {"gold": self.spec.gold, "subsets": [], "tests": []}
        first: dict[str, Any] = self.parts[0].to_json() if self.parts else nothing
        if not self.spec.preset:
            return first
        return {
            **first,
            "preset": self.spec.preset,
            "preset_label": find_preset(self.spec.preset).label,
            "table": self.table.to_json(),
            "parts": [each.to_json() for each in self.parts],
        }


def make_report(
    collection: Collection,
    spec: EvaluationSpec,
    *,
    files: Mapping[str, Grades] | None = None,
    progress: Progress = no_progress,
) -> PresetReport:
    """The report. Errors: Refused as `evaluate`."""
    if not spec.preset:
        done = evaluate(collection, spec, files=files, progress=progress)
        return PresetReport(spec, (done,), make_table(done))
    preset = find_preset(spec.preset)
    specs = preset.specs(collection, spec)
    measured = specs if preset.measures_runs else []
    parts = tuple(evaluate(collection, each, files=files, progress=progress) for each in measured)
    return PresetReport(spec, parts, preset.table(collection, specs, parts))

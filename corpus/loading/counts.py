"""The counts of an import while it goes on, and how they are stored in the job's row."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from corpus.models import ImportRun
from engines.formats.records import PartProblem, Problem

ERRORS_KEPT = 10_000
REPEATED = "a record whose id came earlier in this import"


@dataclass
class ImportCounts:
    """Every record read is counted once: created, updated, unchanged or skipped (by a rule or as an error)."""

    created: int = 0
    updated: int = 0
    unchanged: int = 0
    errors: list[dict[str, object]] = field(default_factory=list)
    error_count: int = 0
    notes: int = 0  # of the errors, those about a part of a record that was taken nevertheless
    skips: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)  # sentences on how the import was understood
    samples: list[dict[str, Any]] = field(default_factory=list)  # corpus/loading/samples.py

    @property
    def skipped(self) -> int:
        return self.error_count - self.notes + self.skips.total()

    @property
    def kept(self) -> int:
        return self.created + self.updated + self.unchanged

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Count all and keep the first ten thousand; the record of a PartProblem came in nevertheless."""
        for problem in problems:
            if isinstance(problem, PartProblem):
                self.add_notes([problem])
            else:
                self._add(problem)

    def add_notes(self, problems: Iterable[Problem]) -> None:
        """Report what is wrong with records that are taken anyway."""
        for problem in problems:
            self.notes += 1
            self._add(problem, kept=True)

    def _add(self, problem: Problem, **more: bool) -> None:
        self.error_count += 1
        if len(self.errors) < ERRORS_KEPT:
            self.errors.append({"file": problem.file, "line": problem.line, "reason": problem.reason, **more})

    def keep_nothing(self) -> None:
        """The transaction was rolled back: nothing of what was counted as written is there."""
        self.created = self.updated = self.unchanged = 0
        self.remarks = []

    def store(self, run: ImportRun) -> None:
        """Write the figures into the job's row."""
        run.created, run.updated, run.unchanged = self.created, self.updated, self.unchanged
        run.skipped, run.skips = self.skipped, dict(self.skips)
        self.errors.sort(key=lambda error: (str(error["file"]), int(str(error["line"]))))
        run.errors, run.error_count, run.remarks = self.errors, self.error_count, self.remarks
        run.samples = self.samples if run.dry_run else []
        counts = ["created", "updated", "unchanged", "skipped", "skips", "error_count"]
        run.save(update_fields=[*counts, "errors", "remarks", "samples"])

"""Errors of an import for reading: equal ones together, with how many and where."""

import re
from dataclasses import dataclass, field
from typing import Any

from accounts.counting import counted
from accounts.models import JobState
from corpus.models import ImportRun
from engines.formats.sorts import sorts_named

PLACES = 5  # of a group that are listed
_VARIES = re.compile(r"""“[^”]*”|"[^"]*"|'[^']*'|\d+""").sub  # what differs between errors of one kind


@dataclass
class ErrorGroup:
    """Errors whose reasons differ in quoted texts and numbers only; `reason` is that of the first."""

    reason: str
    kept: bool  # the record came in anyway
    count: int = 0
    places: list[tuple[str, int]] = field(default_factory=list)  # (file, line) of the first few

    @property
    def more(self) -> int:
        return self.count - len(self.places)

    @property
    def where(self) -> str:
        """Files and lines of the first few, and how many more there are."""
        named = ", ".join(f"{file}:{line}" if line else file for file, line in self.places)
        return f"{named} and {self.more:,} more" if self.more else named


@dataclass(frozen=True)
class Problems:
    """What the page of an import says above its errors: how many there are, and what to do about them."""

    run: ImportRun

    @property
    def heading(self) -> str:
        return counted(self.run.notes, "note") if self._are_notes else counted(self.run.error_count, "problem")

    @property
    def column(self) -> str:
        """The heading of the column that has the reasons."""
        return "What was noticed" if self._are_notes else "What is wrong"

    @property
    def _are_notes(self) -> bool:
        """Whether all records came in."""
        return self.run.state == JobState.DONE and not self.run.skipped_errors

    @property
    def advice(self) -> str:
        run = self.run
        shown = f"The first {len(run.errors):,} are counted below. " if run.error_count > len(run.errors) else ""
        if run.state == JobState.FAILED:
            return f"{shown}Correct the file and import it again."
        if run.state == JobState.CANCELLED:
            return f"{shown}They were found before the import was cancelled: none of its records were imported."
        return shown + (self._skipped() if run.skipped_errors else self._nothing_skipped())

    def _nothing_skipped(self) -> str:
        which = "this" if self.run.notes == 1 else "these"
        would = ("would be", "would come") if self.run.dry_run else ("was", "came")
        return f"Nothing {would[0]} skipped because of {which}: the records {would[1]} in."

    def _skipped(self) -> str:
        run = self.run
        were, them = ("was", "it") if run.skipped_errors == 1 else ("were", "them")
        skipped = counted(run.skipped_errors, "record")
        come = "would come in" if run.dry_run else "came in"
        notes = f"; {counted(run.notes, 'note is', 'notes are')} about records that {come}" if run.notes else ""
        if run.dry_run:
            advice = f"Correct {them} in the file first, or import it as it is and the corrected file later."
            return f"{skipped} would be skipped, the others would come in{notes}. {advice}"
        advice = f"Correct {them} in the file and import the file again: nothing is imported twice."
        return f"{skipped} {were} skipped, the others are in{notes}. {advice}"


def group_errors(errors: list[dict[str, Any]]) -> list[ErrorGroup]:
    """The groups, the largest first; groups of one size in the order of their first line."""
    groups: dict[tuple[str, bool], ErrorGroup] = {}
    for error in errors:
        kept = bool(error.get("kept"))
        group = groups.setdefault((_VARIES("…", error["reason"]), kept), ErrorGroup(error["reason"], kept))
        group.count += 1
        if len(group.places) < PLACES:
            group.places.append((error["file"], error["line"]))
    return sorted(groups.values(), key=lambda group: -group.count)


def others_for(run: ImportRun) -> set[str]:
    """What the files may be imported as instead, where an error says what they look like: names of importers."""
    return {name for error in run.errors for name in sorts_named(error["reason"])} - {run.kind}

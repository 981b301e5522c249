"""Errors of an import for reading: equal ones together, with how many and where."""

import re
from dataclasses import dataclass, field
from typing import Any

from corpus.models import ImportRun
from engines.formats.registry import shapes_by_name

PLACES = 5  # of a group that are listed
_VARIES = re.compile(r"""“[^”]*”|"[^"]*"|'[^']*'|\d+""").sub  # what differs between errors of one kind
_FOUND = re.compile(r"it looks like ([\w-]+)").search


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
    """What the files may be imported as instead, where an error names their format: names of importers."""
    names = {match[1] for error in run.errors if (match := _FOUND(error["reason"]))}
    return {each for shape in shapes_by_name(names) for each in shape.carries} - {run.kind}

"""Criteria and levels before they are stored, and what can be wrong with them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

LEAST_LEVELS = 2
MOST_LEVELS = 11
VALUES = range(-127, 128)  # what TREC qrels can carry
SCALES = ("ordinal", "nominal")
_KEY = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}").fullmatch


@dataclass(frozen=True, slots=True)
class LevelDraft:
    """One answer on a scale. With `reasons`, an answer of this level must name one of them."""

    value: int
    label: str
    definition: str = ""
    example: str = ""
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CriterionDraft:
    """One question with the levels that answer it, lowest first."""

    key: str
    label: str
    levels: tuple[LevelDraft, ...]
    question: str = ""
    scale: str = "ordinal"


class BadOptions(Exception):
    """An option of a campaign kind is invalid; `reason` says which and why."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def problems_of(criteria: Sequence[CriterionDraft]) -> list[str]:
    """Everything that is wrong with these criteria, each a sentence; [] when they can be used."""
    if not criteria:
        return ["A campaign needs at least one criterion."]
    found = [
        f"The key “{key}” is used by {times} criteria; each needs its own."
        for key, times in Counter(criterion.key for criterion in criteria).items()
        if times > 1
    ]
    return found + [problem for criterion in criteria for problem in _problems_of_one(criterion)]


def _problems_of_one(criterion: CriterionDraft) -> list[str]:
    name = f"Criterion “{criterion.label or criterion.key}”"
    found = []
    if not _KEY(criterion.key):
        found.append(f"{name}: the key must be 1 to 40 small letters, digits, hyphens or underscores.")
    if not criterion.label.strip():
        found.append(f"{name} has no label.")
    if criterion.scale not in SCALES:
        found.append(f"{name}: the scale must be ordinal or nominal, not “{criterion.scale}”.")
    if not LEAST_LEVELS <= len(criterion.levels) <= MOST_LEVELS:
        found.append(f"{name} has {len(criterion.levels)} levels; it needs {LEAST_LEVELS} to {MOST_LEVELS}.")
    return found + [f"{name}: {problem}" for problem in _problems_of_levels(criterion.levels)]


def _problems_of_levels(levels: Sequence[LevelDraft]) -> list[str]:
    found = []
    for value, times in Counter(level.value for level in levels).items():
        if times > 1:
            found.append(f"{times} levels have the value {value}.")
        if value not in VALUES:
            found.append(f"the value {value} is outside {VALUES[0]} to {VALUES[-1]}, the range that qrels can hold.")
    return found + [f"level {level.value} has no label." for level in levels if not level.label.strip()]

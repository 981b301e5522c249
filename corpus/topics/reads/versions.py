"""The history of a topic as the pages show it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.models import Topic, TopicVersion
from engines.text.differences import Line, compare_texts
from engines.text.history import redo_target, undo_target

PARTS = (("title", "Title"), ("sentences", "Query"), ("narrative", "Narrative"), ("aspects", "Aspects"))


@dataclass(frozen=True)
class Steps:
    """Where the newest version stands: what would be undone, what would be done again; None where there is nothing."""

    newest: TopicVersion | None
    undoes: TopicVersion | None
    redoes: TopicVersion | None


@dataclass(frozen=True)
class Part:
    """A part of a topic, compared in two versions. `changes` is never empty."""

    name: str
    changes: list[Line]


def fetch_steps(topic: Topic) -> Steps:
    """What undo and redo would do; two queries."""
    history = list(topic.versions.order_by("number").values_list("number", "stands_for"))
    if not history:
        return Steps(None, None, None)
    newest = history[-1][0]
    now = history[-1][1] or newest
    redo = redo_target(history)
    numbers = {newest, now, redo} if redo else {newest, now}
    found = {
        version.number: version for version in topic.versions.filter(number__in=numbers).select_related("saved_by")
    }
    can_undo = undo_target(history) is not None
    return Steps(found[newest], found[now] if can_undo else None, found.get(redo) if redo else None)


def compare_versions(old: TopicVersion, new: TopicVersion) -> list[Part]:
    """The parts of a topic that differ between two versions, line by line."""
    compared = [(name, compare_texts(lines_of(old.content, key), lines_of(new.content, key))) for key, name in PARTS]
    return [Part(name, changes) for name, changes in compared if changes]


def lines_of(content: dict[str, Any], part: str) -> str:
    """A part of a version as lines. A query without sentences is its text.

    An aspect names the sentences it comes from behind an arrow, and others that speak of it in brackets, from 1.
    """
    if part == "sentences":
        return "\n".join(content["sentences"] or [content["text"]])
    if part == "aspects":
        return "\n".join(_aspect_lines(content["aspects"]))
    return str(content[part])


def _aspect_lines(aspects: Sequence[dict[str, Any]], indent: str = "") -> list[str]:
    lines = []
    for aspect in aspects:
        tied, spoken_in = _numbers(aspect["sentences"]), _numbers(aspect.get("spoken_in", ()))
        ties = (f" ← {tied}" if tied else "") + (f" ({spoken_in})" if spoken_in else "")
        lines.append(f"{indent}{aspect['text']}{ties}")
        lines += _aspect_lines(aspect.get("aspects", ()), "    ")
    return lines


def _numbers(places: Sequence[int]) -> str:
    return ", ".join(str(place + 1) for place in places)

"""The history of a topic: one version for each change of what annotators read, in bulk as well as singly.

Who writes holds the transaction and, where others may write too, the lock on the topics.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import User
from corpus.models import Change, Topic, TopicVersion
from corpus.topics.trees import Branch, Tree, stored_trees
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


FIELDS = ("title", "text", "narrative", "sentences")  # of the topic, in addition to its tree
READ_BY_ANNOTATORS = ("number", *FIELDS)  # fixed once somebody has judged the topic


@dataclass(frozen=True)
class TopicContent:
    """What a version holds, as values: the topic's fields by name, and its tree."""

    fields: Mapping[str, Any]
    tree: Tree


def locked_topic(topic: Topic) -> Topic:
    """The topic as it is now, with its collection, kept from others until the end of the transaction."""
    return Topic.objects.select_for_update().select_related("collection").get(pk=topic.pk)


def keep_versions(
    topics: Sequence[Topic],
    *,
    by: User | None,
    at: datetime,
    change: Change,
    about: str = "",
    stands_for: int | None = None,
) -> None:
    """Write a version of each of these topics that differs from its newest one; three queries and one insert."""
    newest = _newest(topics)
    trees = stored_trees(topics)
    versions = []
    for topic in topics:
        number, last = newest.get(topic.pk, (0, ""))
        content = _content_of(topic, trees.get(topic.pk, ()))
        fingerprint = fingerprint_of(content)
        if fingerprint != last:
            versions.append(
                TopicVersion(
                    topic=topic,
                    number=number + 1,
                    saved_at=at,
                    saved_by=by,
                    change=change,
                    about=about,
                    content=content,
                    fingerprint=fingerprint,
                    stands_for=stands_for,
                )
            )
    TopicVersion.objects.bulk_create(versions, batch_size=500)


def keep_first_versions(topics: Sequence[Topic], *, at: datetime) -> None:
    """Before the first change: keep what there is, so that nothing written earlier is lost."""
    known = set(TopicVersion.objects.filter(topic__in=topics, number=1).values_list("topic_id", flat=True))
    if unknown := [topic for topic in topics if topic.pk not in known]:
        keep_versions(unknown, by=None, at=at, change=Change.FIRST)


def fingerprint_of(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content as canonical JSON: equal for equal contents."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_content(content: Mapping[str, Any]) -> TopicContent:
    """A version's JSON as values."""
    return TopicContent({name: content[name] for name in FIELDS}, tuple(_branch(each) for each in content["aspects"]))


def _newest(topics: Sequence[Topic]) -> dict[int, tuple[int, str]]:
    """Number and fingerprint of each topic's newest version, by the topic's id."""
    found = TopicVersion.objects.filter(topic__in=topics).order_by("topic_id", "-number").distinct("topic_id")
    return {topic: (number, last) for topic, number, last in found.values_list("topic_id", "number", "fingerprint")}


def _content_of(topic: Topic, tree: Tree) -> dict[str, Any]:
    fields = {name: getattr(topic, name) for name in FIELDS}
    fields["sentences"] = list(topic.sentences)
    return {**fields, "aspects": [_branch_json(branch) for branch in tree]}


def _branch_json(branch: Branch) -> dict[str, Any]:
    json_: dict[str, Any] = {"text": branch.text, "sentences": list(branch.sentences)}
    if branch.spoken_in is not None:
        json_["spoken_in"] = list(branch.spoken_in)
    if branch.below:
        json_["aspects"] = [_branch_json(each) for each in branch.below]
    return json_


def _branch(stored: Mapping[str, Any]) -> Branch:
    below = tuple(_branch(each) for each in stored.get("aspects", ()))
    spoken_in = stored.get("spoken_in")
    return Branch(stored["text"], tuple(stored["sentences"]), below, None if spoken_in is None else tuple(spoken_in))

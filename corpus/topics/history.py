"""Going back in the history of a topic: undo, redo, restore. Each of them is a change itself, so nothing is lost."""

from collections.abc import Mapping
from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused
from corpus.collections.rules import check_manager
from corpus.models import Change, Topic, TopicVersion
from corpus.topics.aspects import check_judged_words, remove_aspects
from corpus.topics.judged import is_judged, judged_aspects
from corpus.topics.topics import JUDGED
from corpus.topics.trees import Tree, places_of, replace_trees, stored_trees, texts_of
from corpus.topics.versions import FIELDS, keep_versions, locked_topic, read_content
from engines.text.history import redo_target, undo_target

CHANGED_SINCE = "The topic has changed since you opened this page. Check the current version, then decide again."


@transaction.atomic
def undo_change(*, by: User, at: datetime, topic: Topic, seen: int) -> Topic:
    """Take back the newest change that is not taken back yet. `seen` is the newest version the person knows.

    Errors: Conflict where there is a newer one, Refused where there is nothing to undo or a judgment needs the change.
    """
    topic = _locked(topic, by, seen)
    target = undo_target(_history(topic))
    if target is None:
        raise Refused("There is nothing to undo.")
    return _go_back(by, at, topic, target, Change.UNDONE)


@transaction.atomic
def redo_change(*, by: User, at: datetime, topic: Topic, seen: int) -> Topic:
    """Do again what was undone last; errors as in `undo_change`."""
    topic = _locked(topic, by, seen)
    target = redo_target(_history(topic))
    if target is None:
        raise Refused("There is nothing to redo.")
    return _go_back(by, at, topic, target, Change.REDONE)


@transaction.atomic
def restore_version(*, by: User, at: datetime, topic: Topic, number: int, seen: int) -> Topic:
    """Make the topic read as in that version. Errors: as in `undo_change`, Refused for a version that is none."""
    return _go_back(by, at, _locked(topic, by, seen), number, Change.RESTORED)


def _locked(topic: Topic, by: User, seen: int) -> Topic:
    topic = locked_topic(topic)
    check_manager(topic.collection, by)
    newest = topic.versions.order_by("-number").values_list("number", flat=True).first()
    if newest is not None and newest != seen:
        raise Conflict(CHANGED_SINCE)
    return topic


def _history(topic: Topic) -> list[tuple[int, int | None]]:
    return list(topic.versions.order_by("number").values_list("number", "stands_for"))


def _go_back(by: User, at: datetime, topic: Topic, number: int, change: Change) -> Topic:
    version = topic.versions.filter(number=number).first()
    if version is None:
        raise Refused(f"Topic {topic.number} has no version {number}.")
    _put_back(topic, version)
    stands_for = number if change in (Change.UNDONE, Change.REDONE) else None
    keep_versions([topic], by=by, at=at, change=change, about=f"version {number}", stands_for=stands_for)
    verbs = {Change.UNDONE: "undo_topic_change", Change.REDONE: "redo_topic_change"}
    verb = verbs.get(change, "restore_topic_version")
    record_event(by=by, at=at, verb=verb, target=topic, scope=topic.collection, version=number)
    return topic


def _put_back(topic: Topic, version: TopicVersion) -> None:
    """Give the topic the words and the tree of that version, as far as judgments and campaigns allow."""
    content = read_content(version.content)
    changed = [name for name in FIELDS if getattr(topic, name) != content.fields[name]]
    if changed and is_judged(topic):
        raise Refused(JUDGED)
    for name in changed:
        setattr(topic, name, content.fields[name])
    topic.save(update_fields=changed)
    tree = stored_trees([topic]).get(topic.pk, ())
    if tree == content.tree:
        return
    _rename(topic, _renamings(tree, content.tree))
    texts = set(texts_of(content.tree))
    topic.nodes.all().delete()
    remove_aspects(topic, [aspect for aspect in topic.aspects.all() if aspect.text not in texts])
    replace_trees({topic.pk: content.tree}, created=False)


def _renamings(now: Tree, then: Tree) -> dict[str, str]:
    """Texts that only the present tree has, with those that only the other has at the same place.

    They are one aspect, reworded in between: it keeps its row, and with it what hangs on that (items, sub-queries).
    """
    removed, restored = set(texts_of(now)) - set(texts_of(then)), set(texts_of(then)) - set(texts_of(now))
    there = places_of(then)
    found: dict[str, str] = {}
    for place, text in places_of(now).items():
        other = there.get(place, "")
        if text in removed and other in restored and text not in found:
            found[text] = other
            restored.remove(other)
    return found


def _rename(topic: Topic, renamings: Mapping[str, str]) -> None:
    aspects = list(topic.aspects.filter(text__in=renamings))
    judged = judged_aspects([topic])
    for aspect in aspects:
        check_judged_words(aspect, judged)
        aspect.text = renamings[aspect.text]
        aspect.save(update_fields=["text"])

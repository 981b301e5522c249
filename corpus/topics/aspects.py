"""The aspect tree of a topic, edited place by place: add, reword, move, tie to sentences, delete.

An aspect is a distinct text of its topic and is judged once; a node is a place in the tree where it stands. So
rewording one place of several makes a new aspect there, and removing the last place removes the aspect. Each change
is a version of the topic, from which it can be taken back (corpus/topics/history).
"""

from collections.abc import Collection as Several
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from corpus.collections.rules import check_manager
from corpus.models import Aspect, AspectNode, Change, Collection, Topic
from corpus.topics.judged import aspects_in_campaigns, judged_aspects
from corpus.topics.topics import create_topic
from corpus.topics.trees import LONGEST_ASPECT
from corpus.topics.versions import keep_first_versions, keep_versions, locked_topic

MOST_ASPECTS = 500  # places in one tree


@transaction.atomic
def write_topic(*, by: User, at: datetime, collection: Collection, aspects: Sequence[str] = (), **fields: Any) -> Topic:
    """A new topic (see `create_topic`) with these aspects, in their order, on top of its tree: all of it or nothing."""
    topic = create_topic(by=by, at=at, collection=collection, **fields)
    for text in aspects:
        add_aspect(by=by, at=at, topic=topic, text=text)
    return topic


@transaction.atomic
def add_aspect(
    *,
    by: User,
    at: datetime,
    topic: Topic,
    text: str,
    parent: AspectNode | None = None,
    place: int | None = None,
    sentences: Iterable[int] = (),
) -> AspectNode:
    """A new place with this text, below `parent` or on top, at `place` (from 0) or after its siblings."""
    topic = _locked(topic, by, at)
    _check_parent(topic, parent)
    if topic.nodes.count() >= MOST_ASPECTS:
        raise Refused(f"A topic has at most {MOST_ASPECTS} aspects and sub-aspects.")
    aspect = Aspect.objects.get_or_create(topic=topic, text=_clean(text))[0]
    siblings = _siblings(topic, parent)
    node = AspectNode.objects.create(
        topic=topic,
        aspect=aspect,
        parent=parent,
        position=len(siblings),
        sentences=_existing_sentences(topic, sentences),
    )
    _arrange(_inserted(siblings, node, place))
    _record(by, at, Change.ADDED, "add_aspect", topic, text=aspect.text)
    return node


@transaction.atomic
def edit_aspect(
    *, by: User, at: datetime, node: AspectNode, text: str | None = None, sentences: Iterable[int] | None = None
) -> AspectNode:
    """Give this place another text (others with the old one keep it), or tie it to other sentences, or both.

    `sentences` are those of the topic that the aspect comes from, by their places from 0. Errors: Refused for other
    words where the aspect has been judged.
    """
    topic = _locked(node.topic, by, at)
    old = node.aspect.text
    reworded = text is not None and _reword(topic, node, _clean(text))
    tied = sentences is not None and _tie(topic, node, sentences)
    if reworded or tied:
        facts = {"text": node.aspect.text} | ({"before": old} if reworded else {})
        verb = "reword_aspect" if reworded else "tie_aspect"
        change = Change.EDITED if reworded else Change.TIED
        _record(by, at, change, verb, topic, **facts, sentences=[place + 1 for place in node.sentences])
    return node


@transaction.atomic
def toggle_tie(*, by: User, at: datetime, node: AspectNode, sentence: int) -> AspectNode:
    """Tie this place to the sentence (its place from 0), or untie it where it is tied already."""
    topic = _locked(node.topic, by, at)
    if not 0 <= sentence < len(topic.sentences):
        raise Refused(f"Topic {topic.number} has no sentence {sentence + 1}.")
    node.refresh_from_db(fields=["sentences", "spoken_in"])
    return edit_aspect(by=by, at=at, node=node, sentences=set(node.sentences) ^ {sentence})


@transaction.atomic
def move_aspect(
    *, by: User, at: datetime, node: AspectNode, parent: AspectNode | None, place: int | None = None
) -> AspectNode:
    """Put the node (with what is below it) below `parent` or on top, at `place` among the others or at the end."""
    topic = _locked(node.topic, by, at)
    _check_parent(topic, parent)
    if parent is not None and parent.pk == node.pk:
        raise Refused("An aspect cannot be moved below itself.")
    if parent is not None and node.children.exists():
        raise Refused("It has sub-aspects, and there are only two levels. Move its sub-aspects out first.")
    left = [each for each in _siblings(topic, node.parent) if each.pk != node.pk]
    if node.parent_id != (parent.pk if parent else None):
        _arrange(left)
        left = _siblings(topic, parent)
        node.parent = parent
        node.save(update_fields=["parent"])
    _arrange(_inserted(left, node, place))
    _record(
        by, at, Change.MOVED, "move_aspect", topic, text=node.aspect.text, below=parent.aspect.text if parent else ""
    )
    return node


@transaction.atomic
def shift_aspect(*, by: User, at: datetime, node: AspectNode, way: str) -> AspectNode:
    """Move the node one step: up, down, indent (below the sibling before it), outdent (after its parent)."""
    siblings = _siblings(node.topic, node.parent)
    place = [each.pk for each in siblings].index(node.pk)
    if way == "up":
        return move_aspect(by=by, at=at, node=node, parent=node.parent, place=max(0, place - 1))
    if way == "down":
        return move_aspect(by=by, at=at, node=node, parent=node.parent, place=place + 1)
    if way == "indent":
        if node.parent is not None:
            raise Refused("It is a sub-aspect already, and there are only two levels.")
        if place == 0:
            raise Refused("The first aspect cannot become a sub-aspect: there is none above it.")
        return move_aspect(by=by, at=at, node=node, parent=siblings[place - 1])
    if way == "outdent":
        if node.parent is None:
            raise Refused("It is already at the top level.")
        after = [each.pk for each in _siblings(node.topic, None)].index(node.parent.pk)
        return move_aspect(by=by, at=at, node=node, parent=None, place=after + 1)
    raise Refused(f"“{way}” is not a way to move an aspect.")


@transaction.atomic
def delete_aspect(*, by: User, at: datetime, node: AspectNode) -> None:
    """Remove the place and those below it."""
    topic = _locked(node.topic, by, at)
    below = list(node.children.select_related("aspect"))
    text = node.aspect.text
    aspects = [node.aspect, *(child.aspect for child in below)]
    left = [each for each in _siblings(topic, node.parent) if each.pk != node.pk]
    node.delete()
    _arrange(left)
    used = set(topic.nodes.values_list("aspect_id", flat=True))
    remove_aspects(topic, [aspect for aspect in aspects if aspect.pk not in used])
    _record(by, at, Change.DELETED, "delete_aspect", topic, text=text, below=[child.aspect.text for child in below])


def remove_aspects(topic: Topic, aspects: Sequence[Aspect]) -> None:
    """Delete aspects that are no longer used; refused for those that a campaign needs."""
    try:
        Aspect.objects.filter(pk__in=[aspect.pk for aspect in aspects]).delete()
    except ProtectedError as error:
        items_of = aspects_in_campaigns([topic])
        blocked = next(aspect for aspect in aspects if aspect.pk in items_of)
        judged = blocked.pk in judged_aspects([topic])
        items = items_of[blocked.pk]
        plural = "" if items == 1 else "s"
        why = "has been judged" if judged else f"is in {items:,} item{plural} of a campaign"
        what = "" if judged else f" Remove the item{plural} first."
        raise Refused(f"“{blocked.text}” {why}, so it has to stay in the tree.{what}") from error


def check_judged_words(aspect: Aspect, judged: Several[int]) -> None:
    """Refuse other words for an aspect whose id is among those that were judged."""
    if aspect.pk in judged:
        raise Refused(
            f"“{aspect.text}” has been judged, so its text can no longer be changed: otherwise the judgments would"
            " be about "
            "something else. Add a new aspect instead."
        )


def _reword(topic: Topic, node: AspectNode, text: str) -> bool:
    """Whether there was anything to do."""
    old = node.aspect
    if text == old.text:
        return False
    elsewhere = old.nodes.exclude(pk=node.pk).exists()
    known = topic.aspects.filter(text=text).first()
    if not elsewhere and known is None:
        check_judged_words(old, judged_aspects([topic]))
        old.text = text
        old.save(update_fields=["text"])
        return True
    node.aspect = known or Aspect.objects.create(topic=topic, text=text)
    node.save(update_fields=["aspect"])
    if not elsewhere:
        remove_aspects(topic, [old])
    return True


def _tie(topic: Topic, node: AspectNode, sentences: Iterable[int]) -> bool:
    """Whether there was anything to do."""
    places = _existing_sentences(topic, sentences)
    if places == sorted(set(node.sentences)):
        return False
    node.sentences, node.spoken_in = places, None
    node.save(update_fields=["sentences", "spoken_in"])
    return True


def _existing_sentences(topic: Topic, sentences: Iterable[int]) -> list[int]:
    return sorted({place for place in sentences if 0 <= place < len(topic.sentences)})


def _locked(topic: Topic, by: User, at: datetime) -> Topic:
    """The locked topic, its present state kept as a version, for a manager."""
    topic = locked_topic(topic)
    check_manager(topic.collection, by)
    keep_first_versions([topic], at=at)
    return topic


def _clean(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise Refused("Write what the document must do to meet this aspect; it cannot be empty.")
    if len(text.encode()) > LONGEST_ASPECT:
        raise Refused(f"An aspect has at most {LONGEST_ASPECT:,} bytes. Split it into several.")
    return text


def _siblings(topic: Topic, parent: AspectNode | None) -> list[AspectNode]:
    return list(topic.nodes.filter(parent=parent))


def _inserted(siblings: Sequence[AspectNode], node: AspectNode, place: int | None) -> list[AspectNode]:
    others = [each for each in siblings if each.pk != node.pk]
    others.insert(len(others) if place is None else max(0, min(place, len(others))), node)
    return others


def _arrange(nodes: Sequence[AspectNode]) -> None:
    """Number the siblings in this order."""
    moved = [node for place, node in enumerate(nodes) if node.position != place]
    for place, node in enumerate(nodes):
        node.position = place
    AspectNode.objects.bulk_update(moved, ["position"])


def _check_parent(topic: Topic, parent: AspectNode | None) -> None:
    if parent is None:
        return
    if parent.topic_id != topic.pk:
        raise Refused("The aspect above belongs to another topic.")
    if parent.parent_id is not None:
        raise Refused("Sub-aspects cannot have sub-aspects: there are only two levels.")


def _record(by: User, at: datetime, change: Change, verb: str, topic: Topic, *, text: str, **data: Any) -> None:
    """Into the audit log, and into the topic's history."""
    record_event(by=by, at=at, verb=verb, target=topic, scope=topic.collection, text=text, **data)
    keep_versions([topic], by=by, at=at, change=change, about=text)

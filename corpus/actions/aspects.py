"""The aspect tree of a topic, edited place by place: add, reword, move, tie to sentences, delete, bring back.

An aspect is a distinct text of its topic and is judged once; a node is a place in the tree where it stands. So
rewording one place of several makes a new aspect there, and removing the last place removes the aspect.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import ProtectedError

from accounts.audit import record_event
from accounts.models import AuditEvent, User
from accounts.refusals import Conflict, Refused
from corpus.models import Aspect, AspectNode, Topic
from corpus.permissions import check_manager
from corpus.queries.judged import aspects_in_campaigns, judged_aspects
from corpus.runs.trees import LONGEST_ASPECT

MOST_ASPECTS = 500  # places in one tree


@transaction.atomic
def add_aspect(
    *, by: User, at: datetime, topic: Topic, text: str, parent: AspectNode | None = None, place: int | None = None
) -> AspectNode:
    """A new place with this text, below `parent` or on top, at `place` (from 0) or after its siblings."""
    topic = _locked(topic, by)
    _check_parent(topic, parent)
    if topic.nodes.count() >= MOST_ASPECTS:
        raise Refused(f"A topic has at most {MOST_ASPECTS} aspects and sub-aspects.")
    aspect = _aspect(topic, _clean(text))
    siblings = _siblings(topic, parent)
    node = AspectNode.objects.create(topic=topic, aspect=aspect, parent=parent, position=len(siblings))
    _arrange(_inserted(siblings, node, place))
    _record(by, at, "add_aspect", topic, text=aspect.text)
    return node


@transaction.atomic
def reword_aspect(*, by: User, at: datetime, node: AspectNode, text: str) -> AspectNode:
    """Give this place another text. Other places with the old text keep it."""
    topic = _locked(node.topic, by)
    old, text = node.aspect, _clean(text)
    if text == old.text:
        return node
    elsewhere = old.nodes.exclude(pk=node.pk).exists()
    known = topic.aspects.filter(text=text).first()
    if not elsewhere and known is None:
        _check_not_judged(topic, old)
        before, old.text = old.text, text
        old.save(update_fields=["text"])
        _record(by, at, "reword_aspect", topic, before=before, after=text)
        return node
    node.aspect = known or Aspect.objects.create(topic=topic, text=text)
    node.save(update_fields=["aspect"])
    if not elsewhere:
        _remove(topic, [old])
    _record(by, at, "reword_aspect", topic, before=old.text, after=text)
    return node


@transaction.atomic
def tie_aspect(*, by: User, at: datetime, node: AspectNode, sentences: Iterable[int]) -> AspectNode:
    """Say which sentences of the topic this aspect comes from, by their places from 0."""
    topic = _locked(node.topic, by)
    wanted = sorted({place for place in sentences if 0 <= place < len(topic.sentences)})
    if wanted != sorted(set(node.sentences)):
        node.sentences, node.spoken_in = wanted, None
        node.save(update_fields=["sentences", "spoken_in"])
        _record(by, at, "tie_aspect", topic, text=node.aspect.text, sentences=[place + 1 for place in wanted])
    return node


@transaction.atomic
def move_aspect(
    *, by: User, at: datetime, node: AspectNode, parent: AspectNode | None, place: int | None = None
) -> AspectNode:
    """Put the node (with what is below it) below `parent` or on top, at `place` among the others or at the end."""
    topic = _locked(node.topic, by)
    _check_parent(topic, parent)
    if parent is not None and parent.pk == node.pk:
        raise Refused("An aspect cannot stand below itself.")
    if parent is not None and node.children.exists():
        raise Refused("It has sub-aspects, and there are only two levels. Move its sub-aspects out first.")
    left = [each for each in _siblings(topic, node.parent) if each.pk != node.pk]
    if node.parent_id != (parent.pk if parent else None):
        _arrange(left)
        left = _siblings(topic, parent)
        node.parent = parent
        node.save(update_fields=["parent"])
    _arrange(_inserted(left, node, place))
    _record(by, at, "move_aspect", topic, text=node.aspect.text, below=parent.aspect.text if parent else "")
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
            raise Refused("The first aspect has none before it that it could stand below.")
        return move_aspect(by=by, at=at, node=node, parent=siblings[place - 1])
    if way == "outdent":
        if node.parent is None:
            raise Refused("It stands on top already.")
        after = [each.pk for each in _siblings(node.topic, None)].index(node.parent.pk)
        return move_aspect(by=by, at=at, node=node, parent=None, place=after + 1)
    raise Refused(f"“{way}” is no way to move an aspect.")


@transaction.atomic
def delete_aspect(*, by: User, at: datetime, node: AspectNode) -> AuditEvent:
    """Remove the place and those below it; returns the event from which `restore_aspect` brings them back."""
    topic = _locked(node.topic, by)
    below = list(node.children.select_related("aspect"))
    branch = {
        **_told(node),
        "below": [_told(child) for child in below],
        "parent": node.parent.aspect.text if node.parent else None,
        "place": [each.pk for each in _siblings(topic, node.parent)].index(node.pk),
    }
    aspects = [node.aspect, *(child.aspect for child in below)]
    left = [each for each in _siblings(topic, node.parent) if each.pk != node.pk]
    node.delete()
    _arrange(left)
    used = set(topic.nodes.values_list("aspect_id", flat=True))
    _remove(topic, [aspect for aspect in aspects if aspect.pk not in used])
    return _record(by, at, "delete_aspect", topic, branch=branch)


@transaction.atomic
def restore_aspect(*, by: User, at: datetime, topic: Topic, event: AuditEvent) -> AspectNode:
    """Bring back what a deletion took away, where it stood; on top when its parent is gone."""
    topic = _locked(topic, by)
    if (event.verb, event.target_type, event.target_id) != ("delete_aspect", "corpus.topic", str(topic.pk)):
        raise Refused("This was no deletion of one of the topic's aspects.")
    if AuditEvent.objects.filter(verb="restore_aspect", target_id=str(topic.pk), data__event=event.pk).exists():
        raise Conflict("This has been brought back already.")
    branch = event.data["branch"]
    parent = topic.nodes.filter(parent=None, aspect__text=branch["parent"]).first() if branch["parent"] else None
    node = _planted(topic, branch, parent, 0)
    siblings = [each for each in _siblings(topic, parent) if each.pk != node.pk]
    _arrange(_inserted(siblings, node, branch["place"]))
    for position, below in enumerate(branch["below"]):
        _planted(topic, below, node, position)
    _record(by, at, "restore_aspect", topic, text=branch["text"], event=event.pk)
    return node


def _locked(topic: Topic, by: User) -> Topic:
    """The topic, with its tree to ourselves until the end of the transaction."""
    topic = Topic.objects.select_for_update().select_related("collection").get(pk=topic.pk)
    check_manager(topic.collection, by)
    return topic


def _clean(text: str) -> str:
    text = " ".join(text.split())
    if not text:
        raise Refused("Write what the document must do to meet this aspect; it cannot be empty.")
    if len(text.encode()) > LONGEST_ASPECT:
        raise Refused(f"An aspect has at most {LONGEST_ASPECT:,} bytes. Split it into several.")
    return text


def _aspect(topic: Topic, text: str) -> Aspect:
    return Aspect.objects.get_or_create(topic=topic, text=text)[0]


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
        raise Refused("Sub-aspects have nothing below them: there are only two levels.")


def _check_not_judged(topic: Topic, aspect: Aspect) -> None:
    if aspect.pk in judged_aspects([topic]):
        raise Refused(
            f"“{aspect.text}” has been judged, so its words are fixed: otherwise the judgments would be about "
            "something else. Add a new aspect instead."
        )


def _remove(topic: Topic, aspects: Sequence[Aspect]) -> None:
    """Delete aspects that stand nowhere any more; refused for those that a campaign needs."""
    try:
        Aspect.objects.filter(pk__in=[aspect.pk for aspect in aspects]).delete()
    except ProtectedError as error:
        kept = aspects_in_campaigns([topic])
        blocked = next(aspect for aspect in aspects if aspect.pk in kept)
        judged = blocked.pk in judged_aspects([topic])
        why = "has been judged" if judged else f"is in {kept[blocked.pk]:,} items of a campaign"
        what = "" if judged else " Remove those items first."
        raise Refused(f"“{blocked.text}” {why}, so it has to stay in the tree.{what}") from error


def _told(node: AspectNode) -> dict[str, Any]:
    return {"text": node.aspect.text, "sentences": node.sentences, "spoken_in": node.spoken_in}


def _planted(topic: Topic, told: dict[str, Any], parent: AspectNode | None, position: int) -> AspectNode:
    sentences = [place for place in told["sentences"] if place < len(topic.sentences)]
    return AspectNode.objects.create(
        topic=topic,
        aspect=_aspect(topic, told["text"]),
        parent=parent,
        position=position,
        sentences=sentences,
        spoken_in=told.get("spoken_in"),
    )


def _record(by: User, at: datetime, verb: str, topic: Topic, **data: Any) -> AuditEvent:
    return record_event(by=by, at=at, verb=verb, target=topic, scope=topic.collection.slug, **data)

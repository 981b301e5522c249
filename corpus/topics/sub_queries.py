"""Sub-queries of complex queries: made by the rule, and taken away again.

Identical ones stay, those that the rule no longer gives are deleted."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Prefetch

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict, Refused, as_refusal
from corpus.collections.rules import check_manager
from corpus.models import AspectNode, Collection, SubQuery, SubQueryAspect, Topic
from engines.formats.records import AspectRecord
from engines.ranking.sub_queries import sub_queries

ROWS = 5_000


@dataclass(frozen=True)
class SubQueryCounts:
    """Sub-queries created, with a changed text, unchanged, removed; and combinations that the rule leaves out."""

    created: int
    updated: int
    unchanged: int
    removed: int
    left_out: int

    @property
    def total(self) -> int:
        return self.created + self.updated + self.unchanged


Drafts = dict[str, tuple[SubQuery, list[int]]]  # by number: the sub-query, and the ids of its aspects in their order


def make_all(collection: Collection, size: int) -> SubQueryCounts:
    """Make the sub-queries of `size` aspects of all topics by the rule; the caller holds the transaction."""
    tops = AspectNode.objects.filter(parent=None).select_related("aspect")
    topics = list(collection.topics.prefetch_related(Prefetch("nodes", tops, to_attr="tops")))
    drafts: Drafts = {each.number: (each, aspects) for topic in topics for each, aspects in _drafts_of(topic, size)}
    combinations = sum(math.comb(len(_nodes(topic)), size) for topic in topics)
    stored = {each.number: each for each in collection.sub_queries.filter(size=size).prefetch_related("chosen")}
    aspects_of = {number: [part.aspect_id for part in each.chosen.all()] for number, each in stored.items()}
    same = {number for number, (_, aspects) in drafts.items() if aspects_of.get(number) == aspects}
    outdated = [each.pk for number, each in stored.items() if number not in same]
    collection.sub_queries.filter(pk__in=outdated).delete()
    changed = [stored[number] for number in same if stored[number].sentences != drafts[number][0].sentences]
    for each in changed:
        each.sentences = drafts[each.number][0].sentences
    SubQuery.objects.bulk_update(changed, ["sentences"], batch_size=ROWS)
    fresh = {number: draft for number, draft in drafts.items() if number not in same}
    _create(fresh)
    replaced = sum(number in stored for number in fresh)
    return SubQueryCounts(
        created=len(fresh) - replaced,
        updated=len(changed) + replaced,
        unchanged=len(same) - len(changed),
        removed=len(outdated) - replaced,
        left_out=combinations - len(drafts),
    )


def _nodes(topic: Topic) -> list[AspectNode]:
    """The topic's top places in order; an aspect that stands in two of them counts once."""
    tops: list[AspectNode] = topic.tops  # type: ignore[attr-defined]
    first: dict[int, AspectNode] = {}
    for node in tops:
        first.setdefault(node.aspect_id, node)
    return list(first.values())


def _drafts_of(topic: Topic, size: int) -> Iterator[tuple[SubQuery, list[int]]]:
    nodes = _nodes(topic)
    tied = [
        AspectRecord(
            node.aspect.text,
            sentences=_within(node.sentences, topic),
            spoken_in=None if node.spoken_in is None else _within(node.spoken_in, topic),
        )
        for node in nodes
    ]
    for found in sub_queries(topic.sentences, tied, size):
        number = f"{topic.number}:{'+'.join(str(place + 1) for place in found.aspects)}"
        sentences = list(found.sentences)
        draft = SubQuery(collection_id=topic.collection_id, topic=topic, number=number, size=size, sentences=sentences)
        yield draft, [nodes[place].aspect_id for place in found.aspects]


def _within(places: list[int], topic: Topic) -> tuple[int, ...]:
    return tuple(dict.fromkeys(place for place in places if place < len(topic.sentences)))


def _create(drafts: Drafts) -> None:
    SubQuery.objects.bulk_create([draft for draft, _ in drafts.values()], batch_size=ROWS)
    parts = [
        SubQueryAspect(sub_query=draft, aspect_id=aspect, position=position)
        for draft, aspects in drafts.values()
        for position, aspect in enumerate(aspects)
    ]
    SubQueryAspect.objects.bulk_create(parts, batch_size=ROWS)


MOST_ASPECTS = 6  # of one sub-query; all combinations of more are more than anybody evaluates


@dataclass(frozen=True)
class MadeSubQueries:
    """The sub-queries of `size` aspects that a collection has now, and what had to be done."""

    collection: Collection
    size: int
    counts: SubQueryCounts


@transaction.atomic
def make_sub_queries(*, by: User | None, at: datetime, collection: Collection, size: int) -> MadeSubQueries:
    """Make the sub-queries of `size` aspects of all topics what the rule gives now. Doing it twice changes nothing.

    Errors: Refused for a size out of range and where no topic has that many aspects.
    """
    check_manager(collection, by)
    if not 1 <= size <= MOST_ASPECTS:
        raise Refused(f"A sub-query has between 1 and {MOST_ASPECTS} aspects.")
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    try:
        with transaction.atomic():
            counts = make_all(collection, size)
    except IntegrityError as error:
        if isinstance(refusal := as_refusal(error), Refused):
            raise refusal from error
        raise Conflict(
            "Two topics have numbers that give their sub-queries the same number, or somebody changed the aspects at "
            "the same moment."
        ) from error
    if not counts.total and not counts.removed:
        raise Refused(f"No topic has {size} aspects, so there is nothing to combine.")
    facts = {"size": size, "created": counts.created, "updated": counts.updated, "removed": counts.removed}
    record_event(by=by, at=at, verb="make_sub_queries", target=collection, scope=collection, **facts)
    return MadeSubQueries(collection, size, counts)


@transaction.atomic
def remove_sub_queries(*, by: User | None, at: datetime, collection: Collection, size: int) -> int:
    """Take the sub-queries of this size away; returns how many there were. They can be made again at any time."""
    check_manager(collection, by)
    found = collection.sub_queries.filter(size=size)
    count = found.count()
    found.delete()
    if count:
        record_event(
            by=by,
            at=at,
            verb="remove_sub_queries",
            target=collection,
            scope=collection,
            size=size,
            removed=count,
        )
    return count

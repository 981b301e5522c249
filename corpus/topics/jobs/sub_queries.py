"""Sub-queries of a collection, made again: identical ones stay, those the rule no longer gives are deleted."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Prefetch

from corpus.formats.records import AspectRecord
from corpus.models import AspectNode, Collection, SubQuery, SubQueryAspect, Topic
from corpus.ranking.sub_queries import sub_queries

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


@dataclass(frozen=True)
class _SubQuery:
    topic: Topic
    number: str
    aspects: tuple[int, ...]
    sentences: list[str]


def make_all(collection: Collection, size: int) -> SubQueryCounts:
    """Make the sub-queries of `size` aspects of all topics what the rule says; the caller holds the transaction."""
    topics = _topics(collection)
    wanted = {each.number: each for topic in topics for each in _of(topic, size)}
    combinations = sum(math.comb(len(_nodes(topic)), size) for topic in topics)
    stored = {each.number: each for each in collection.sub_queries.filter(size=size).prefetch_related("chosen")}
    same = {number for number, each in wanted.items() if number in stored and _aspects(stored[number]) == each.aspects}
    gone = [each.pk for number, each in stored.items() if number not in same]
    collection.sub_queries.filter(pk__in=gone).delete()
    changed = [stored[number] for number in same if stored[number].sentences != wanted[number].sentences]
    for each in changed:
        each.sentences = wanted[each.number].sentences
    SubQuery.objects.bulk_update(changed, ["sentences"], batch_size=ROWS)
    fresh = [each for number, each in wanted.items() if number not in same]
    _create(collection, size, fresh)
    replaced = sum(number in stored for number in wanted if number not in same)
    return SubQueryCounts(
        created=len(fresh) - replaced,
        updated=len(changed) + replaced,
        unchanged=len(same) - len(changed),
        removed=len(gone) - replaced,
        left_out=combinations - len(wanted),
    )


def _topics(collection: Collection) -> list[Topic]:
    tops = AspectNode.objects.filter(parent=None).select_related("aspect")
    return list(collection.topics.prefetch_related(Prefetch("nodes", tops, to_attr="tops")))


def _nodes(topic: Topic) -> list[AspectNode]:
    """The topic's top places in order; an aspect that stands in two of them counts once."""
    tops: list[AspectNode] = topic.tops  # type: ignore[attr-defined]
    first: dict[int, AspectNode] = {}
    for node in tops:
        first.setdefault(node.aspect_id, node)
    return list(first.values())


def _of(topic: Topic, size: int) -> Iterator[_SubQuery]:
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
        yield _SubQuery(topic, number, tuple(nodes[place].aspect_id for place in found.aspects), list(found.sentences))


def _within(places: list[int], topic: Topic) -> tuple[int, ...]:
    return tuple(dict.fromkeys(place for place in places if place < len(topic.sentences)))


def _aspects(stored: SubQuery) -> tuple[int, ...]:
    return tuple(each.aspect_id for each in stored.chosen.all())


def _create(collection: Collection, size: int, wanted: list[_SubQuery]) -> None:
    made = SubQuery.objects.bulk_create(
        [
            SubQuery(collection=collection, topic=each.topic, number=each.number, size=size, sentences=each.sentences)
            for each in wanted
        ],
        batch_size=ROWS,
    )
    SubQueryAspect.objects.bulk_create(
        [
            SubQueryAspect(sub_query=sub_query, aspect_id=aspect, position=position)
            for sub_query, each in zip(made, wanted, strict=True)
            for position, aspect in enumerate(each.aspects)
        ],
        batch_size=ROWS,
    )

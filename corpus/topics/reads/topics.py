"""Topics, their aspect trees and sub-queries as pages and the API show them."""

from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Max, OuterRef, Prefetch, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from corpus.models import Aspect, AspectNode, Collection, PoolEntry, SubQuery, SubQueryAspect, Target, Topic
from corpus.topics.reads.judged import aspects_in_campaigns, judged_aspects
from engines.text.aspect_checks import AspectText, Hint


@dataclass
class Place:
    """A node of the tree with what the page needs to offer: why its words or itself cannot change, if so."""

    node: AspectNode
    is_judged: bool
    items: int
    repeats: int  # how many other places have the same text
    is_first: bool
    is_last: bool
    below: list["Place"] = field(default_factory=list)
    hints: list[Hint] = field(default_factory=list)  # what its writer should look at again
    remark: str = ""  # what the last reviewer said about it
    field: Any = None  # of a form about it

    @property
    def is_fixed(self) -> bool:
        """Removing this place would remove an aspect that a campaign needs."""
        return self.items > 0 and self.repeats == 0


def list_topics(collection: Collection, text: str = "", kind: str = "") -> QuerySet[Topic]:
    """The topics in their order, narrowed to a number or words and a kind."""
    topics = collection.topics.all()
    if text:
        topics = topics.filter(Q(number=text) | Q(text__icontains=text) | Q(title__icontains=text))
    if kind:
        topics = topics.filter(kind=kind)
    return topics


def with_counts(topics: QuerySet[Topic]) -> QuerySet[Topic]:
    """The topics with `n_aspects`, `n_sub_aspects`, `n_distinct`, `n_pool` and `n_targets`."""
    return topics.annotate(
        n_aspects=_count(AspectNode.objects.filter(parent=None)),
        n_sub_aspects=_count(AspectNode.objects.filter(parent__isnull=False)),
        n_distinct=_count(Aspect.objects.all()),
        n_pool=_count(PoolEntry.objects.all()),
        n_targets=_count(Target.objects.all()),
    )


def aspect_tree(topic: Topic) -> list[Place]:
    """The topic's tree, top places with those below them; four queries."""
    nodes = list(topic.nodes.select_related("aspect"))
    judged, items = judged_aspects([topic]), aspects_in_campaigns([topic])
    texts: dict[int, int] = {}
    for node in nodes:
        texts[node.aspect_id] = texts.get(node.aspect_id, 0) + 1

    def places(parent: int | None) -> list[Place]:
        found = [node for node in nodes if node.parent_id == parent]
        return [
            Place(
                node,
                node.aspect_id in judged,
                items.get(node.aspect_id, 0),
                texts[node.aspect_id] - 1,
                is_first=place == 0,
                is_last=place == len(found) - 1,
                below=places(node.pk) if parent is None else [],
            )
            for place, node in enumerate(found)
        ]

    return places(None)


def written(tree: list[Place]) -> list[AspectText]:
    """The tree as texts, for checking them."""
    return [AspectText(top.node.aspect.text, tuple(each.node.aspect.text for each in top.below)) for top in tree]


def places_in(tree: list[Place]) -> dict[int, tuple[int, ...]]:
    """Where each node stands, by its id: (n,) on top, (n, m) below."""
    found: dict[int, tuple[int, ...]] = {}
    for at, top in enumerate(tree):
        found[top.node.pk] = (at,)
        found |= {each.node.pk: (at, inner) for inner, each in enumerate(top.below)}
    return found


def next_position(collection: Collection) -> int:
    """The place after all topics of the collection."""
    last = collection.topics.aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def neighbours(topic: Topic) -> tuple[Topic | None, Topic | None]:
    """The topics before and after this one in the collection's order."""
    others = Topic.objects.filter(collection=topic.collection_id).only("number", "position")
    here = (topic.position, topic.pk)
    before = others.filter(Q(position__lt=here[0]) | Q(position=here[0], pk__lt=here[1])).last()
    after = others.filter(Q(position__gt=here[0]) | Q(position=here[0], pk__gt=here[1])).first()
    return before, after


@dataclass(frozen=True)
class Size:
    """How many sub-queries of so many aspects there are, and of how many topics."""

    size: int
    sub_queries: int
    topics: int


def sizes_of(collection: Collection) -> list[Size]:
    """The sizes that the collection has sub-queries of."""
    counted = collection.sub_queries.order_by("size").values("size")
    rows = counted.annotate(n=Count("pk"), topics=Count("topic", distinct=True))
    return [Size(row["size"], row["n"], row["topics"]) for row in rows]


def list_sub_queries(collection: Collection, size: int | None = None, topic: str = "") -> QuerySet[SubQuery]:
    """Sub-queries in the order of topics, with topic, aspects and `n_pool`, the size of the inherited pool."""
    chosen = Prefetch("chosen", SubQueryAspect.objects.select_related("aspect"))
    pooled = PoolEntry.objects.filter(topic=OuterRef("topic")).order_by().values("topic").annotate(n=Count("pk"))
    found = collection.sub_queries.select_related("topic").prefetch_related(chosen)
    if size is not None:
        found = found.filter(size=size)
    if topic:
        found = found.filter(topic__number=topic)
    return found.annotate(n_pool=Coalesce(Subquery(pooled.values("n")), Value(0)))


def _count(rows: QuerySet[AspectNode] | QuerySet[Aspect] | QuerySet[PoolEntry] | QuerySet[Target]) -> Coalesce:
    """How many of `rows` belong to the topic of the outer query."""
    counted = rows.filter(topic=OuterRef("pk")).order_by().values("topic").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted), Value(0))

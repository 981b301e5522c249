"""Sub-queries as the pages and the API show them."""

from dataclasses import dataclass

from django.db.models import Count, OuterRef, Prefetch, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

from corpus.models import Collection, PoolEntry, SubQuery, SubQueryAspect


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

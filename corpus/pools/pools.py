"""Pools as pages show them to people who may see where documents come from."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Min, OuterRef, Prefetch, QuerySet

from accounts.sql import execute
from corpus.models import Collection, PoolEntry, PoolSource, Topic
from corpus.models.pools import CANDIDATE_POOL, TARGETS
from corpus.topics.judged import with_judged
from corpus.topics.topics import with_counts

METHODS = """
WITH source AS MATERIALIZED (
  SELECT s.entry_id, s.method, s.rank FROM corpus_poolsource s
  JOIN corpus_poolentry e ON e.id = s.entry_id JOIN corpus_topic t ON t.id = e.topic_id WHERE t.collection_id = %s
), lone AS (
  SELECT min(method) AS method FROM source GROUP BY entry_id HAVING count(*) = 1
), lone_of AS (
  SELECT method, count(*) AS n FROM lone GROUP BY 1
)
SELECT method, count(*), coalesce(min(n), 0), max(rank)
FROM source LEFT JOIN lone_of USING (method) GROUP BY 1 ORDER BY 1
"""
BY_TOPIC = """
SELECT e.topic_id, s.method, count(*), count(*) FILTER (
  WHERE NOT EXISTS (SELECT FROM corpus_poolsource other WHERE other.entry_id = e.id AND other.id <> s.id))
FROM corpus_poolentry e JOIN corpus_poolsource s ON s.entry_id = e.id
WHERE e.topic_id = ANY(%s) GROUP BY 1, 2 ORDER BY 1, 2
"""


@dataclass(frozen=True)
class Method:
    """How many entries a method brings into pools, how many of them no other method does, and its deepest rank.

    The pools are those of a collection, or the pool of one topic, where the rank is not read.
    """

    name: str
    entries: int
    alone: int
    deepest: int | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self.entries:,}, {self.alone:,} alone)"


@dataclass(frozen=True)
class TopicPool:
    """A topic (with `n_pool` and `n_distinct`), its pool by method, and how many entries only one method found."""

    topic: Topic
    methods: list[Method]

    @property
    def alone(self) -> int:
        return sum(method.alone for method in self.methods)


def known_methods(collection: Collection) -> list[str]:
    """The methods that can be pooled: the names of the runs, “targets” where documents are known to answer a topic, and
    “candidate-pool” where topics came with pools."""
    found = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
    if collection.topics.filter(targets__isnull=False).exists():
        found.append(TARGETS)
    if has_topic_pools(collection):
        found.append(CANDIDATE_POOL)
    return found


def has_topic_pools(collection: Collection) -> bool:
    """Whether any topic came with a pool."""
    return collection.topics.filter(extra__has_key="candidate_pool").exists()


def pool_methods(collection: Collection) -> list[Method]:
    """The methods of the collection's pools, by name."""
    return [Method(*row) for row in execute(METHODS, [collection.pk])]


def pool_sizes(collection: Collection) -> QuerySet[Topic]:
    """Topics in their order with `n_pool`, the size of their pools, and `n_distinct`, the aspects to judge."""
    return with_counts(collection.topics.only("number", "title", "text", "position", "collection"))


def methods_by_topic(topics: Iterable[Topic]) -> list[TopicPool]:
    """The topics with the methods of their pools; one query."""
    found = list(topics)
    methods: dict[int, list[Method]] = {}
    for topic, *counts in execute(BY_TOPIC, [[topic.pk for topic in found]]):
        methods.setdefault(topic, []).append(Method(*counts))
    return [TopicPool(topic, methods.get(topic.pk, [])) for topic in found]


def pool_of(topic: Topic, method: str = "", *, only: bool = False) -> QuerySet[PoolEntry]:
    """The entries of a topic's pool with document, sources, `is_judged` and `has_items`, best rank of any method first.

    `method` selects the entries of this method, `only` those that no second method retrieved.
    """
    entries = topic.pool.select_related("document").defer("document__extra")
    if method:
        entries = entries.filter(sources__method=method)
    if only:
        shared = PoolSource.objects.filter(entry=OuterRef("pk")).values("entry").annotate(n=Count("pk")).filter(n__gt=1)
        entries = entries.exclude(Exists(shared))
    sources = Prefetch("sources", PoolSource.objects.order_by("method"))
    best: Any = Min("sources__rank")
    return with_judged(entries).annotate(best=best).prefetch_related(sources).order_by("best", "document__docno")

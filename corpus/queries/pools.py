"""Runs and pools as the pages show them to those who may see where documents come from."""

from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Count, F, IntegerField, Max, Min, Prefetch, QuerySet, Sum
from django.db.models.expressions import Func

from corpus.models import Collection, Document, PoolEntry, PoolSource, Ranking, RetrievalRun, Topic
from corpus.models.pools import TARGETS
from corpus.queries.topics import with_counts

METHODS = """
WITH source AS (
  SELECT s.entry_id, s.method, s.rank, count(*) OVER (PARTITION BY s.entry_id) AS n FROM corpus_poolsource s
  JOIN corpus_poolentry e ON e.id = s.entry_id JOIN corpus_topic t ON t.id = e.topic_id
  WHERE t.collection_id = %s
)
SELECT method, count(*), count(*) FILTER (WHERE n = 1), max(rank) FROM source GROUP BY 1 ORDER BY 1
"""


@dataclass(frozen=True)
class Method:
    """What a method brings into the pools of a collection, how much of it nothing else does, its deepest rank."""

    name: str
    entries: int
    alone: int
    deepest: int | None


@dataclass(frozen=True)
class Ranked:
    """A document in a ranking; None where the collection lacks it."""

    rank: int
    docno: str
    score: float
    document: Document | None
    is_pooled: bool


class Cardinality(Func):
    function = "cardinality"
    output_field = IntegerField()


def known_methods(collection: Collection) -> list[str]:
    """What can be pooled: the names of the runs, and “targets” where documents are known to answer a topic."""
    runs = list(collection.retrieval_runs.order_by("name").values_list("name", flat=True))
    return [*runs, TARGETS] if collection.topics.filter(targets__isnull=False).exists() else runs


def judged_documents_of(run: RetrievalRun) -> int:
    """How many (topic, document) pairs that this run brought into pools campaigns have made items of."""
    brought = PoolEntry.objects.filter(topic__collection=run.collection_id, sources__method=run.name)
    return brought.filter(document__items__topic=F("topic")).distinct().count()


def list_runs(collection: Collection) -> QuerySet[RetrievalRun]:
    """The runs by name, with `n_topics`, `n_rows` and `deepest`."""
    return collection.retrieval_runs.annotate(
        n_topics=Count("rankings"),
        n_rows=Sum(Cardinality("rankings__docnos")),
        deepest=Max(Cardinality("rankings__docnos")),
    ).order_by("name")


def rankings_of(run: RetrievalRun) -> QuerySet[Ranking]:
    """The run's rankings in the order of topics, with `n_rows`; the arrays are not loaded."""
    rankings = run.rankings.select_related("topic").defer("docnos", "scores", "topic__narrative", "topic__sentences")
    return rankings.annotate(n_rows=Cardinality("docnos")).order_by("topic__position", "topic_id")


def first_of(ranking: Ranking, most: int) -> list[Ranked]:
    """The first documents of a ranking, best first; three queries."""
    docnos, scores = ranking.docnos[:most], ranking.scores[:most]
    collection = ranking.topic.collection_id
    known = Document.objects.filter(collection=collection, docno__in=docnos).only("docno", "title", "year")
    by_docno = {document.docno: document for document in known}
    pooled = set(
        PoolEntry.objects.filter(topic=ranking.topic_id, document__in=known).values_list("document_id", flat=True)
    )
    return [
        Ranked(rank, docno, score, by_docno.get(docno), docno in by_docno and by_docno[docno].pk in pooled)
        for rank, (docno, score) in enumerate(zip(docnos, scores, strict=True), 1)
    ]


def pool_methods(collection: Collection) -> list[Method]:
    """What each method brings into the pools."""
    with connection.cursor() as cursor:
        cursor.execute(METHODS, [collection.pk])
        return [Method(*row) for row in cursor.fetchall()]


def pool_of(topic: Topic, method: str = "") -> QuerySet[PoolEntry]:
    """The entries of a topic's pool with document and sources, best rank of any method first."""
    entries = topic.pool.select_related("document").defer("document__search", "document__abstract", "document__extra")
    if method:
        entries = entries.filter(sources__method=method)
    sources = Prefetch("sources", PoolSource.objects.order_by("method"))
    best: Any = Min("sources__rank")
    return entries.annotate(best=best).prefetch_related(sources).order_by("best", "document__docno")


def pool_sizes(collection: Collection) -> QuerySet[Topic]:
    """Topics in their order with `n_pool`, the size of their pools, and `n_distinct`, distinct aspects to judge."""
    topics = collection.topics.only("number", "title", "text", "position", "collection")
    return with_counts(topics)

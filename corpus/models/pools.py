"""Runs of retrieval systems and the pools of documents they put before the judges."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Job
from corpus.models.collections import Collection, InCollection
from corpus.models.documents import Document
from corpus.models.imports import imported_in
from corpus.models.topics import Topic

# Methods of pooling that are no runs: documents known to answer a topic, explicit lists, picked in the browser.
TARGETS, LISTED, BY_HAND = "targets", "list", "by-hand"
CANDIDATE_POOL = "candidate-pool"  # pools that came with the topics, as in DORIS-MAE's JSON
# What searching the collection brings in: whole queries and fused aspect lists by retriever, neighbours, vectors.
SEARCHED_METHODS = ("bm25:query", "bm25:aspects", "tfidf:query", "tfidf:aspects", "graph:citations", "dense:query")
RESERVED_METHODS = frozenset({TARGETS, LISTED, BY_HAND, CANDIDATE_POOL, *SEARCHED_METHODS})


class RetrievalRun(models.Model):
    """One system's rankings, uploaded as a TREC run or computed here. Hidden from annotators."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="retrieval_runs")
    name = models.CharField(max_length=100)
    description = models.TextField(blank=True)
    parameters = models.JSONField(default=dict, blank=True)
    created_at = models.DateTimeField()
    imported_in = imported_in()

    objects = InCollection.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="retrieval_run_name_unique")]

    def __str__(self) -> str:
        return self.name


class Ranking(models.Model):
    """One topic's list in a run, best first: score falling, ties by docno falling (trec_eval's order).

    Docnos, not foreign keys: a run may name documents that the collection lacks, and they hold their ranks.
    """

    run = models.ForeignKey(RetrievalRun, on_delete=models.CASCADE, related_name="rankings")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="rankings")
    docnos = ArrayField(models.TextField())
    scores = ArrayField(models.FloatField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "topic"], name="ranking_once"),
            models.CheckConstraint(
                name="ranking_docnos_and_scores_paired",
                condition=models.Q(docnos__len=models.F("scores__len")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.topic_id}"


class PoolEntry(models.Model):
    """A document to be judged for a topic. Where it came from is in its sources, hidden from annotators."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="pool")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pooled_for")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="pool_entry_once")]

    def __str__(self) -> str:
        return f"{self.topic_id} {self.document_id}"


class PoolSource(models.Model):
    """One method that brought an entry in, with its rank there (null: an explicit list)."""

    entry = models.ForeignKey(PoolEntry, on_delete=models.CASCADE, related_name="sources")
    method = models.CharField(max_length=100)
    rank = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["entry", "method"], name="pool_source_once")]

    def __str__(self) -> str:
        return f"{self.method}@{self.rank}"


class PoolRun(Job):
    """Filling pools: `parameters` hold what from, the rest what came of it.

    `methods` are runs (and "targets") pooled to `depth` (null: whole rankings); `recipe` and `index` say how the
    collection itself is searched, null where it is not.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="pool_runs")
    topics = models.PositiveIntegerField(default=0)  # with a pool, afterwards
    pairs = models.BigIntegerField(default=0)  # of topic and document in all pools, afterwards
    methods = models.JSONField(default=dict)  # {method: pairs it brings in}
    added = models.BigIntegerField(default=0)
    removed = models.BigIntegerField(default=0)

    objects = InCollection.as_manager()

    def __str__(self) -> str:
        return "pools"

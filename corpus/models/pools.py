"""Runs of retrieval systems and the pools of documents they put before the judges.

Keys that a unique constraint begins with have no separate index: each would be paid for by every imported row.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.counting import by, moment
from accounts.models import Job
from corpus.models.collections import Collection, InCollection
from corpus.models.documents import Document
from corpus.models.imports import imported_in
from corpus.models.topics import Aspect, SubQuery, Topic

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

    run = models.ForeignKey(RetrievalRun, on_delete=models.CASCADE, related_name="rankings", db_index=False)
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


class PartRanking(models.Model):
    """The list for a part of a topic in a run: one of its sub-queries or one of its aspects. No pool is made of it."""

    run = models.ForeignKey(RetrievalRun, on_delete=models.CASCADE, related_name="part_rankings")
    sub_query = models.ForeignKey(SubQuery, on_delete=models.CASCADE, null=True, blank=True, related_name="rankings")
    aspect = models.ForeignKey(Aspect, on_delete=models.CASCADE, null=True, blank=True, related_name="rankings")
    docnos = ArrayField(models.TextField())
    scores = ArrayField(models.FloatField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "sub_query"], name="part_ranking_once_per_sub_query"),
            models.UniqueConstraint(fields=["run", "aspect"], name="part_ranking_once_per_aspect"),
            models.CheckConstraint(
                name="part_ranking_of_one_part",
                condition=models.Q(sub_query__isnull=True, aspect__isnull=False)
                | models.Q(sub_query__isnull=False, aspect__isnull=True),
            ),
            models.CheckConstraint(
                name="part_ranking_docnos_and_scores_paired",
                condition=models.Q(docnos__len=models.F("scores__len")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.run_id} {self.sub_query_id or self.aspect_id}"


class RunMaking(Job):
    """Making a run here: `parameters` hold the recipe with all its settings, the run what came of it.

    `recipe_hash` is of these parameters: equal hashes over an equal collection give equal runs, byte for byte.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="run_makings")
    name = models.CharField(max_length=100)
    recipe_hash = models.CharField(max_length=64)
    run = models.ForeignKey(RetrievalRun, on_delete=models.SET_NULL, null=True, blank=True, related_name="makings")

    objects = InCollection.as_manager()

    def __str__(self) -> str:
        return self.name


class PaidAnswer(models.Model):
    """What an endpoint answered to one question, by a hash of all that was sent: nothing is asked, or paid, twice.

    `vector` holds the floats of an embedding, `text` the words of a chat model. Tokens are null where none were
    counted, the cost where a price is not known.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="paid_answers", db_index=False)
    digest = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    vector = models.BinaryField(null=True, blank=True)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "digest"], name="paid_answer_once")]

    def __str__(self) -> str:
        return self.digest


class PoolEntry(models.Model):
    """A document to be judged for a topic. Where it came from is in its sources, hidden from annotators."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="pool", db_index=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="pooled_for")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="pool_entry_once")]

    def __str__(self) -> str:
        return f"{self.topic_id} {self.document_id}"


class PoolSource(models.Model):
    """One method that brought an entry in, with its rank there (null: an explicit list)."""

    entry = models.ForeignKey(PoolEntry, on_delete=models.CASCADE, related_name="sources", db_index=False)
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

    @property
    def outcome(self) -> SafeString | str:
        """When it was built, by whom, how, and what changed; it must be finished."""
        how = self.parameters
        depth = f", depth {how['depth'] or 'whole rankings'}" if how.get("methods") else ""
        searched = ", with a search of the whole collection" if how.get("recipe") else ""
        changed = f"{self.added:,} added, {self.removed:,} removed{depth}{searched}"
        if self.finished_at is None:
            return ""
        return format_html("Last built {}{}: {}.", moment(self.finished_at), by(self.requested_by), changed)

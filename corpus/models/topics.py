"""Topics, their aspects, and documents known to answer them.

Keys that a unique constraint begins with have no separate index: each would be paid for by every imported row.
"""

from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models

from corpus.models.collections import Collection, InCollection
from corpus.models.documents import Document
from corpus.models.imports import imported_in
from engines.formats.records import MAX_TOPIC_LENGTH

LONGEST_AUTHOR = 200
LONGEST_SOURCE = 60  # characters
LONGEST_CATEGORY = 60


class TopicKind(models.TextChoices):
    QUESTION = "question", "question"
    COMPLEX_QUERY = "complex-query", "complex query"
    CONTEXT_PARAGRAPH = "context-paragraph", "citation context, paragraph"
    CONTEXT_SENTENCE = "context-sentence", "citation context, sentence"


class Topic(models.Model):
    """An information need; `number` is its external id, once `prefix` is taken off.

    `sentences`, where known, joined by blanks are `text`.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="topics", db_index=False)
    number = models.CharField(max_length=MAX_TOPIC_LENGTH)
    prefix = models.CharField(max_length=20, blank=True)  # what its number begins with only to be unique here
    kind = models.CharField(max_length=20, choices=TopicKind, default=TopicKind.QUESTION)
    source = models.CharField(max_length=LONGEST_SOURCE, blank=True)
    author = models.CharField(max_length=LONGEST_AUTHOR, blank=True)
    title = models.TextField(blank=True)
    text = models.TextField()
    narrative = models.TextField(blank=True)
    sentences = ArrayField(models.TextField(), default=list, blank=True)
    parent = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="children", db_index=False
    )
    position = models.PositiveIntegerField(default=0)
    extra = models.JSONField(default=dict, blank=True)
    imported_in = imported_in()

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="topic_number_unique"),
            models.CheckConstraint(name="topic_number_without_blanks", condition=models.Q(number__regex=r"^\S+$")),
            models.CheckConstraint(
                name="topic_number_has_its_prefix",
                condition=models.Q(number__startswith=models.F("prefix")) & ~models.Q(number=models.F("prefix")),
            ),
            models.CheckConstraint(name="topic_kind_known", condition=models.Q(kind__in=TopicKind.values)),
            models.CheckConstraint(name="topic_has_text", condition=~models.Q(text="")),
            models.CheckConstraint(name="topic_not_its_own_parent", condition=~models.Q(parent=models.F("id"))),
        ]
        indexes = [models.Index(fields=["parent"], name="topic_parent", condition=models.Q(parent__isnull=False))]

    def __str__(self) -> str:
        return f"{self.number}: {self.title or self.text[:80]}"

    @property
    def heading(self) -> str:
        """Its title, "" where that is the text and would be read twice."""
        return "" if self.title == self.text else self.title

    @property
    def bare_number(self) -> str:
        """Its number as released: without what was put before it to be unique in the collection."""
        return self.number.removeprefix(self.prefix)

    @property
    def category(self) -> str:
        """What the query is about, such as NLP: DORIS-MAE's `query_type`."""
        named = self.extra.get("query_type")
        return named if isinstance(named, str) else ""

    @property
    def source_papers(self) -> list[str]:
        """Docnos of the papers that the query was written from, as DORIS-MAE's `idea_from` has them."""
        named = self.extra.get("idea_from")
        return [str(docno) for docno in named] if isinstance(named, list) else []

    @property
    def further_fields(self) -> dict[str, Any]:
        """What its file said in addition, by name: `extra` without its category and its source papers."""
        shown = {"query_type": self.category, "idea_from": self.source_papers}
        return {name: value for name, value in self.extra.items() if not shown.get(name)}


class Aspect(models.Model):
    """One distinct requirement text of a topic: the thing that is judged, wherever it stands in the tree."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="aspects", db_index=False)
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["topic", "text"], name="aspect_text_once_per_topic"),
            models.CheckConstraint(name="aspect_has_text", condition=~models.Q(text="")),
        ]

    def __str__(self) -> str:
        return self.text


class AspectNode(models.Model):
    """A place in a topic's tree where an aspect stands: on top, or as a sub-aspect below a top node.

    Equal texts at several places are one Aspect, hence judged once (formats.md 1.3).
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="nodes")
    aspect = models.ForeignKey(Aspect, on_delete=models.CASCADE, related_name="nodes")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, blank=True, related_name="children")
    position = models.PositiveIntegerField()
    sentences = ArrayField(models.PositiveSmallIntegerField(), default=list, blank=True)  # indexes into topic.sentences
    # The sentences that speak of it, where a source says so apart from those it comes from; None: the same ones.
    spoken_in = ArrayField(models.PositiveSmallIntegerField(), null=True, blank=True)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.CheckConstraint(name="aspect_node_not_its_own_parent", condition=~models.Q(parent=models.F("id"))),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}/{self.position}"


class Target(models.Model):
    """A document known to answer the topic before anybody judged (cited there, or the author's own)."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="targets", db_index=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="targeted_by")
    source = models.CharField(max_length=LONGEST_SOURCE, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["topic", "document"], name="target_once")]

    def __str__(self) -> str:
        return f"{self.topic_id} {self.document_id}"


class SubQuery(models.Model):
    """A part of a complex query: some of its top aspects, in the query's own sentences (engines/ranking/sub_queries).

    It has no pool, no items and no judgments itself: its pool is the topic's, what is judged for it are its aspects
    with what stands below them in the topic's tree. So it costs no annotation and follows every later change.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="sub_queries")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="sub_queries")
    number = models.CharField(max_length=150)
    size = models.PositiveSmallIntegerField()  # how many aspects
    sentences = ArrayField(models.TextField())

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["topic__position", "topic_id", "id"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "number"], name="sub_query_number_unique"),
            models.CheckConstraint(name="sub_query_has_aspects", condition=models.Q(size__gte=1)),
            models.CheckConstraint(name="sub_query_has_text", condition=models.Q(sentences__len__gte=1)),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


class SubQueryAspect(models.Model):
    """One of the top aspects that a sub-query is about."""

    sub_query = models.ForeignKey(SubQuery, on_delete=models.CASCADE, related_name="chosen")
    aspect = models.ForeignKey(Aspect, on_delete=models.CASCADE, related_name="sub_queries")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [models.UniqueConstraint(fields=["sub_query", "aspect"], name="sub_query_aspect_once")]

    def __str__(self) -> str:
        return f"{self.sub_query_id}/{self.position}"

"""Citation mentions: paragraphs of papers that cite others, the raw material of inline-citation questions."""

from typing import Self

from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Left

from accounts.models import person_key
from corpus.models.collections import Collection, InCollection
from corpus.models.documents import Document
from corpus.models.imports import imported_in

SEARCHED_TEXT = 100_000  # characters of a paragraph, see corpus/models/documents.py


class DiscardReason(models.TextChoices):
    UNCLEAR = "unclear", "does not say what is cited for"
    TRIVIAL = "trivial", "only names a common tool, dataset or method"
    DAMAGED = "damaged", "text or markers are damaged"
    WRONG_LINK = "wrong-link", "linked to the wrong document"
    OFF_TOPIC = "off-topic", "not about the literature of this collection"
    OTHER = "other", "another reason (see the note)"


class MentionQuerySet(InCollection):
    def inside(self) -> Self:
        """Those whose source paper is a document of the collection."""
        return self.filter(source_document__isnull=False)

    def outside(self) -> Self:
        """Those whose source paper is no document of the collection."""
        return self.filter(source_document__isnull=True)

    def with_target(self) -> Self:
        """Those that cite at least one document of the collection."""
        linked = MentionReference.objects.filter(mention=models.OuterRef("pk"), document__isnull=False)
        return self.filter(models.Exists(linked))

    def usable(self) -> Self:
        """Those nobody has discarded."""
        return self.filter(discarded_at__isnull=True)


class CitationMention(models.Model):
    """A paragraph of a source paper with its citation markers.

    `markers` are [{"start", "end", "keys"}] in the order of the text: half-open offsets in code points of `text`, and
    keys of `references`. `source_key` says which paper it is when the same file comes again; `position` counts the
    paper's paragraphs from 0. `digest` is that of everything a file says, so that an import knows what has changed.
    """

    collection = models.ForeignKey(
        Collection,
        on_delete=models.CASCADE,
        related_name="mentions",
        db_index=False,  # mention_once begins with it
    )
    source_key = models.CharField(max_length=400)
    source_id = models.CharField(max_length=255, blank=True)
    source_doi = models.CharField(max_length=300, blank=True)
    source_title = models.TextField(blank=True)
    source_title_key = models.TextField(blank=True)
    source_document = models.ForeignKey(
        Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="mentions_within"
    )
    position = models.PositiveIntegerField()
    section = models.TextField(blank=True)
    text = models.TextField()
    markers = models.JSONField(default=list)
    digest = models.CharField(max_length=64)
    created_at = models.DateTimeField()
    imported_in = imported_in()
    discarded_at = models.DateTimeField(null=True, blank=True)
    discarded_by = person_key("discarded_mentions")
    discard_reason = models.CharField(max_length=12, choices=DiscardReason, blank=True)
    discard_note = models.CharField(max_length=500, blank=True)
    search = models.GeneratedField(
        expression=SearchVector("source_title", weight="A", config="english")
        + SearchVector(Left("text", SEARCHED_TEXT), weight="B", config="english"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = MentionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "source_key", "position"], name="mention_once"),
            models.CheckConstraint(name="mention_has_text", condition=~models.Q(text="")),
            models.CheckConstraint(name="mention_has_source_key", condition=~models.Q(source_key="")),
            models.CheckConstraint(
                name="mention_discarded_at_and_reason_paired",
                condition=models.Q(discarded_at__isnull=True, discarded_by__isnull=True, discard_reason="")
                | models.Q(discarded_at__isnull=False, discard_reason__in=DiscardReason.values),
            ),
        ]
        indexes = [GinIndex(fields=["search"], name="mention_search")]

    def __str__(self) -> str:
        return f"{self.source_title[:80] or self.source_key}, paragraph {self.position}"


class Link(models.TextChoices):
    """How a reference was found among the documents; "ambiguous" and "" were not."""

    ID = "id", "by id"
    DOI = "doi", "by DOI"
    TITLE = "title", "by title"
    AMBIGUOUS = "ambiguous", "several documents have this DOI or title"


class MentionReference(models.Model):
    """A paper that a mention cites under `key`, and the document of the collection that it is, where it is one.

    `target` is the source's own id of the cited paper, `title_key` what equal titles have in common.
    """

    mention = models.ForeignKey(CitationMention, on_delete=models.CASCADE, related_name="references", db_index=False)
    key = models.CharField(max_length=100)
    position = models.PositiveSmallIntegerField()  # in the order of the text
    title = models.TextField(blank=True)
    title_key = models.TextField(blank=True)
    doi = models.CharField(max_length=300, blank=True)
    target = models.CharField(max_length=255, blank=True)
    document = models.ForeignKey(
        Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="mentioned_as"
    )
    link = models.CharField(max_length=10, choices=Link, blank=True)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["mention", "key"], name="mention_reference_key_once"),
            models.CheckConstraint(
                name="mention_reference_document_is_linked",
                condition=models.Q(document__isnull=True) | models.Q(link__in=[Link.ID, Link.DOI, Link.TITLE]),
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.target or self.key

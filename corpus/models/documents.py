"""Documents and the citations between them."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models

from corpus.models.collections import Collection, InCollection


class Document(models.Model):
    """One record of the literature; `docno` is its external id and never changes."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=300)
    title = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    keywords = ArrayField(models.TextField(), default=list, blank=True)
    authors = ArrayField(models.TextField(), default=list, blank=True)
    venue = models.TextField(blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    doi = models.CharField(max_length=300, blank=True)
    url = models.TextField(blank=True)
    extra = models.JSONField(default=dict, blank=True)
    search = models.GeneratedField(
        expression=SearchVector("title", weight="A", config="english")
        + SearchVector("abstract", weight="B", config="english"),
        output_field=SearchVectorField(),
        db_persist=True,
    )

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "docno"], name="document_docno_unique"),
            models.CheckConstraint(name="document_docno_without_blanks", condition=models.Q(docno__regex=r"^\S+$")),
        ]
        indexes = [GinIndex(fields=["search"], name="document_search")]

    def __str__(self) -> str:
        return self.title or self.docno


class Citation(models.Model):
    """`citing` has `cited` in its list of references; both are documents of the same collection."""

    citing = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="outgoing_citations")
    cited = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="incoming_citations")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["citing", "cited"], name="citation_once")]

    def __str__(self) -> str:
        return f"{self.citing_id} → {self.cited_id}"

"""Documents and the citations between them."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVector, SearchVectorField
from django.db import models
from django.db.models.functions import Left

from corpus.models.collections import Collection, InCollection
from corpus.models.imports import imported_in
from corpus.text.names import document_name

# Characters of a title and an abstract that the full-text search sees: PostgreSQL refuses a row whose vector passes
# 1 MB, whatever its words are.
SEARCHED_TITLE = 5_000
SEARCHED_ABSTRACT = 100_000


class Document(models.Model):
    """One record of the literature; `docno` is its external id and never changes.

    The table keeps rows of up to 4 kB whole and vectors as they are (see the migration): compressing and cutting up
    every other row cost a tenth of an import, and ranking search hits reads the vectors.
    """

    collection = models.ForeignKey(
        Collection,
        on_delete=models.CASCADE,
        related_name="documents",
        db_index=False,  # document_docno_unique begins with it
    )
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
    imported_in = imported_in()
    search = models.GeneratedField(
        expression=SearchVector(Left("title", SEARCHED_TITLE), weight="A", config="english")
        + SearchVector(Left("abstract", SEARCHED_ABSTRACT), weight="B", config="english"),
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
        return self.name

    @property
    def name(self) -> str:
        """What lists call it; reads title, abstract and docno, so none of them should be deferred."""
        return document_name(self.title, self.abstract, self.docno)


class Citation(models.Model):
    """`citing` has `cited` in its list of references; both are documents of the same collection."""

    citing = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="outgoing_citations")
    cited = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="incoming_citations")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["citing", "cited"], name="citation_once")]

    def __str__(self) -> str:
        return f"{self.citing_id} → {self.cited_id}"

"""Documents and the citations between them."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.db.models import F, Func, Value

from accounts.models import Job
from corpus.models.collections import Collection, InCollection
from corpus.models.imports import imported_in
from engines.text.languages import ENGLISH
from engines.text.names import document_name


class Document(models.Model):
    """One record of the literature; `docno` is its external id and never changes.

    The table keeps rows of up to 4 kB whole (see the migration): compressing and cutting up every other row cost a
    tenth of an import.
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

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["collection", "docno"], name="document_docno_unique"),
            models.CheckConstraint(name="document_docno_without_blanks", condition=models.Q(docno__regex=r"^\S+$")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """What lists call it; reads title, abstract and docno, so none of them should be deferred."""
        return document_name(self.title, self.abstract, self.docno)


class FullText(models.Model):
    """The running text of a document, apart from its record, so that lists and searches never read it.

    `words` are what white space parts; `digest` says whether it has changed, without reading it.
    """

    document = models.OneToOneField(Document, on_delete=models.CASCADE, primary_key=True, related_name="full_text")
    text = models.TextField()
    words = models.PositiveIntegerField()
    digest = models.GeneratedField(
        expression=Func(F("text"), Value(0), function="hashtextextended"),
        output_field=models.BigIntegerField(),
        db_persist=True,
    )

    class Meta:
        constraints = [models.CheckConstraint(name="full_text_not_empty", condition=~models.Q(text=""))]

    def __str__(self) -> str:
        return f"full text of {self.document_id}"


class SearchEntry(models.Model):
    """What the full-text search sees of a document: its vector, computed by PostgreSQL alone.

    A trigger writes it with the document, and again with every change of its title or abstract; a large import puts
    that off to an `Indexing` (see the migration). So an entry always fits its document, but may be missing for a
    while, or be in the language that the collection had before. It goes with its document: the database cascades.
    """

    document = models.OneToOneField(
        Document, on_delete=models.DO_NOTHING, primary_key=True, related_name="+", db_constraint=False
    )
    collection = models.ForeignKey(
        Collection, on_delete=models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )
    language = models.CharField(max_length=3, db_default=ENGLISH)  # whose stems the vector has
    vector = SearchVectorField()

    class Meta:
        indexes = [GinIndex(fields=["vector"], name="search_entry_vector")]

    def __str__(self) -> str:
        return str(self.document_id)


class Indexing(Job):
    """Entering documents into the full-text search, after an import that was too large to do it on the way."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="indexings")

    objects = InCollection.as_manager()

    def __str__(self) -> str:
        return "indexing for search"


class Citation(models.Model):
    """`citing` has `cited` in its list of references; both are documents of the same collection."""

    citing = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="outgoing_citations", db_index=False)
    cited = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="incoming_citations")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["citing", "cited"], name="citation_once")]

    def __str__(self) -> str:
        return f"{self.citing_id} → {self.cited_id}"

"""Papers: the raw material of citation contexts, as their files were parsed."""

from typing import Any, Self

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Func, Q, TextField, Value
from django.db.models.functions import Coalesce
from django.db.models.lookups import Exact
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from accounts.counting import named
from corpus.models.collections import Collection, InCollection
from corpus.models.imports import imported_in
from engines.formats.registry import format_label

DOUBTFUL_DOI = "doubtful-doi"  # a warning with `candidates`; `settled` once somebody has answered


def json_is(field: str, kind: str) -> Exact:
    """A condition for constraints: the JSON value in `field` is of this kind (array, object, …)."""
    found = Func(F(field), function="jsonb_typeof", output_field=TextField())
    return Exact(
        Coalesce(found, Value("nothing"), output_field=TextField()), Value(kind)
    )  # a check that comes out null would let it pass


def _finds(field: str, path: str) -> Func:
    """Whether the JSON in a field holds what a path names."""
    template = "%(function)s(%(expressions)s::jsonpath)"
    return Func(
        F(field), Value(path), function="jsonb_path_exists", template=template, output_field=models.BooleanField()
    )


class PaperQuerySet(InCollection):
    def with_parts(self) -> Self:
        """Papers with `has_text`, `has_sections` and `has_references`: what was found in their files.

        The database looks into their blocks, which are not fetched.
        """
        return self.annotate(
            has_text=_finds("blocks", '$[*] ? (@.kind == "paragraph")'),
            has_sections=_finds("blocks", "$[*].section"),
            has_references=_finds("references", "$[*]"),
        )


class Paper(models.Model):
    """A citing paper: its running text in blocks and its list of references, before anybody has judged anything.

    `key` is the DOI, or the file's name where there is none; it has no blanks, and changes only where somebody says
    what its DOI is. The lists are JSON,
    because a paper is read and written whole (ADR 13): `engines/formats/papers.py` says what stands in them.
    """

    collection = models.ForeignKey(
        Collection,
        on_delete=models.CASCADE,
        related_name="papers",
        db_index=False,  # paper_key_unique begins with it
    )
    key = models.CharField(max_length=255)
    doi = models.CharField(max_length=255, blank=True)
    title = models.TextField(blank=True)
    abstract = models.TextField(blank=True)
    authors = ArrayField(models.TextField(), default=list, blank=True)
    venue = models.TextField(blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    source = models.CharField(max_length=40)  # name of the format it was read from: engines/formats/registry.py
    file = models.FileField(max_length=200, blank=True)  # as it came in, below MEDIA_ROOT
    file_name = models.CharField(max_length=255, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)
    pages = models.JSONField(default=list, blank=True)  # [[width, height] in points]
    blocks = models.JSONField(default=list, blank=True)
    references = models.JSONField(default=list, blank=True)
    reference_notes = models.JSONField(default=dict, blank=True)  # {number: what its `.dois` sheet notes}
    warnings = models.JSONField(default=list, blank=True)  # for people: [{"code", "text", …}]
    position = models.PositiveIntegerField(default=0)  # the order of papers in topics and qrels
    first_sentence_number = models.PositiveIntegerField(null=True, blank=True)  # of its sentence topics; null: runs on
    created_at = models.DateTimeField()
    imported_in = imported_in()
    updated_at = models.DateTimeField()

    objects = PaperQuerySet.as_manager()

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="paper_key_unique"),
            models.CheckConstraint(name="paper_source_named", condition=~Q(source="")),
            models.CheckConstraint(name="paper_key_without_blanks", condition=Q(key__regex=r"^\S+$")),
            *(
                models.CheckConstraint(name=f"paper_{name}_is_a_list", condition=json_is(name, "array"))
                for name in ("pages", "blocks", "references", "warnings")
            ),
            models.CheckConstraint(
                name="paper_reference_notes_is_an_object", condition=json_is("reference_notes", "object")
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.key

    @property
    def source_label(self) -> str:
        """What people call the format it was read from."""
        return format_label(self.source)

    @property
    def origin(self) -> SafeString:
        """Its format, venue and year."""
        parts = (self.source_label, self.venue and named(self.venue), self.year)
        return format_html_join(", ", "{}", ((part,) for part in parts if part))

    @property
    def is_pdf(self) -> bool:
        """Whether its file has pages that can be drawn."""
        return self.source == "pdf"

    @property
    def doubtful_doi(self) -> dict[str, Any] | None:
        """The open question about its DOI: `text` and `candidates`."""
        return next((each for each in self.warnings if each["code"] == DOUBTFUL_DOI and not each["settled"]), None)

    @property
    def is_doi_settled(self) -> bool:
        """Whether somebody has said what its DOI is, or that it has none."""
        return any(each["code"] == DOUBTFUL_DOI and each["settled"] for each in self.warnings)

    @property
    def tail(self) -> str:
        """What the numbers of its topics begin with: the part of the key after its last dot."""
        return self.key.rpartition(".")[2]

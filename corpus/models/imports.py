"""Imports: one uploaded or named set of files, read by a job."""

from typing import Any

from django.db import models

from accounts.extensions import extensions
from accounts.models import Job, person_key
from corpus.models.collections import Collection, InCollection


class ImportRun(Job):
    """Reading files into a collection. Counts are the design's import JSON; errors keep the first ten thousand."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="import_runs")
    kind = models.CharField(max_length=40)  # name of what is imported: corpus/imports/registry.py
    format = models.CharField(max_length=40, default="auto")  # name of its format: engines/formats/registry.py
    dry_run = models.BooleanField(default=False)
    # [{"name", "path", "size", "sha256"}]; paths below MEDIA_ROOT, or absolute ones of the command, until it has ended
    files = models.JSONField(default=list)
    created = models.BigIntegerField(default=0)
    updated = models.BigIntegerField(default=0)
    unchanged = models.BigIntegerField(default=0)
    skipped = models.BigIntegerField(default=0)
    # [{"file", "line", "reason"}]; with "kept" where it is a note on a record that came in
    errors = models.JSONField(default=list)
    error_count = models.BigIntegerField(default=0)
    skips = models.JSONField(default=dict)  # {rule: how many records it left out}; bad records are in the errors
    remarks = models.JSONField(default=list)  # sentences on how it was understood, such as whose labels came in
    samples = models.JSONField(default=list)  # of a dry run: the first records it would store, as they were understood

    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = person_key("undone_imports")  # null: the command line

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="import_run_kind_named", condition=~models.Q(kind="")),
            models.CheckConstraint(
                name="import_run_undone_by_only_when_undone",
                condition=models.Q(undone_at__isnull=False) | models.Q(undone_by__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return f"import of {self.label}"

    @property
    def importer(self) -> Any:
        """The `Importer` of what comes in (corpus/imports/registry.py); None where this Litmus does not know it."""
        return extensions("importers").get(self.kind)

    @property
    def label(self) -> str:
        """What came in, in words."""
        return str(self.importer.label) if self.importer else self.kind

    @property
    def unit(self) -> str:
        """What is counted as new, updated, unchanged: a run of a hundred topics is a hundred rankings."""
        return str(self.importer.unit) if self.importer else "records"

    @property
    def first_errors(self) -> list[dict[str, Any]]:
        """As many errors as the API lists; the page offers all that are kept as a file."""
        return self.errors[:1000]

    @property
    def skipped_errors(self) -> int:
        """How many of the errors left a record out."""
        return int(self.skipped - sum(self.skips.values()))

    @property
    def notes(self) -> int:
        """How many of the errors are about something that came in nevertheless."""
        return int(self.error_count - self.skipped_errors)


class ReplacedRecord(models.Model):
    """What an import wrote over: the former values of one row, so that the import can be undone."""

    import_run = models.ForeignKey(ImportRun, on_delete=models.CASCADE, related_name="replaced", db_index=False)
    row_id = models.BigIntegerField()  # of the table that the import's kind fills
    before = models.JSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["import_run", "row_id"], name="replaced_record_once")]

    def __str__(self) -> str:
        return f"{self.import_run_id}: {self.row_id}"


def imported_in() -> "models.ForeignKey[Any, Any]":
    """The import that created a row; null for rows made in another way.

    Without index and foreign key constraint: each would cost every imported row, and undoing an import is rare.
    """
    return models.ForeignKey(
        ImportRun,
        on_delete=models.DO_NOTHING,
        null=True,
        blank=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
    )

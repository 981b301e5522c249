"""Imports: one uploaded or named set of files, read by a job."""

from django.db import models

from accounts.models import Job
from corpus.models.collections import Collection, InCollection


class ImportKind(models.TextChoices):
    DOCUMENTS = "documents", "documents"
    TOPICS = "topics", "topics"
    PAPERS = "papers", "papers"
    RUNS = "runs", "retrieval runs"
    POOL = "pool", "pool list"
    JUDGMENTS = "judgments", "judgments"
    MENTIONS = "mentions", "citation mentions"


class ImportRun(Job):
    """Reading files into a collection. Counts are the design's import JSON; errors keep the first thousand."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="import_runs")
    kind = models.CharField(max_length=12, choices=ImportKind)
    format = models.CharField(max_length=20, default="auto")
    dry_run = models.BooleanField(default=False)
    files = models.JSONField(default=list)  # [{"name", "path", "size", "sha256"}], paths below MEDIA_ROOT
    created = models.BigIntegerField(default=0)
    updated = models.BigIntegerField(default=0)
    unchanged = models.BigIntegerField(default=0)
    skipped = models.BigIntegerField(default=0)
    errors = models.JSONField(default=list)  # [{"file", "line", "reason"}]
    error_count = models.BigIntegerField(default=0)
    skips = models.JSONField(default=dict)  # {rule: how many records it left out}; bad records are in the errors
    remarks = models.JSONField(default=list)  # sentences on how it was understood, such as whose labels came in

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(name="import_run_kind_known", condition=models.Q(kind__in=ImportKind.values)),
        ]

    def __str__(self) -> str:
        return f"import of {self.get_kind_display()}"

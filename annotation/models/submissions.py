"""Every answer ever given, and the judgments that count now."""

from django.db import models

from annotation.models.campaigns import Criterion, Guideline
from annotation.models.items import Assignment
from corpus.models.imports import imported_in


class SubmissionKind(models.TextChoices):
    ANSWER = "answer", "answer"
    SKIP = "skip", "skip"
    UNDO = "undo", "undo"
    IMPORT = "import", "imported answer"


class SubmissionOutcome(models.TextChoices):
    COUNTED = "counted", "counted"
    NOT_COUNTED = "not-counted", "kept, not counted"  # came after the lease had passed to somebody else


class Submission(models.Model):
    """What an annotator sent, word for word. Append-only: a trigger refuses every update and delete.

    Only undoing the import it came with, or deleting the whole collection, takes it away (ADR 24).

    `uuid` is made by the client, so that sending again what was already received changes nothing.
    """

    is_append_only = True  # to code that changes every text of the database

    uuid = models.UUIDField(unique=True)
    assignment = models.ForeignKey(
        Assignment, on_delete=models.PROTECT, related_name="submissions", db_index=False
    )  # `submission_newest` serves it
    kind = models.CharField(max_length=6, choices=SubmissionKind)
    outcome = models.CharField(max_length=11, choices=SubmissionOutcome, default=SubmissionOutcome.COUNTED)
    answers = models.JSONField(default=dict)  # {criterion key: value}
    reasons = models.JSONField(default=dict)  # {criterion key: reason}, where a level demands one
    reason = models.CharField(max_length=500, blank=True)  # why it was skipped
    note = models.TextField(blank=True)
    said = models.TextField(blank=True, default="", db_default="")  # an imported machine's words (else: MachineReply)
    flagged = models.BooleanField(default=False)
    guideline = models.ForeignKey(
        Guideline, on_delete=models.PROTECT, null=True, blank=True, related_name="submissions", db_index=False
    )
    active_ms = models.PositiveIntegerField(null=True, blank=True)
    away_ms = models.PositiveIntegerField(null=True, blank=True)
    device = models.CharField(max_length=20, blank=True)  # keyboard, mouse, touch, api, import
    client_at = models.DateTimeField(null=True, blank=True)  # when it was given, by the browser's clock or the file
    received_at = models.DateTimeField()
    imported_in = imported_in()

    class Meta:
        constraints = [
            # Finds the newest one of an assignment; judgments refer to it (see the migration).
            models.UniqueConstraint(fields=["assignment", "id"], name="submission_newest"),
        ]
        indexes = [models.Index(fields=["assignment"], name="submission_flagged", condition=models.Q(flagged=True))]

    def __str__(self) -> str:
        return str(self.uuid)


class Judgment(models.Model):
    """The value that counts now, one per assignment and criterion; (criterion, value) is a foreign key to a level.

    No index but the unique one: a campaign has few criteria, so one on them would cost each judgment and find nothing.
    A composite foreign key holds that the submission is one of the same assignment.
    """

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments", db_index=False)
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="judgments", db_index=False)
    value = models.SmallIntegerField()
    reason = models.CharField(max_length=60, blank=True)  # the level's reason, where one is demanded
    submission = models.ForeignKey(
        Submission, on_delete=models.PROTECT, related_name="judgments", db_index=False, db_constraint=False
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["assignment", "criterion"], name="judgment_one_current")]

    def __str__(self) -> str:
        return f"{self.assignment_id}: {self.value}"

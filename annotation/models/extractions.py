"""Extractions: the citation contexts and references of a paper as somebody or something took them out of it."""

from django.db import models
from django.db.models import F, Q

from accounts.models import person_key
from annotation.models.campaigns import Campaign
from annotation.models.items import Assignment
from corpus.models import Paper
from corpus.models.papers import json_is


class ExtractionSource(models.TextChoices):
    MACHINE = "machine", "machine's proposal"
    IMPORTED = "imported", "imported gold"
    ANNOTATOR = "annotator", "annotator"
    ADJUDICATED = "adjudicated", "adjudicated"


class ExtractionState(models.TextChoices):
    DRAFT = "draft", "draft"
    FINISHED = "finished", "finished"


class Extraction(models.Model):
    """One account of a paper. Of a machine's, an imported and an adjudicated one each paper has at most one (the
    last for each campaign), and each assignment has at most one.

    `current` is the number of the revision that counts (a composite foreign key holds that it is a revision of
    this extraction);
    undoing and redoing move it along the revisions' parents, and only a new edit makes a new revision.
    """

    paper = models.ForeignKey(Paper, on_delete=models.CASCADE, related_name="extractions")
    source = models.CharField(max_length=11, choices=ExtractionSource)
    campaign = models.ForeignKey(  # adjudicated: of which campaign
        Campaign, on_delete=models.PROTECT, null=True, blank=True, related_name="extractions"
    )
    assignment = models.OneToOneField(  # annotator: whose
        Assignment, on_delete=models.PROTECT, null=True, blank=True, related_name="extraction"
    )
    maker = models.CharField(max_length=200, blank=True)  # machine: parser and version; imported: name of the file
    state = models.CharField(max_length=8, choices=ExtractionState, default=ExtractionState.DRAFT)
    current = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(name="extraction_source_known", condition=Q(source__in=ExtractionSource.values)),
            models.CheckConstraint(name="extraction_state_known", condition=Q(state__in=ExtractionState.values)),
            models.CheckConstraint(
                name="extraction_assignment_is_annotators",
                condition=Q(source="annotator", assignment__isnull=False)
                | (~Q(source="annotator") & Q(assignment__isnull=True)),
            ),
            models.CheckConstraint(
                name="extraction_campaign_is_adjudicated",
                condition=Q(source="adjudicated", campaign__isnull=False)
                | (~Q(source="adjudicated") & Q(campaign__isnull=True)),
            ),
            models.CheckConstraint(
                name="extraction_finished_when_finished",
                condition=Q(state="finished", finished_at__isnull=False) | Q(state="draft", finished_at__isnull=True),
            ),
            models.UniqueConstraint(
                fields=["paper", "source"],
                condition=Q(source__in=[ExtractionSource.MACHINE, ExtractionSource.IMPORTED]),
                name="extraction_one_machine_one_imported",
            ),
            models.UniqueConstraint(
                fields=["paper", "campaign"], condition=Q(source="adjudicated"), name="extraction_one_adjudicated"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_source_display()} of paper {self.paper_id}"


class ExtractionRevision(models.Model):
    """One state of an extraction, whole. Append-only: a trigger refuses updates, and deletes of what people made.

    `content` is what `engines/definitions/extractions.py` reads and writes; every writer goes through it.
    """

    is_append_only = True  # to code that changes every text of the database

    extraction = models.ForeignKey(Extraction, on_delete=models.CASCADE, related_name="revisions", db_index=False)
    number = models.PositiveIntegerField()
    parent = models.PositiveIntegerField(null=True, blank=True)  # number of the revision it was edited from
    content = models.JSONField()
    change = models.CharField(max_length=200, blank=True)  # what the edit did, in a few words
    # adjudicated: {"sides": [[assignment, revision], …], "taken": {difference: variant}}, what it was made of
    basis = models.JSONField(null=True, blank=True)
    made_by = person_key("extraction_revisions")  # null: the command line or a job of it
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["extraction", "number"], name="extraction_revision_number"),
            models.CheckConstraint(
                name="extraction_revision_follows", condition=Q(parent__isnull=True) | Q(parent__lt=F("number"))
            ),
            models.CheckConstraint(
                name="extraction_contexts_is_a_list", condition=json_is("content__contexts", "array")
            ),
            models.CheckConstraint(
                name="extraction_references_is_a_list", condition=json_is("content__references", "array")
            ),
        ]

    def __str__(self) -> str:
        return f"revision {self.number}"

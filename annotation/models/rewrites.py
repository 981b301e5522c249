"""What rating a question adds to its ratings: better wording, and further documents that answer it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_noop

from annotation.models.submissions import Submission
from corpus.models import Document


class Rewrite(models.Model):
    """Another wording of a question, proposed with a submission. Append-only; the question itself stays as it is.

    It counts while its submission does: judgments refer to the newest submission of their assignment.
    """

    is_append_only = True  # to code that changes every text of the database

    submission = models.OneToOneField(Submission, on_delete=models.PROTECT, related_name="rewrite")
    original = models.TextField()  # the question's text when it was rewritten
    text = models.TextField()

    class Meta:
        constraints = [
            models.CheckConstraint(name="rewrite_has_text", condition=~Q(text="")),
            models.CheckConstraint(name="rewrite_differs", condition=~Q(text=models.F("original"))),
        ]

    def __str__(self) -> str:
        return self.text[:80]


class FoundTarget(models.Model):
    """A further document that answers the question, found while judging it. Append-only, as its submission is."""

    is_append_only = True  # to code that changes every text of the database

    submission = models.ForeignKey(Submission, on_delete=models.PROTECT, related_name="found_targets", db_index=False)
    document = models.ForeignKey(Document, on_delete=models.PROTECT, related_name="found_for")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["submission", "document"], name="found_target_once")]

    def __str__(self) -> str:
        return f"{self.submission_id} {self.document_id}"


class ReviewDecision(models.TextChoices):
    CONFIRMED = "confirmed", gettext_noop("confirmed")
    REJECTED = "rejected", gettext_noop("rejected")


class RewriteReview(models.Model):
    """A second person's review of a rewrite: requested, then confirmed or rejected. Nobody reviews their own."""

    rewrite = models.ForeignKey(Rewrite, on_delete=models.PROTECT, related_name="reviews")
    reviewer = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="rewrite_reviews", db_index=False
    )
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    asked_at = models.DateTimeField()
    decision = models.CharField(max_length=9, choices=ReviewDecision, blank=True)  # "": not decided yet
    comment = models.CharField(max_length=500, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["reviewer", "rewrite"], name="rewrite_review_once"),
            models.CheckConstraint(
                name="rewrite_review_decided_at_when_decided",
                condition=Q(decision="", decided_at__isnull=True) | (~Q(decision="") & Q(decided_at__isnull=False)),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rewrite_id} {self.decision or 'asked'}"

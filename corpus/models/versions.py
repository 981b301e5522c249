"""The history of a topic: every saved state of its words and aspects, and what a second person said about one."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import person_key
from corpus.models.topics import Topic


class Change(models.TextChoices):
    FIRST = "first", "as it was before its first change here"
    WRITTEN = "written", "written"
    QUERY = "query", "query changed"
    ADDED = "added", "aspect added"
    EDITED = "edited", "aspect changed"
    TIED = "tied", "ties changed"
    MOVED = "moved", "aspect moved"
    DELETED = "deleted", "aspect deleted"
    IMPORTED = "imported", "changed by an import"
    RESTORED = "restored", "restored"
    UNDONE = "undone", "undone"
    REDONE = "redone", "done again"


class TopicVersion(models.Model):
    """What annotators read of a topic, as one change left it. Rows are never changed.

    `content` holds title, text, narrative, sentences and the tree (corpus/topics/versions), `fingerprint` the
    SHA-256 of its canonical JSON: equal fingerprints are equal contents. `about` names the aspect or version that
    was meant. `stands_for` is the version whose content an undo or redo brought back.
    """

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    saved_at = models.DateTimeField()
    saved_by = person_key("topic_versions")  # null: the command line, or what was there before anybody changed it here
    change = models.CharField(max_length=10, choices=Change)
    about = models.TextField(blank=True)
    content = models.JSONField()
    fingerprint = models.CharField(max_length=64)
    stands_for = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["topic", "number"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "number"], name="topic_version_number_once"),
            models.CheckConstraint(name="topic_version_from_1", condition=Q(number__gte=1)),
            models.CheckConstraint(name="topic_version_change_known", condition=Q(change__in=Change.values)),
            models.CheckConstraint(name="topic_version_sha256", condition=Q(fingerprint__regex=r"^[0-9a-f]{64}$")),
            models.CheckConstraint(
                name="topic_version_stands_for_an_older",
                condition=Q(stands_for__isnull=True) | Q(stands_for__gte=1, stands_for__lt=F("number")),
            ),
            models.CheckConstraint(
                name="topic_version_only_undo_stands_for",
                condition=Q(stands_for__isnull=False, change__in=("undone", "redone"))
                | Q(stands_for__isnull=True) & ~Q(change__in=("undone", "redone")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}, version {self.number}"


class ReviewVerdict(models.TextChoices):
    OPEN = "open", "waiting for a review"
    APPROVED = "approved", "approved"
    CHANGES = "changes", "changes asked for"
    WITHDRAWN = "withdrawn", "request withdrawn"


class TopicReview(models.Model):
    """A second person's look at a topic. `version` is what was given to review, then what was decided on."""

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="reviews")
    version = models.ForeignKey(TopicVersion, on_delete=models.CASCADE, related_name="reviews")
    verdict = models.CharField(max_length=10, choices=ReviewVerdict, default=ReviewVerdict.OPEN)
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="requested_topic_reviews"
    )
    requested_at = models.DateTimeField()
    request_note = models.TextField(blank=True)
    decided_by = person_key("decided_topic_reviews")
    decided_at = models.DateTimeField(null=True, blank=True)
    note = models.TextField(blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["topic"], condition=Q(verdict="open"), name="topic_review_open_once"),
            models.CheckConstraint(name="topic_review_verdict_known", condition=Q(verdict__in=ReviewVerdict.values)),
            models.CheckConstraint(
                name="topic_review_decided_by_somebody",
                condition=Q(verdict="open", decided_by=None, decided_at=None)
                | ~Q(verdict="open") & Q(decided_by__isnull=False, decided_at__isnull=False),
            ),
            models.CheckConstraint(
                name="topic_review_by_a_second_person",
                condition=Q(verdict__in=("open", "withdrawn")) | ~Q(decided_by=F("requested_by")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic_id}: {self.verdict}"


class AspectRemark(models.Model):
    """What the reviewer said about one aspect, by its words: the aspect itself may be reworded because of it."""

    review = models.ForeignKey(TopicReview, on_delete=models.CASCADE, related_name="remarks")
    position = models.PositiveIntegerField()
    aspect_text = models.TextField()
    text = models.TextField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["review", "position"], name="aspect_remark_once"),
            models.CheckConstraint(name="aspect_remark_has_text", condition=~Q(text="")),
        ]

    def __str__(self) -> str:
        return f"{self.review_id}/{self.position}"

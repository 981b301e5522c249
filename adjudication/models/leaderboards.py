"""Leaderboards: runs scored against test topics whose gold nobody sees, with what each of them reached."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from accounts.models import person_key
from corpus.models import Collection
from corpus.models.collections import InCollection

MOST_UPLOADS = 20  # a person and day
LONGEST_NAME, LONGEST_ABOUT = 100, 500  # characters


class Leaderboard(models.Model):
    """One of a collection, open to everybody until it is closed.

    `gold` is that of the test topics as it was when the board was opened, so that all runs are scored by the same one:
    {"gains": {topic: {docno: gain}}, "levels": {topic: {docno: level}}, "relevance"}. It leaves the server with no
    page, answer or export. `selector` names it in the words of evaluations; `attribute` and `part` are the test topics
    ("" and "": all). The first of the `measures` orders the runs.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="leaderboards")
    selector = models.CharField(max_length=300)
    label = models.CharField(max_length=300)  # of the gold
    attribute = models.CharField(max_length=60, blank=True)
    part = models.CharField(max_length=60, blank=True)
    measures = ArrayField(models.CharField(max_length=60), size=20)
    uploads = models.PositiveSmallIntegerField()  # a person and day
    gold = models.JSONField()
    unit = models.CharField(max_length=20)  # what its topics are: query, aspect, sub-query
    n_topics = models.PositiveIntegerField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = InCollection.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection"], condition=Q(closed_at__isnull=True), name="leaderboard_one_open"
            ),
            models.CheckConstraint(
                name="leaderboard_uploads_bounded", condition=Q(uploads__gte=1, uploads__lte=MOST_UPLOADS)
            ),
        ]

    def __str__(self) -> str:
        return f"leaderboard {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.closed_at is None

    @property
    def topics_label(self) -> str:
        """The test topics in words."""
        name = self.attribute.removeprefix("split:")
        return f"part {self.part} of {name}" if self.part else "all topics"


class LeaderboardEntry(models.Model):
    """A run on a leaderboard. Of its file the hash is kept, of its scores the means alone.

    `figures` are {measure: {"value", "low", "high"}}, null where undefined; `ranked` counts test topics that it ranks,
    which is not shown.
    """

    leaderboard = models.ForeignKey(Leaderboard, on_delete=models.CASCADE, related_name="entries")
    name = models.CharField(max_length=LONGEST_NAME)
    team = models.CharField(max_length=LONGEST_NAME, blank=True)
    about = models.CharField(max_length=LONGEST_ABOUT, blank=True)
    sha256 = models.CharField(max_length=64, blank=True)  # of the uploaded file; "": a run of the collection
    ranked = models.PositiveIntegerField()
    figures = models.JSONField()
    submitted_by = person_key("leaderboard_entries")  # null: the command line
    submitted_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)  # no longer shown; it still counts as an upload

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["leaderboard", "name"], condition=Q(withdrawn_at__isnull=True), name="leaderboard_entry_name"
            ),
        ]

    def __str__(self) -> str:
        return self.name

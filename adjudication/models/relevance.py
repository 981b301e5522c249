"""What was counted of the relevance of large campaigns."""

from django.db import models

from annotation.models import Criterion
from corpus.models import Topic


class RelevanceCount(models.Model):
    """A topic's documents in a campaign too large to be added up while a page is made.

    The count of the campaign's work replaces them each time (adjudication/following/counting.py); what the numbers mean
    says adjudication/labels/relevance.py. `judged_only`: scored over the judged aspects alone.
    """

    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="relevance_counts", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="relevance_counts")
    judged_only = models.BooleanField()
    things = models.PositiveIntegerField()
    judged = models.PositiveIntegerField()
    documents = models.PositiveIntegerField()
    complete = models.PositiveIntegerField()
    relevant = models.PositiveIntegerField()
    best = models.IntegerField(null=True, blank=True)
    best_mean = models.FloatField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["criterion", "judged_only", "topic"], name="relevance_count_once"),
            models.CheckConstraint(
                name="relevance_count_adds_up",
                condition=models.Q(relevant__lte=models.F("complete"), complete__lte=models.F("documents")),
            ),
        ]

    def __str__(self) -> str:
        return f"relevance of topic {self.topic_id}"

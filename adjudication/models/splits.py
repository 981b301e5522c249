"""Splits of a collection's topics, such as 40% for development and 60% for the test."""

from django.conf import settings
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.counting import by, moment
from corpus.models import Collection, Topic
from corpus.models.collections import InCollection


class Split(models.Model):
    """One way to part topics, drawn once; its topics never change part.

    `parameters` are {"parts": [[name, share], …], "within": attributes of whose values every part gets its share,
    "together": attributes whose topics of one value stay in one part}.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="splits", db_index=False)
    name = models.CharField(max_length=40)
    seed = models.PositiveBigIntegerField()
    parameters = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField()

    objects = InCollection.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="split_name_unique"),
            models.CheckConstraint(name="split_name_is_a_word", condition=models.Q(name__regex=r"^[A-Za-z0-9_-]+$")),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def origin(self) -> SafeString:
        """When, by whom and how it was drawn."""
        shares = ", ".join(f"{part} {share:.2f}".removesuffix(".00") for part, share in self.parameters["parts"])
        drawn = moment(self.created_at)
        return format_html("Drawn on {}{}, seed {}, shares {}.", drawn, by(self.created_by), self.seed, shares)

    @property
    def parts(self) -> list[str]:
        return [name for name, _ in self.parameters["parts"]]


class SplitTopic(models.Model):
    """The part of a split that a topic is in: one, because a topic stands in a split once."""

    split = models.ForeignKey(Split, on_delete=models.CASCADE, related_name="members", db_index=False)
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="in_splits")
    part = models.CharField(max_length=40)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["split", "topic"], name="split_topic_in_one_part"),
            models.CheckConstraint(name="split_part_is_a_word", condition=models.Q(part__regex=r"^[A-Za-z0-9_-]+$")),
        ]

    def __str__(self) -> str:
        return f"{self.split_id} {self.topic_id} {self.part}"

"""Questions of annotators about an item, and their managers' answers."""

from django.db import models
from django.db.models import Q
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.counting import by, moment
from accounts.models import person_key
from annotation.models.campaigns import Campaign
from annotation.models.items import Annotator, Item


class Audience(models.TextChoices):
    """Who sees an answer. The question itself is seen by its asker and the managers alone."""

    ASKER = "asker", "only the annotator who asked"
    ITEM = "item", "all annotators, next to this item"
    TOPIC = "topic", "all annotators, next to every item of its topic"


class Inquiry(models.Model):
    """A question of one annotator about one item, answered at most once; the answer can be changed.

    `uuid` is made by the client, so that sending a question again changes nothing. Two composite foreign keys hold
    that item and annotator are of the same campaign (see the migration).
    """

    uuid = models.UUIDField(unique=True)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="inquiries", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="inquiries")
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="inquiries")
    text = models.TextField()
    asked_at = models.DateTimeField()
    answer = models.TextField(blank=True)
    audience = models.CharField(max_length=5, choices=Audience, default=Audience.ASKER)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = person_key("answered_inquiries")
    seen_at = models.DateTimeField(null=True, blank=True)  # when the asker saw the answer

    class Meta:
        verbose_name = "question to managers"
        verbose_name_plural = "questions to managers"
        constraints = [
            models.CheckConstraint(name="inquiry_says_something", condition=~Q(text="")),
            models.CheckConstraint(
                name="inquiry_answered_as_a_whole",
                condition=Q(answer="", audience="asker", answered_at=None, answered_by=None, seen_at=None)
                | (~Q(answer="") & Q(answered_at__isnull=False)),
            ),
            models.CheckConstraint(name="inquiry_audience_known", condition=Q(audience__in=Audience.values)),
        ]
        indexes = [
            models.Index(fields=["campaign"], name="inquiry_open", condition=Q(answered_at=None)),
            models.Index(fields=["campaign", "-asked_at"], name="inquiry_newest"),
        ]

    def __str__(self) -> str:
        return f"question {self.pk}"

    @property
    def history(self) -> SafeString:
        """When it was asked, answered and read."""
        answered = f", answered {moment(self.answered_at)}" if self.answered_at else ""
        read = f", read {moment(self.seen_at)}" if self.seen_at else ""
        return format_html("Asked {}{}{}{}.", moment(self.asked_at), answered, by(self.answered_by), read)

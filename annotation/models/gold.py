"""Known answers: what is right about an item, against which the answers of people are held."""

from django.db import models

from annotation.models.campaigns import Campaign, Criterion
from annotation.models.items import Item


class KnownAnswer(models.Model):
    """The right value of one item on one criterion, and why it is right.

    Composite foreign keys hold that item and criterion are of the campaign, and that the value is a level.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="known_answers")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="known_answers", db_constraint=False)
    criterion = models.ForeignKey(
        Criterion, on_delete=models.PROTECT, related_name="known_answers", db_constraint=False, db_index=False
    )
    value = models.SmallIntegerField()
    explanation = models.TextField(blank=True)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["item", "criterion"], name="known_answer_once")]
        indexes = [models.Index(fields=["criterion", "value"], name="known_answer_level")]

    def __str__(self) -> str:
        return f"{self.item_id}: {self.value}"

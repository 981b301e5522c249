"""Audits: samples of what machines labelled and people did not, which people judge to show what labels are worth."""

from django.db import models
from django.db.models import Q

from accounts.models import person_key
from annotation.models import Annotator, Campaign, Criterion, Item


class MachineAudit(models.Model):
    """A stratified sample of one machine's labels, drawn once by its seed. Annotators never learn what is in it.

    `strata` are those of adjudication/machine_audits/strata.py as objects: what their items have in common, how many
    there are, how many were drawn at random without replacement. `frame` is what the sample was drawn from, packed.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="machine_audits")
    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="machine_audits")
    machine = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="audits")
    seed = models.PositiveBigIntegerField()
    size = models.PositiveIntegerField()
    strata = models.JSONField()
    frame = models.BinaryField()
    drawn_by = person_key("machine_audits")
    drawn_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [models.CheckConstraint(name="machine_audit_draws_something", condition=Q(size__gt=0))]

    def __str__(self) -> str:
        return f"audit {self.pk} of {self.machine}"


class AuditItem(models.Model):
    """An item of the sample: its stratum, what the machine said, and with which probability it was drawn."""

    audit = models.ForeignKey(MachineAudit, on_delete=models.CASCADE, related_name="sample", db_index=False)
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="audited")
    stratum = models.PositiveSmallIntegerField()
    value = models.SmallIntegerField()
    probability = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["audit", "item"], name="audit_item_once"),
            models.CheckConstraint(
                name="audit_item_could_be_drawn", condition=Q(probability__gt=0, probability__lte=1)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.audit_id}: {self.item_id}"

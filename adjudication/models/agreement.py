"""Agreement between annotators, as computed at one moment."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Job
from annotation.models import Campaign


class AgreementRun(Job):
    """One computation over a snapshot of a campaign's judgments; parameters say resamples, interval, unit, level."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="agreement_runs")
    snapshot = models.BigIntegerField(null=True, blank=True)  # newest submission read; later ones make it stale
    # Later changes of verdicts make figures against the verdict stale; by the database's clock.
    verdicts_at = models.DateTimeField(null=True, blank=True)
    inputs_hash = models.CharField(max_length=64, blank=True)  # of labels, topics, scales and annotators
    verdicts_hash = models.CharField(max_length=64, blank=True)  # of the verdicts that figures were made with; "": none
    n_judgments = models.BigIntegerField(default=0)
    seconds = models.FloatField(null=True, blank=True)
    library_versions = models.JSONField(default=dict, blank=True)
    # {criterion key: {"scale", "annotators", "voters", "tables", "topics", …}}: what the pages draw next to the figures
    detail = models.JSONField(default=dict, blank=True)

    def __str__(self) -> str:
        return f"agreement {self.pk}"


class AgreementResult(models.Model):
    """One figure of a run, as in design.md 4. Exactly one of value and reason is given."""

    run = models.ForeignKey(AgreementRun, on_delete=models.CASCADE, related_name="results")
    criterion = models.CharField(max_length=40)
    statistic = models.CharField(max_length=60)
    scope = models.CharField(max_length=10)
    annotators = ArrayField(models.CharField(max_length=150), default=list)
    block = models.CharField(max_length=6, blank=True)  # HH, GH, GG, GA, HA, or the difference HH-GH
    model = models.CharField(max_length=150, blank=True)  # whose runs a block with G is about
    value = models.FloatField(null=True, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    n_items = models.PositiveIntegerField(null=True, blank=True)
    n_pairs = models.PositiveIntegerField(null=True, blank=True)
    ci = models.JSONField(null=True, blank=True)
    ci_reason = models.CharField(max_length=40, blank=True)
    p = models.FloatField(null=True, blank=True)
    extra = models.JSONField(default=dict, blank=True)  # flags, standard error, other intervals, pairs left out

    class Meta:
        constraints = [
            models.CheckConstraint(
                name="agreement_result_value_or_reason",
                condition=models.Q(value__isnull=False, reason="")
                | (models.Q(value__isnull=True) & ~models.Q(reason="")),
            ),
        ]
        indexes = [models.Index(fields=["run", "criterion", "statistic"], name="agreement_result_lookup")]

    def __str__(self) -> str:
        return f"{self.statistic} {self.scope}"

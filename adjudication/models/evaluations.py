"""Evaluations of runs against a gold, with the scores by topic that their pages look into."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Job
from corpus.models import Collection
from corpus.models.collections import InCollection


class Evaluation(Job):
    """Runs measured against a gold; `parameters` are the words it was asked in (EvaluationSpec).

    `results` are {"report": as the command prints it, "table": as it is laid out, "figures": CSV in full}.
    """

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="evaluations")
    results = models.JSONField(default=dict, blank=True)

    objects = InCollection.as_manager()

    def __str__(self) -> str:
        return f"evaluation {self.pk}"

    @property
    def label(self) -> str:
        """What was measured against what, in words."""
        report = self.results.get("report", {})
        against = report.get("gold_label") or self.parameters.get("gold", "")
        runs = len(self.parameters.get("runs", []))
        what = self.parameters.get("preset") or against
        return f"{runs} {'run' if runs == 1 else 'runs'}, {what}"


class EvaluationScores(models.Model):
    """One run's scores of an evaluation by topic and measure, null where undefined.

    `part` counts the evaluations of a preset that stands on several; `values` go by `topics`, then by measure.
    """

    evaluation = models.ForeignKey(Evaluation, on_delete=models.CASCADE, related_name="scores")
    part = models.PositiveSmallIntegerField(default=0)
    run = models.CharField(max_length=100)
    topics = ArrayField(models.TextField())
    measures = ArrayField(models.TextField())
    values = ArrayField(models.FloatField(null=True))

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["evaluation", "part", "run"], name="evaluation_scores_once"),
        ]

    def __str__(self) -> str:
        return f"{self.evaluation_id} {self.run}"

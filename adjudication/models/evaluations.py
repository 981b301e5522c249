"""Evaluations of runs against a gold, with the scores by topic that their pages look into, and imported qrels."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.models import Job
from corpus.models import Collection
from corpus.models.collections import InCollection
from corpus.models.imports import imported_in


class Evaluation(Job):
    """Runs measured against a gold; `parameters` are the words it was asked in (EvaluationSpec).

    `results` are {"report": as the command prints it, "table": as it is laid out, "figures": CSV in full, "inputs":
    {what: hash of what it was measured from}}.
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
        what = report.get("preset_label") or self.parameters.get("preset") or against
        is_of_runs = runs and report.get("parts") != []  # a table of contexts measures none
        joint = " against" if what == against else ","
        return f"{runs} {'run' if runs == 1 else 'runs'}{joint} {what}" if is_of_runs else str(what)


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


class ImportedQrels(models.Model):
    """Judgments made elsewhere, kept as a gold: they belong to no campaign and no annotator of this collection."""

    collection = models.ForeignKey(Collection, on_delete=models.CASCADE, related_name="imported_qrels")
    name = models.CharField(max_length=100)
    created_at = models.DateTimeField()
    imported_in = imported_in()

    objects = InCollection.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="imported_qrels_name_unique")]

    def __str__(self) -> str:
        return self.name


class ImportedQrelsTopic(models.Model):
    """The judgments of one topic. Its number and the docnos are those of the file, as in rankings: the collection may
    lack some of them."""

    qrels = models.ForeignKey(ImportedQrels, on_delete=models.CASCADE, related_name="topics", db_index=False)
    number = models.TextField()
    docnos = ArrayField(models.TextField())
    grades = ArrayField(models.SmallIntegerField())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["qrels", "number"], name="imported_qrels_topic_once"),
            models.CheckConstraint(
                name="imported_qrels_docnos_and_grades_paired",
                condition=models.Q(docnos__len=models.F("grades__len"), docnos__len__gt=0),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.qrels_id} {self.number}"

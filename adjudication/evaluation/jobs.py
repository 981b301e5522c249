"""Evaluations as background jobs: the report with its table and the scores by topic, stored at once."""

from collections.abc import Mapping
from functools import partial
from typing import cast

from django.db import transaction
from django.urls import reverse

from accounts import jobs
from accounts.job_kinds import Progress, kind_of
from accounts.models import User
from accounts.queues import Queue
from accounts.refusals import Reason
from adjudication.evaluation.golds.kind import Grades
from adjudication.evaluation.presets.mending import what_mends
from adjudication.evaluation.presets.reports import make_report
from adjudication.evaluation.presets.standing import inputs_of
from adjudication.evaluation.result import EvaluationResult
from adjudication.evaluation.rules import check_can_see, check_not_sealed_labels
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.evaluation.writers import figures_csv
from adjudication.labels.rules import can_adjudicate, check_adjudicator
from adjudication.models import Evaluation, EvaluationScores
from corpus.collections.jobs import CollectionJob
from corpus.models import Membership
from engines.stats.results import finite


class EvaluationJob(CollectionJob[Evaluation]):
    """Measuring runs."""

    model = Evaluation
    queue = Queue.QUICK
    doing = "Evaluating"
    did = "Evaluated:"
    onward = "See the figures"
    purpose = "Runs are measured against the documents known to be relevant."
    counted = "runs"
    cancel_verb = "cancel_evaluation"
    tab = "evaluation"
    begins_at = "evaluation_create"

    def work(self, job: Evaluation, progress: Progress, files: Mapping[str, Grades] | None = None) -> None:
        """`files` are qrels of the command line, by the name their gold calls them."""
        if job.results:
            return  # it ended after its results were stored
        spec = EvaluationSpec.from_json(job.parameters)
        check_not_sealed_labels(job.collection, spec)
        inputs = inputs_of(job.collection, spec, files or ())  # first: what changes meanwhile makes it stale at once
        report = make_report(job.collection, spec, files=files, progress=progress.report)
        results = {
            "inputs": inputs,
            **report.results(),
            "figures": figures_csv(report.parts),
        }
        scores = [row for part, each in enumerate(report.parts) for row in _score_rows(job, part, each)]
        with transaction.atomic():
            job.scores.all().delete()
            EvaluationScores.objects.bulk_create(scores, batch_size=10)
            job.results = results
            job.save(update_fields=["results"])

    def check_can_see(self, job: Evaluation, membership: Membership) -> None:
        super().check_can_see(job, membership)
        check_can_see(membership, EvaluationSpec.from_json(job.parameters))

    def reason(self, job: Evaluation) -> str:
        found = what_mends(job.collection, EvaluationSpec.from_json(job.parameters))
        return Reason.of(job.reason, found) if found else job.reason

    def may_cancel(self, member: Membership) -> bool:
        return can_adjudicate(member)

    def check_can_cancel(self, job: Evaluation, by: User | None) -> None:
        check_adjudicator(job.collection, by)

    def subject(self, job: Evaluation) -> str:
        return job.label

    def page(self, job: Evaluation) -> str:
        return reverse("evaluation_detail", args=[job.collection.slug, job.pk])


def evaluate_now(job: Evaluation, files: Mapping[str, Grades]) -> None:
    """Do the job here and now, as the command does; `job` then says how it ended. Errors: Refused."""
    kind = cast(EvaluationJob, kind_of(job))
    jobs.complete(job, partial(kind.work, files=files))


def _score_rows(job: Evaluation, part: int, done: EvaluationResult) -> list[EvaluationScores]:
    return [
        EvaluationScores(
            evaluation=job,
            part=part,
            run=run,
            topics=list(scores.topics),
            measures=list(done.measures),
            values=[finite(value) for value in scores.values.ravel()],
        )
        for run, scores in done.scores.items()
    ]

"""Evaluations as background jobs."""

from django.urls import reverse

from accounts.job_kinds import Progress
from accounts.models import User
from accounts.queues import Queue
from accounts.refusals import Reason
from adjudication.evaluation.measuring import measure_runs
from adjudication.evaluation.presets.mending import what_mends
from adjudication.evaluation.rules import check_can_see
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.labels.rules import can_adjudicate, check_adjudicator
from adjudication.models import Evaluation
from corpus.collections.jobs import CollectionJob
from corpus.models import Membership


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

    def work(self, job: Evaluation, progress: Progress) -> None:
        measure_runs(job, progress)

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

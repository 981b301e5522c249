"""The job that makes a run."""

from typing import Any

from django.urls import reverse

from accounts import jobs
from accounts.audit import Scope
from accounts.job_kinds import Cancelled
from accounts.queues import Queue
from corpus.collections.jobs import CollectionJob
from corpus.models import RunMaking
from corpus.runs.making import make_run


class RunMakingJob(CollectionJob[RunMaking]):
    """Making a run."""

    model = RunMaking
    queue = Queue.HEAVY
    doing = "Making the run"
    did = "Run made:"
    onward = "See the run"
    purpose = "A run ranks the documents of the collection for each topic."
    cancel_verb = "cancel_run_making"
    tab = "runs"
    begins_at = "run_create"

    def work(self, job: RunMaking, progress: jobs.Progress) -> None:
        try:
            make_run(job, progress)
        except Cancelled as cancelled:
            raise Cancelled("Cancelled. No run is stored; what an endpoint has answered is kept.") from cancelled

    def audited(self, job: RunMaking) -> tuple[Any, Scope | None, dict[str, Any]]:
        return job, job.collection, {"name": job.name}

    def subject(self, job: RunMaking) -> str:
        return f"“{job.name}”"

    def page(self, job: RunMaking) -> str:
        if job.run_id:
            return reverse("run_detail", args=[job.collection.slug, job.run_id])
        return reverse("run_list", args=[job.collection.slug])

"""Celery entry points: jobs of all apps, and beat: lost jobs, those that are due, and daily mails."""

from celery import shared_task
from django.utils import timezone

from accounts import digests, jobs
from accounts.job_kinds import job_kinds


@shared_task(acks_late=True)
def run_job(kind: str, pk: int) -> None:
    """Do a job. Ids only, safe to run twice."""
    jobs.carry_out_row(job_kinds()[kind].model, pk)


@shared_task
def resume_lost_jobs() -> int:
    """Beat: jobs whose worker died, or whose message was lost, go on."""
    return jobs.resume_lost_jobs(timezone.now())


@shared_task
def start_due_jobs() -> None:
    """Beat: jobs that nobody asks for, such as counts of work."""
    for kind in job_kinds().values():
        kind.start_due(timezone.now())


@shared_task
def send_digests() -> int:
    """Beat: the daily mails that are due."""
    return digests.send_due(timezone.now())

"""Celery entry points of the accounts app."""

from celery import shared_task
from django.utils import timezone

from accounts import jobs


@shared_task
def resume_lost_jobs() -> int:
    """Beat: jobs whose worker died, or whose message was lost, go on."""
    return jobs.resume_lost_jobs(timezone.now())

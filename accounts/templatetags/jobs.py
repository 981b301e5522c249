"""Background jobs in templates."""

from typing import Any

from django import template

from accounts import broker, jobs
from accounts.job_kinds import kind_of
from accounts.models import Job

register = template.Library()


@register.inclusion_tag("accounts/_job.html")
def job_progress(job: Job, member: Any = None) -> dict[str, Any]:
    """The fragment of a job for a page about it; `member` is the person's membership, None in jobs of a person."""
    return jobs.fragment_context(job, member)


@register.simple_tag
def queue_is_away() -> bool:
    """Whether jobs cannot be handed to workers now."""
    return not broker.is_reachable()


@register.simple_tag
def job_address(job: Job) -> str:
    """The address of the job's own page."""
    return kind_of(job).address(job)


@register.simple_tag
def job_page(job: Job) -> str:
    """The address of the page that shows the job's results."""
    return kind_of(job).page(job)

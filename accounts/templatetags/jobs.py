"""Background jobs in templates."""

from typing import Any

from django import template
from django.template import Context
from django.template.defaultfilters import capfirst, filesizeformat

from accounts import broker, jobs
from accounts.counting import moment, percent
from accounts.job_kinds import kind_of
from accounts.models import Job, JobState
from accounts.refusals import Reason

register = template.Library()


@register.inclusion_tag("accounts/_job.html", takes_context=True)
def job_progress(context: Context, job: Job, member: Any = None, *, says_next: bool = True) -> dict[str, Any]:
    """The fragment of a job for a page about it; `member` is the person's membership, None in jobs of a person.

    `says_next`: whether a failed job says where it is started again; the guide, which has a button for it, does not.
    """
    shown = jobs.fragment_context(job, member) | {"request": context.get("request")}
    return shown if says_next else shown | {"retry_url": ""}


@register.filter
def done_words(job: Job) -> str:
    """What a job that is done has done: "4 of 120 sent · finished", "12 MB read · finished", "Finished"."""
    kind = kind_of(job)
    if not (job.done or job.total):
        return "Finished"
    if kind.in_bytes:
        return f"{filesizeformat(job.total or job.done)} {kind.counted or 'read'} · finished"
    if not kind.counted:
        return "Finished"
    total = f" of {job.total:,}" if job.total and job.total != job.done else ""
    return f"{job.done:,}{total} {kind.counted} · finished"


@register.filter
def step_words(job: Job) -> str:
    """What a job that is not final does now."""
    if job.cancel_requested_at:
        return "Stopping…"
    if job.state == JobState.QUEUED and not job.step:
        return f"In the queue since {moment(job.requested_at)}"
    return capfirst(job.step or "Working")


@register.filter
def progress_words(job: Job) -> str:
    """How far it is: "4 of 120 · 3%", "12 MB of 40 MB · 30%", "12 so far", or "" at the beginning."""
    if job.percent is None:
        return f"{job.done:,} so far" if job.done else ""
    in_bytes = kind_of(job).in_bytes
    done, total = (filesizeformat(each) if in_bytes else f"{each:,}" for each in (job.done, job.total or 0))
    return f"{done} of {total} · {percent(job.percent)}"


@register.filter
def is_under_way(job: Job) -> Reason:
    """Why a second such job cannot be started now."""
    return Reason("This is already in progress.", "Follow or cancel it", address=kind_of(job).address(job))


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

"""Background jobs of all kinds: the page and fragment with the progress, and the button that cancels."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import jobs
from accounts.actions.jobs import cancel_job
from accounts.job_kinds import JobKind, job_kinds
from accounts.refusal_messages import refusals_in_message
from accounts.requests import Request


@require_safe
def job_detail(request: Request, kind: str, pk: int) -> HttpResponse:
    """How far a job is (also alone, for htmx), and where its results are."""
    found = _kind(kind)
    job, member = found.fetch(pk, request.user)
    context = jobs.shown(job, member)
    if request.htmx:
        return render(request, "accounts/_job.html", context)
    context |= {"base": found.base, "links": found.links(job, member), **found.context(job, member)}
    return render(request, "accounts/job_detail.html", context)


@require_POST
def job_cancel(request: Request, kind: str, pk: int) -> HttpResponse:
    """Ask a job to stop; on to the page that shows it."""
    found = _kind(kind)
    job, _ = found.fetch(pk, request.user)
    with refusals_in_message(request, messages.INFO):
        cancel_job(job=job, by=request.user, at=timezone.now())
    return redirect(found.page(job))


def _kind(key: str) -> JobKind[Any]:
    if key not in job_kinds():
        raise Http404
    return job_kinds()[key]

"""Agreement and vote jobs: asking for one, its fragment that polls itself, cancelling."""

from typing import TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.jobs import with_live_progress
from accounts.telling import refusals_in_message
from adjudication.actions.jobs import cancel_job, request_agreement, request_vote
from adjudication.forms.jobs import AgreementForm, VoteForm
from adjudication.models import AgreementRun, VoteRun
from adjudication.permissions import check_can_adjudicate
from adjudication.views.scope import Scope, fetch_scope

J = TypeVar("J", AgreementRun, VoteRun)


@require_POST
def agreement_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask for the figures anew; on to their page, where the job shows its progress."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    return _ask(request, scope, AgreementForm(request.POST), "agreement_detail")


@require_POST
def vote_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask for the votes to be counted; on to the adjudication screen."""
    scope = fetch_scope(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    return _ask(request, scope, VoteForm(request.POST), "adjudication_screen")


def _ask(request: HttpRequest, scope: Scope, form: AgreementForm | VoteForm, page: str) -> HttpResponse:
    request_job = request_agreement if isinstance(form, AgreementForm) else request_vote
    if form.is_valid():
        with refusals_in_message(request):
            request_job(campaign=scope.campaign, by=scope.user, at=timezone.now(), **form.cleaned_data)
    else:
        for field, errors in form.errors.items():
            messages.error(request, f"{form.fields[field].label}: {' '.join(map(str, errors))}")
    return redirect(page, scope.collection.slug, scope.campaign.slug)


@require_safe
def agreement_run(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """The progress of the job alone, for htmx."""
    return _fragment(request, fetch_scope(request, slug, campaign), AgreementRun, pk)


@require_safe
def vote_run(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """The progress of the job alone, for htmx."""
    return _fragment(request, fetch_scope(request, slug, campaign), VoteRun, pk)


@require_POST
def agreement_cancel(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Stop the job; nothing of it is kept."""
    return _cancel(request, fetch_scope(request, slug, campaign), AgreementRun, pk, "agreement_detail")


@require_POST
def vote_cancel(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Stop the job; nothing of it is kept."""
    return _cancel(request, fetch_scope(request, slug, campaign), VoteRun, pk, "adjudication_screen")


def _fragment(request: HttpRequest, scope: Scope, model: type[J], pk: int) -> HttpResponse:
    job = get_object_or_404(model, pk=pk, campaign=scope.campaign)
    return render(request, "accounts/_job.html", job_context(scope, job))


def _cancel(request: HttpRequest, scope: Scope, model: type[J], pk: int, page: str) -> HttpResponse:
    check_can_adjudicate(scope.membership)
    job = get_object_or_404(model, pk=pk, campaign=scope.campaign)
    with refusals_in_message(request):
        cancel_job(job=job, by=scope.user, at=timezone.now())
    return redirect(page, scope.collection.slug, scope.campaign.slug)


def job_context(scope: Scope, job: AgreementRun | VoteRun) -> dict[str, object]:
    """What the job's fragment needs; only those who may adjudicate get a button to cancel."""
    kind = "agreement" if isinstance(job, AgreementRun) else "vote"
    where = (scope.collection.slug, scope.campaign.slug, job.pk)
    may = scope.context()["may_adjudicate"]
    return {
        "job": with_live_progress(job),
        "fragment_url": reverse(f"{kind}_run", args=where),
        "cancel_url": reverse(f"{kind}_cancel", args=where) if may else "",
    }

"""Agreement and vote jobs: asking for one."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from accounts.refusal_messages import refusals_in_message
from adjudication.agreement.actions import request_agreement, request_vote
from adjudication.agreement.forms.jobs import AgreementForm, VoteForm
from adjudication.labels.rules import check_can_adjudicate
from adjudication.labels.views import Scope, fetch_scope


@require_POST
def agreement_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask for the figures again; leads to their page, where the job shows its progress."""
    scope = fetch_scope(request, slug, campaign, page="agreement")
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

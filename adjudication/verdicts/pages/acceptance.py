"""Accepting votes in bulk: the list of what would be accepted, the acceptance, and its undo."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST

from accounts.job_kinds import kind_of
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from accounts.refusals import NotHere, Refused
from adjudication.labels.counts import newest_count
from adjudication.labels.items import NAMED_BY
from adjudication.labels.pages import Scope, fetch_scope, whole_number
from adjudication.labels.queue import ORDER, acceptable, count_outdated, latest_acceptance
from adjudication.labels.rules import check_can_adjudicate
from adjudication.procedure import procedure_of
from adjudication.verdicts.acceptances import request_acceptance, request_undoing
from adjudication.verdicts.decisions import ACCEPTABLE, accept_votes, accepted_together, undo_acceptance
from adjudication.verdicts.forms import VoteAcceptanceForm, first_error, moment_of
from annotation.kind import Judged
from annotation.models import Criterion
from corpus import long_lists

PER_PAGE = 50
OFFERED = {
    "unanimous": ("unanimous vote", "unanimous votes"),
    "single": ("single label", "single labels"),
    "majority": ("majority", "majorities"),
    "all": ("vote", "votes"),
}
CHOICES = {**{name: [name] for name in ACCEPTABLE}, "all": list(ACCEPTABLE)}


@require_http_methods(["GET", "HEAD", "POST"])
def acceptance(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """GET shows what would be accepted and how often; POST accepts exactly that, or says that it has changed."""
    scope = _fetch_with_votes(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    criterion = scope.criterion
    form = VoteAcceptanceForm(request.POST if request.method == "POST" and criterion else None)
    if criterion is not None and form.is_valid():
        with refusals_in_form(form):
            chosen: dict[str, Any] = form.cleaned_data | {"by": scope.user, "at": timezone.now()}
            if chosen["expected"] > long_lists.MOST_COUNTED:
                del chosen["expected"]
                return redirect(kind_of(job := request_acceptance(criterion=criterion, **chosen)).address(job))
            count = accept_votes(criterion=criterion, **chosen)
            messages.success(request, f"Accepted {count:,} votes.")
            return redirect("acceptance", slug, campaign)
    refused = first_error(form)
    which = request.GET.get("which", "")
    which = which if which in CHOICES else "unanimous"
    context = scope.criterion_context(section="adjudication", which=which, refused=refused)
    kind = scope.campaign.kind_object
    context["judged_column"] = "Document" if kind.judges == Judged.DOCUMENTS else kind.words.item.capitalize()
    if criterion is not None:
        context |= _preview(request, scope, criterion, CHOICES[which])
        context["unfiltered"] = f"?criterion={criterion.key}&which={which}"
        context["offered"] = _offered(which, criterion, context)
    return render(request, "adjudication/verdicts/acceptance.html", context, status=422 if refused else 200)


def _fetch_with_votes(request: HttpRequest, slug: str, campaign: str) -> Scope:
    scope = fetch_scope(request, slug, campaign)
    if no_votes := procedure_of(scope.campaign).no_votes:
        raise NotHere(f"{scope.campaign} {no_votes}")
    return scope


def _preview(request: HttpRequest, scope: Scope, criterion: Criterion, methods: list[str]) -> dict[str, Any]:
    """All that would be accepted, the least agreement first; `?topic=` (a number) and `?value=` narrow it."""
    number = request.GET.get("topic", "").strip()
    topic = scope.collection.topics.filter(number=number).first() if number else None
    pk = topic.pk if topic else None
    value = whole_number(request.GET.get("value"))
    rows = acceptable(criterion, methods, user=scope.user, topic=pk, value=value, to_show=True)
    if number and topic is None:
        rows = rows.none()
    named = rows.select_related(*(f"item__{name}" for name in NAMED_BY)).order_by(*ORDER)
    return {
        "page": long_lists.take_page(named, request.GET, PER_PAGE, ORDER),
        "outdated": count_outdated(criterion, methods, user=scope.user, topic=pk),
        "methods": methods,
        "is_counted": newest_count(scope.campaign.pk) is not None,
        "has_votes": criterion.verdicts.filter(n_votes__gt=0).exists(),
        "levels": criterion.levels.all(),
        "number": number,
        "is_narrowed": bool(number) or value is not None,
        "topic": topic,
        "value": value,
        "last": latest_acceptance(scope.campaign, scope.user),
    }


def _offered(which: str, criterion: Criterion, shown: Mapping[str, Any]) -> str:
    """What is accepted, after the number of it."""
    found = f"{OFFERED[which][shown['page'].count != 1]} on “{criterion.label}”"
    found += f", topic {shown['topic'].number}" if shown["topic"] else ""
    found += "" if shown["value"] is None else f", value {shown['value']}"
    return f"{found}, not yet reviewed"


@require_POST
def acceptance_undo(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Take back one's own bulk acceptance of the moment that the form names."""
    scope = _fetch_with_votes(request, slug, campaign)
    check_can_adjudicate(scope.membership)
    accepted_at = moment_of(request.POST.get("accepted_at", ""))
    with refusals_in_message(request):
        if accepted_at is None:
            raise Refused("Say which acceptance to undo.")
        asked: dict[str, Any] = {
            "campaign": scope.campaign,
            "accepted_at": accepted_at,
            "by": scope.user,
            "at": timezone.now(),
        }
        if long_lists.count_some(accepted_together(scope.campaign, scope.user, accepted_at)) > long_lists.MOST_COUNTED:
            return redirect(kind_of(job := request_undoing(**asked)).address(job))
        count = undo_acceptance(**asked)
        messages.info(request, f"Undone: {count:,} votes are no longer accepted.")
    return redirect("acceptance", slug, campaign)

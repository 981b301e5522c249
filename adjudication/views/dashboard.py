"""The overview of a collection: for those who oversee it how far it is, for annotators their own work only."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.job_kinds import kind_of
from adjudication.exports.files import campaign_findings
from adjudication.forms.jobs import AgreementForm
from adjudication.queries.dashboard import (
    CampaignCard,
    chosen_card,
    fetch_cards,
    fetch_material,
    fetch_running,
)
from adjudication.queries.trials import machine_rows
from adjudication.views.figures import figures_context, people_context
from adjudication.views.scope import Scope, chosen_criterion
from annotation.models import AnnotatorKind
from annotation.queries.home import work_of
from annotation.queries.machines import run_rows
from corpus.models import Membership
from corpus.permissions import can_manage, can_oversee, fetch_membership


@require_safe
def collection_dashboard(request: HttpRequest, slug: str) -> HttpResponse:
    """Everybody sees their own work; labels, agreement and verdicts are read only for those who may see them."""
    membership = fetch_membership(request.user, slug)
    collection = membership.collection
    mine = [each for each in work_of(membership.user) if each.campaign.collection_id == collection.pk]
    context = {
        "collection": collection,
        "membership": membership,
        "tab": "overview",
        "mine": mine,
        "oversees": can_oversee(membership),
        "may_manage": can_manage(membership),
    }
    if can_oversee(membership):
        cards = fetch_cards(collection, timezone.now())
        context |= {
            "material": fetch_material(collection),
            "cards": [(card, campaign_findings(card.campaign, card.votes)) for card in cards],
            "running": [(kind_of(job), job) for job in fetch_running(collection)],
            "machine_rows": machine_rows(collection),
        }
        card = chosen_card(cards, request.GET.get("campaign", ""))
        if card is not None:
            context |= {"shown": card, "several": len(cards) > 1} | _results(request, membership, card)
    return render(request, "adjudication/collection_dashboard.html", context)


def _results(request: HttpRequest, membership: Membership, card: CampaignCard) -> dict[str, Any]:
    """Annotators, agreement and machines of one campaign, for the criterion in `?criterion=`."""
    scope = Scope(membership, card.campaign)
    criteria = scope.criteria()
    criterion = chosen_criterion(request, criteria)
    run = card.agreement.run
    context = scope.context(criteria=criteria, criterion=criterion, standing=card.agreement, form=AgreementForm())
    context |= people_context(scope, run, criterion, card.annotators) | {"tab": "overview"}
    if any(row.annotator.kind == AnnotatorKind.MACHINE for row in card.annotators):
        context["machine_runs"] = run_rows(card.campaign)
    if run is not None and criterion is not None and criterion.key in run.detail:
        context |= figures_context(request, run, criterion, card.campaign.slug)
    return context

"""The overview of a collection: for those who oversee it how far it is, for annotators their own work only."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from adjudication.exports.files import campaign_findings
from adjudication.queries.dashboard import fetch_cards, fetch_material, fetch_running
from annotation.queries.home import work_of
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
        context |= {
            "material": fetch_material(collection),
            "cards": [(card, campaign_findings(card.campaign)) for card in fetch_cards(collection, timezone.now())],
            "running": fetch_running(collection),
        }
    return render(request, "adjudication/collection_dashboard.html", context)

"""The page “Gold” of a campaign: known answers, what the campaign is for, how people answer."""

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.campaigns.pages.context import campaign_context, fetch_for_manager
from annotation.gold.forms import PurposeForm
from annotation.gold.results import gold_results
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign, CampaignState, KnownAnswer

SHOWN = 200  # known answers on the page


def known_answers_of(campaign: Campaign) -> QuerySet[KnownAnswer]:
    """In the order of topics and documents."""
    rows = KnownAnswer.objects.filter(campaign=campaign)
    return rows.select_related("item__topic", "item__aspect", "item__document", "criterion").order_by(
        "item__topic__position", "item__topic", "item", "criterion__position"
    )


@require_safe
def gold_detail(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Known answers and results, for managers who have nothing left to judge here."""
    membership, found = fetch_for_manager(request, slug, campaign, page="gold")
    check_can_read_labels(found, membership.user)
    known = list(known_answers_of(found)[: SHOWN + 1])
    results = gold_results(found)
    for one in known:
        one.share = results.items.get(one.item_id)  # type: ignore[attr-defined]
    context = campaign_context(
        membership,
        found,
        "gold",
        known=known[:SHOWN],
        has_more=len(known) > SHOWN,
        most=SHOWN,
        results=results,
        form=PurposeForm(initial={"purpose": found.purpose, "pass_mark": found.pass_mark}),
        is_draft=found.state == CampaignState.DRAFT,
    )
    return render(request, "annotation/gold/gold_detail.html", context)

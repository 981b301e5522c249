"""Where verbs about a campaign are done: see accounts/operations.py."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.operations import Found, Place
from annotation.campaigns.reads.campaigns import campaign_with, fetch_campaign
from annotation.campaigns.rules.campaigns import check_has_page
from annotation.campaigns.views.context import campaign_context
from annotation.models import Campaign
from corpus.collections.rules import check_role, fetch_membership


def in_campaign(back: str, section: str = "", *, page: str = "") -> Place:
    """The campaign: the action gets it. The form leads back to the page `back`; `section` is the key of its tab.

    `page`: the key in `Kind.tabs` of what not every kind has; refused with the reason where this kind has none.
    """

    def find(campaign: Campaign, shown: dict[str, Any]) -> Found:
        if page:
            check_has_page(campaign, page)
        return Found({"campaign": campaign}, {}, shown, reverse(back, args=[campaign.collection.slug, campaign.slug]))

    def on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, campaign: str) -> Found:
        membership = fetch_membership(request.user, slug)
        check_role(membership, *roles)
        found = fetch_campaign(membership, campaign)
        return find(found, campaign_context(membership, found, section))

    return Place(
        on_page,
        rest=lambda view: find(view.campaign, {}),
        command=lambda slug, campaign: find(campaign_with(slug, campaign), {}),
        arguments={"slug": "short name of the collection", "campaign": "short name of the campaign"},
    )

"""Where verbs about a campaign's labels are done: see accounts/operations.py."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from accounts.management.reporting import IN_CAMPAIGN
from accounts.operations import Found, Place
from adjudication.labels.labels import campaign_with
from adjudication.labels.pages import fetch_scope
from annotation.models import Campaign
from corpus.collections.rules import check_role


def in_readable_campaign(back: str, *, page: str = "") -> Place:
    """A campaign whose labels may be read. `page` is that of `fetch_scope`; the form stands on the page `back`."""

    def find(campaign: Campaign, shown: dict[str, Any]) -> Found:
        return Found(
            {"campaign": campaign}, shown=shown, back=reverse(back, args=[campaign.collection.slug, campaign.slug])
        )

    def on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, campaign: str) -> Found:
        scope = fetch_scope(request, slug, campaign, page)
        check_role(scope.membership, *roles)
        return find(scope.campaign, scope.context())

    return Place(
        on_page,
        rest=lambda view: find(view.campaign, {}),
        command=lambda slug, campaign: find(campaign_with(slug, campaign), {}),
        arguments=IN_CAMPAIGN,
    )

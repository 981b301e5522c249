"""What all pages of a campaign need: the member, the campaign, and the frame around them."""

from typing import Any

from django.http import HttpRequest

from annotation.campaigns.campaigns import fetch_campaign
from annotation.campaigns.rules import check_can_see, check_has_page
from annotation.models import Campaign
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager, fetch_membership, fetch_overseer
from corpus.models import Membership


def fetch_for_manager(request: HttpRequest, slug: str, campaign: str, page: str = "") -> tuple[Membership, Campaign]:
    """For pages that change a campaign. 404 for strangers and unknown campaigns, 403 for other members.

    `page`: the key in `Kind.tabs` of a page that not every kind has; 404 with the reason where this kind has none.
    """
    membership = fetch_manager(request.user, slug)
    return membership, _with_page(fetch_campaign(membership, campaign), page)


def fetch_for_overseer(request: HttpRequest, slug: str, campaign: str, page: str = "") -> tuple[Membership, Campaign]:
    """For pages that show how others are doing: everybody but annotators. `page` as above."""
    membership = fetch_overseer(request.user, slug)
    return membership, _with_page(fetch_campaign(membership, campaign), page)


def _with_page(campaign: Campaign, page: str) -> Campaign:
    if page:
        check_has_page(campaign, page)
    return campaign


def fetch_for_participant(request: HttpRequest, slug: str, campaign: str) -> tuple[Membership, Campaign]:
    """For pages that annotators of the campaign see as well."""
    membership = fetch_membership(request.user, slug)
    found = fetch_campaign(membership, campaign)
    check_can_see(membership, found)
    return membership, found


def campaign_context(membership: Membership, campaign: Campaign, section: str, **more: Any) -> dict[str, Any]:
    """The context of a campaign's page; `section` is the key of the tab it belongs to."""
    frame = {"campaign": campaign, "kind": campaign.kind_object, "section": section}
    return collection_context(membership, "campaigns", **frame, **more)

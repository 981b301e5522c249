"""What the palette finds of this app: campaigns, and the pages of the campaign one is in."""

from collections.abc import Iterator

from django.urls import reverse

from accounts.slots import Tab, tabs, tabs_for
from annotation.campaigns.campaigns import visible_campaigns
from annotation.models import Campaign
from annotation.tabs import DO_IN_CAMPAIGN
from corpus.collections.finding import Entry, Finder, PaletteSearch


def find_campaigns(search: PaletteSearch) -> Iterator[Entry]:
    """Campaigns the person may see, those of the collection they are in first, newest first."""
    campaigns = visible_campaigns(search.memberships).select_related("collection").order_by("-pk")
    here = search.here.collection_id if search.here else None
    for each in sorted(campaigns, key=lambda each: each.collection_id != here):
        if search.matches(each.name, each.slug):
            parts = [each.get_kind_display(), each.get_state_display(), search.hint_of(each.collection_id)]
            address = reverse("campaign_detail", args=[each.collection.slug, each.slug])
            yield Entry(str(each), address, " · ".join(part for part in parts if part))


def find_campaign_pages(search: PaletteSearch) -> Iterator[Entry]:
    """Pages of the campaign one is in, else those of campaigns by the other words for them, newest first."""
    inside = bool(search.campaign)
    found = [
        tab
        for tab in tabs("campaign")
        if search.matches(*((tab.label, tab.group) if inside else ()), tab.also) and (inside or tab.also)
    ]
    return _of_campaigns(search, found)


def find_campaign_deeds(search: PaletteSearch) -> Iterator[Entry]:
    """What a person may do in the campaign one is in, else in those that they may see."""
    found = [tab for tab in tabs(DO_IN_CAMPAIGN) if search.words and search.matches(tab.label, tab.also)]
    return _of_campaigns(search, found, changing=True)


def _of_campaigns(search: PaletteSearch, found: list[Tab], *, changing: bool = False) -> Iterator[Entry]:
    """These tabs of the campaign one is in, or of the newest ones of one's places if something was typed, as far as
    one's role and their kind have them. No query where there are none."""
    if not found or not (search.campaign or search.words):
        return
    roles = {each.collection_id: each.role for each in search.places}
    campaigns = visible_campaigns(search.places).select_related("collection").order_by("-pk")
    campaigns = campaigns.filter(slug=search.campaign) if search.campaign else campaigns
    for campaign in campaigns[:NEWEST]:
        if changing and campaign.collection.archived_at:
            continue
        for tab in tabs_for(found[0].bar, roles[campaign.collection_id], campaign):
            if tab in found:
                hint = tab.group if search.campaign else _place(search, campaign)
                yield Entry(tab.label, tab.href(campaign.collection.slug, campaign.slug), hint, tab.also)


def _place(search: PaletteSearch, campaign: Campaign) -> str:
    return " · ".join(filter(None, [str(campaign), search.hint_of(campaign.collection_id)]))


NEWEST = 20  # campaigns whose pages are looked for from outside of them
FINDERS = (
    Finder(5, "Pages of campaigns", find_campaign_pages),
    Finder(7, "Do in a campaign", find_campaign_deeds),
    Finder(20, "Campaigns", find_campaigns),
)

"""What the palette finds of this app: campaigns, and the pages of the campaign one is in."""

from collections.abc import Iterator

from django.urls import reverse

from accounts.slots import tabs_for
from annotation.campaigns.campaigns import visible_campaigns
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
    """Pages of the campaign one is in."""
    if not (search.here and search.campaign):
        return
    campaign = visible_campaigns([search.here]).filter(slug=search.campaign).first()
    if campaign is None:
        return
    for tab in tabs_for("campaign", search.here.role, campaign):
        if search.matches(tab.label, tab.group):
            yield Entry(tab.label, tab.href(search.here.collection.slug, campaign.slug), tab.group)


FINDERS = (Finder(5, "Pages of this campaign", find_campaign_pages), Finder(20, "Campaigns", find_campaigns))

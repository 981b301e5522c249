"""What the palette finds of this app: campaigns, and the pages of the campaign one is in."""

from collections.abc import Iterator

from django.urls import reverse

from accounts.slots import tabs_for
from annotation.campaigns.reads.campaigns import visible_campaigns
from corpus.collections.finding import Entry, Finder, Wish


def find_campaigns(wish: Wish) -> Iterator[Entry]:
    """Campaigns the person may see, those of the collection they are in first, newest first."""
    campaigns = visible_campaigns(wish.memberships).select_related("collection").order_by("-pk")
    here = wish.here.collection_id if wish.here else None
    for each in sorted(campaigns, key=lambda each: each.collection_id != here):
        if wish.fits(each.name, each.slug):
            parts = [each.get_kind_display(), each.get_state_display(), wish.hint_of(each.collection_id)]
            address = reverse("campaign_detail", args=[each.collection.slug, each.slug])
            yield Entry(str(each), address, " · ".join(part for part in parts if part))


def find_campaign_pages(wish: Wish) -> Iterator[Entry]:
    """Pages of the campaign one is in."""
    if not (wish.here and wish.campaign):
        return
    campaign = visible_campaigns([wish.here]).filter(slug=wish.campaign).first()
    if campaign is None:
        return
    for tab in tabs_for("campaign", wish.here.role, campaign):
        if wish.fits(tab.label, tab.group):
            yield Entry(tab.label, tab.href(wish.here.collection.slug, campaign.slug), tab.group)


FINDERS = (Finder(5, "Pages of this campaign", find_campaign_pages), Finder(20, "Campaigns", find_campaigns))

"""Finding what a command names."""

from accounts.refusals import Refused
from annotation.models import Campaign
from corpus.queries.collections import collection_with


def campaign_with(slug: str, campaign: str) -> Campaign:
    """The campaign of this collection, by slug or by name; a refusal lists what there is."""
    collection = collection_with(slug)
    for field in ("slug", "name"):
        found = collection.campaigns.filter(**{field: campaign}).first()
        if found is not None:
            found.collection = collection
            return found
    known = ", ".join(collection.campaigns.order_by("slug").values_list("slug", flat=True))
    raise Refused(f"{slug} has no campaign {campaign!r}. " + (f"It has: {known}." if known else "It has none yet."))

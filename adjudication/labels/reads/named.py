"""Finding what a command names."""

from accounts.refusals import Refused
from annotation.campaigns.rules.seals import check_not_sealed
from annotation.models import Campaign
from corpus.collections.reads.collections import collection_with


def campaign_with(slug: str, campaign: str) -> Campaign:
    """The campaign of this collection, by slug or by name, whose labels may be read; a refusal lists what there is.

    Errors: NotAllowed for a sealed test set.
    """
    collection = collection_with(slug)
    for field in ("slug", "name"):
        found = collection.campaigns.filter(**{field: campaign}).first()
        if found is not None:
            found.collection = collection
            check_not_sealed(found)
            return found
    known = ", ".join(collection.campaigns.order_by("slug").values_list("slug", flat=True))
    raise Refused(f"{slug} has no campaign {campaign!r}. " + (f"It has: {known}." if known else "It has none yet."))

"""The seed of an analysis: a campaign's own, so that asking again gives the same figures."""

import hashlib

from annotation.models import Campaign


def campaign_seed(campaign: Campaign, analysis: str) -> int:
    """The seed an analysis of this campaign has unless one is named: 48 bits from collection, campaign and analysis."""
    name = f"{campaign.collection.slug}/{campaign.slug}/{analysis}"
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6], "big")

"""What every endpoint of one campaign shares."""

from functools import cached_property

from annotation.campaigns.reads.campaigns import fetch_campaign
from annotation.campaigns.rules.campaigns import check_can_see
from annotation.models import Campaign
from corpus.collections.api.base import InCollectionView


class LabellingView(InCollectionView):
    """404 for strangers and 403 for people who do not judge in the campaign; the action finds out.

    Its one statement (annotation/assignment/reads/participation.py) also says whether the collection is archived,
    so a judgment needs no other.
    """

    def check_access(self, method: str) -> None:
        """Left to the action."""


class InCampaignView(InCollectionView):
    """404 where there is no such campaign, 403 for annotators who do not judge in it."""

    @cached_property
    def campaign(self) -> Campaign:
        campaign = fetch_campaign(self.membership, self.kwargs["campaign"])
        check_can_see(self.membership, campaign)
        return campaign

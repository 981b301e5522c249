"""What every endpoint of one campaign shares."""

from functools import cached_property
from typing import ClassVar

from annotation.campaigns.campaigns import fetch_campaign
from annotation.campaigns.rules import check_can_see, check_has_page
from annotation.models import Campaign
from corpus.collections.api.base import InCollectionView


class LabellingView(InCollectionView):
    """404 for strangers and 403 for people who do not judge in the campaign; the action finds out.

    Its one statement (annotation/assignment/participation.py) also says whether the collection is archived,
    so a judgment needs no other.
    """

    def check_access(self, method: str) -> None:
        """Left to the action."""


class InCampaignView(InCollectionView):
    """404 where there is no such campaign or page of its kind; 403 for people who do not judge in it.

    `page` is the key in `Kind.tabs` of what not every kind has; the answer then says why.
    """

    page: ClassVar[str] = ""

    @cached_property
    def campaign(self) -> Campaign:
        campaign = fetch_campaign(self.membership, self.kwargs["campaign"])
        check_can_see(self.membership, campaign)
        if self.page:
            check_has_page(campaign, self.page)
        return campaign

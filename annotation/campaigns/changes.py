"""Several changes of a campaign in one step: settings, criteria, guideline and state, all of them or none."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction

from accounts.models import User
from annotation.campaigns.criteria import replace_criteria
from annotation.campaigns.guidelines import write_guideline
from annotation.campaigns.lifecycle import close_campaign, open_campaign, update_campaign
from annotation.campaigns.rules import fetch_managed
from annotation.models import Campaign, CampaignState
from engines.definitions.drafts import CriterionDraft


@transaction.atomic
def change_campaign(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    state: str | None = None,
    criteria: Sequence[CriterionDraft] = (),
    guideline: str = "",
    **settings: Any,
) -> Campaign:
    """Change settings (those of `update_campaign`), criteria, guideline and state; what is left out stays.

    A closed campaign is reopened before it is changed, and a draft opened afterwards. Errors: Refused, of each step.
    """
    who: dict[str, Any] = {"by": by, "at": at}
    campaign = fetch_managed(campaign, by, lock=True)
    reopens = state == CampaignState.OPEN and campaign.state == CampaignState.CLOSED
    if reopens:
        campaign = open_campaign(campaign=campaign, **who)
    if settings:
        campaign = update_campaign(campaign=campaign, **who, **settings)
    if criteria:
        replace_criteria(campaign=campaign, criteria=criteria, **who)
    if guideline:
        write_guideline(campaign=campaign, body=guideline, **who)
    if state == CampaignState.OPEN and not reopens:
        campaign = open_campaign(campaign=campaign, **who)
    elif state == CampaignState.CLOSED:
        campaign = close_campaign(campaign=campaign, **who)
    return campaign

"""What can be done with a campaign: opened, closed, deleted."""

from typing import Any

from django.urls import reverse

from accounts.operations import Operation
from annotation.campaigns.actions.campaigns import close_campaign, delete_campaign, open_campaign
from annotation.campaigns.places import in_campaign
from annotation.models import Campaign
from corpus.collections.rules import MANAGE


def _detail(campaign: Campaign) -> str:
    return reverse("campaign_detail", args=[campaign.collection.slug, campaign.slug])


def _state(campaign: Campaign) -> dict[str, Any]:
    return {"slug": campaign.slug, "state": campaign.state}


OPEN_CAMPAIGN = Operation(
    action=open_campaign,
    place=in_campaign("campaign_detail"),
    roles=MANAGE,
    about="Open a campaign, so that its annotators can judge; a closed one is reopened.",
    title="Open the campaign",
    button="Open",
    report=lambda campaign: f"{campaign} is open. Its annotators find it on their page “My work”.",
    goes_to=_detail,
    to_json=_state,
)

CLOSE_CAMPAIGN = Operation(
    action=close_campaign,
    place=in_campaign("campaign_detail"),
    roles=MANAGE,
    about="Close a campaign: it takes no further judgments until it is reopened. No judgment is lost.",
    title="Close the campaign",
    button="Close",
    report=lambda campaign: f"{campaign} is closed. Reopen it to go on where it stopped.",
    goes_to=_detail,
    to_json=_state,
)

DELETE_CAMPAIGN = Operation(
    action=delete_campaign,
    place=in_campaign("campaign_edit"),
    roles=MANAGE,
    about="Delete a campaign that holds no answers.",
    title="Delete the campaign",
    button="Delete",
    report=lambda campaign: f"{campaign} is deleted.",
    goes_to=lambda campaign: reverse("campaign_list", args=[campaign.collection.slug]),
    to_json=lambda campaign: {"slug": campaign.slug},
)

"""What can be done with a campaign: opened and closed by a button and a command (over REST its `state` is changed),
deleted by a button; a sample of its items judged by more people. Creating and changing one is in pages and api."""

from typing import Any

from django.urls import reverse

from accounts.counting import counted
from accounts.operations import Operation, Rest
from accounts.rest_records import serializer_of
from annotation.campaigns.campaigns import giving_out
from annotation.campaigns.forms.items import CalibrationSampleForm
from annotation.campaigns.items import Calibration, set_calibration
from annotation.campaigns.lifecycle import close_campaign, delete_campaign, open_campaign
from annotation.campaigns.places import in_campaign
from annotation.models import Campaign
from corpus.collections.rules import MANAGE


def _detail(campaign: Campaign) -> str:
    return reverse("campaign_detail", args=[campaign.collection.slug, campaign.slug])


def _state(campaign: Campaign) -> dict[str, Any]:
    return {"slug": campaign.slug, "state": campaign.state}


def _calibrated(done: Calibration) -> str:
    wants = f"now wants {done.overlap} judges" if done.changed == 1 else f"now want {done.overlap} judges each"
    return f"{counted(done.changed, 'item')} {wants}. {giving_out(done.campaign, done.changed)}"


CalibrationSerializer = serializer_of(Calibration, "Calibration", about="", without=("campaign",))


OPEN_CAMPAIGN = Operation(
    called="open_campaign",
    task="Judge",
    example="open_campaign demo second-round",
    action=open_campaign,
    place=in_campaign("campaign_detail"),
    roles=MANAGE,
    about="Open a campaign, so that its annotators can judge; a closed one is reopened.",
    title="Open the campaign",
    button="Open",
    report=lambda campaign: f"{campaign} is open. Its annotators find it on their page “My work”.",
    goes_to=_detail,
    shows=_state,
)

CLOSE_CAMPAIGN = Operation(
    called="close_campaign",
    task="Judge",
    example="close_campaign demo second-round",
    action=close_campaign,
    place=in_campaign("campaign_detail"),
    roles=MANAGE,
    about="Close a campaign: it takes no further judgments until it is reopened. No judgment is lost.",
    title="Close the campaign",
    button="Close",
    report=lambda campaign: f"{campaign} is closed. Reopen it to continue where it stopped.",
    goes_to=_detail,
    shows=_state,
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
    shows=lambda campaign: {"slug": campaign.slug},
)

SET_CALIBRATION = Operation(
    called="set_calibration",
    rest=Rest("calibration_set", CalibrationSerializer, status=200, takes="NewCalibration"),
    task="Judge",
    example="set_calibration demo second-round 20 --overlap 4",
    action=set_calibration,
    place=in_campaign("item_list"),
    roles=MANAGE,
    about="Have some items of a campaign judged by more people, to measure agreement.",
    title="Calibration sample",
    button="Set the sample",
    report=_calibrated,
    goes_to=lambda done: reverse("item_list", args=[done.campaign.collection.slug, done.campaign.slug]),
    shows=lambda done: CalibrationSerializer(done).data,
    form=CalibrationSampleForm,
    named=("sample",),
    template="",
)

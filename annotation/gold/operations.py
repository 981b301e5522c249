"""What can be done about known answers: say them, remove them, import them, say what the campaign is for."""

from typing import Any

from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from annotation.campaigns.file_imports import CampaignImport
from annotation.campaigns.places import in_campaign, thing_in_campaign
from annotation.gold.forms import KnownAnswerForm, PurposeForm, RemovalForm
from annotation.gold.importer import KNOWN_ANSWERS
from annotation.gold.known import (
    fetch_for_known_answers,
    remove_known_answer,
    set_known_answer,
    set_purpose,
)
from annotation.models import Campaign, KnownAnswer
from corpus.collections.rules import MANAGE


class KnownAnswerSerializer(serializers.ModelSerializer[KnownAnswer]):
    topic = serializers.CharField(source="item.topic.number")
    aspect = serializers.CharField(source="item.aspect.text", default=None)
    docno = serializers.CharField(source="item.document.docno", default=None)
    criterion = serializers.CharField(source="criterion.key")

    class Meta:
        model = KnownAnswer
        fields = ("id", "topic", "aspect", "docno", "criterion", "value", "explanation", "changed_at")


class PurposeSerializer(serializers.ModelSerializer[Campaign]):
    class Meta:
        model = Campaign
        fields = ("slug", "purpose", "pass_mark")


def _page(campaign: Campaign) -> str:
    return reverse("gold_detail", args=[campaign.collection.slug, campaign.slug])


def _known_as_json(known: KnownAnswer) -> Any:
    return KnownAnswerSerializer(known).data


def _purpose_as_json(campaign: Campaign) -> Any:
    return PurposeSerializer(campaign).data


def _purpose_in_words(campaign: Campaign) -> str:
    mark = f" Pass mark: {campaign.pass_mark}%." if campaign.pass_mark else ""
    return f"Purpose of {campaign}: {campaign.get_purpose_display()}.{mark}"


SET_KNOWN_ANSWER = Operation(
    called="set_known_answer",
    rest=Rest("known_answers_set", KnownAnswerSerializer, takes="NewKnownAnswer"),
    task="Judge",
    example="set_known_answer demo questions q1 1 --criterion quality",
    action=set_known_answer,
    form=KnownAnswerForm,
    named=("topic", "value"),
    place=in_campaign("gold_detail", "gold", page="gold", to_form=True),
    roles=MANAGE,
    about="Set the known answer to an item, for training, qualification or hidden gold. The item is added to the"
    " campaign if it is not in it yet.",
    title="Add a known answer",
    lead="An item whose right answer you know shows how carefully people judge. Saving one that exists replaces it.",
    button="Save",
    report=lambda _: "Known answer saved.",
    goes_to=lambda known: _page(known.campaign),
    shows=_known_as_json,
)

REMOVE_KNOWN_ANSWER = Operation(
    rest=Rest("known_answers_remove", status=204),
    action=remove_known_answer,
    form=RemovalForm,
    place=thing_in_campaign(
        "known_answer",
        lambda campaign: campaign.known_answers.select_related("campaign__collection", "item__topic", "item__document"),
        "gold_detail",
        "gold",
        page="gold",
    ),
    roles=MANAGE,
    about="Remove a known answer. The item and all answers to it stay.",
    title="Remove the known answer",
    button="Remove",
    report=lambda _: "Known answer removed. The item stays.",
    goes_to=_page,
    shows=_purpose_as_json,
)

IMPORT_KNOWN_ANSWERS = CampaignImport(
    called="import_known_answers",
    rest=Rest("known_answer_imports_create", takes="NewKnownAnswerImport"),
    task="Bring in",
    example="import_known_answers demo questions known.csv --dry-run",
    line="Import known answers into a campaign",
    importer=KNOWN_ANSWERS,
    fetch=fetch_for_known_answers,
    place=in_campaign("gold_detail", "gold", page="gold"),
    lead="A CSV table; the format below names all columns. Items that the campaign lacks are added to it. Importing"
    " again changes nothing.",
)

SET_PURPOSE = Operation(
    called="set_purpose",
    rest=Rest("purpose_set", PurposeSerializer, status=200, takes="NewPurpose"),
    task="Judge",
    example="set_purpose demo training training",
    action=set_purpose,
    form=PurposeForm,
    named=("purpose",),
    place=in_campaign("gold_detail", page="gold"),
    roles=MANAGE,
    about="Set what a campaign is for: judging, training or qualification, with the pass mark. In training and"
    " qualification everybody answers every item, and no answer becomes a result.",
    title="Purpose of the campaign",
    button="Save",
    report=_purpose_in_words,
    goes_to=_page,
    shows=_purpose_as_json,
    template="",
)

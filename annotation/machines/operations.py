"""What can be done with machine annotators: several answer as a committee. Asking one machine, and its prompts, are
in pages, api and commands."""

from django.urls import reverse
from rest_framework import serializers

from accounts.operations import Operation, Rest
from annotation.campaigns.places import in_campaign
from annotation.machines.committees import request_committee
from annotation.machines.forms import CommitteeForm
from annotation.models import MachineRun
from corpus.collections.rules import MANAGE


class CommitteeSerializer(serializers.ModelSerializer[MachineRun]):
    annotator = serializers.CharField(source="annotator.name")
    members = serializers.ListField(child=serializers.CharField())

    class Meta:
        model = MachineRun
        fields = ("id", "annotator", "members", "recipe_hash")


def _as_json(run: MachineRun) -> dict[str, object]:
    members = [each.annotator.name for each in run.members.select_related("annotator")]
    return {"id": run.pk, "annotator": run.annotator.name, "members": members, "recipe_hash": run.recipe_hash}


def _page_of(run: MachineRun) -> str:
    return reverse("machine_detail", args=[run.campaign.collection.slug, run.campaign.slug, run.pk])


REQUEST_COMMITTEE = Operation(
    called="request_committee",
    rest=Rest("committees_request", CommitteeSerializer, status=202, takes="NewCommittee"),
    task="Judge",
    example='request_committee demo trial-round --members "Lexical baseline, run 1" "Lexical baseline, run 2"',
    action=request_committee,
    form=CommitteeForm,
    place=in_campaign("machine_list", "machines", page="machines", to_form=True),
    roles=MANAGE,
    about="Make a committee of machines: an annotator whose labels follow by a rule from its members' replies.",
    title="Make a committee of machines",
    template="annotation/machines/committee_request.html",
    lead="A committee is an annotator made of several machines: for each item a rule turns their answers into one. It"
    " uses the replies that they have given already, so it costs nothing.",
    button="Make the committee",
    report=lambda run: f"{run.annotator} is made of {run.members.count()} machines.",
    goes_to=_page_of,
    shows=_as_json,
    finished=lambda run: (f"{run.annotator} has answered {run.replies.count():,} items.", _as_json(run)),
)

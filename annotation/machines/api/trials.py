"""Prompts tried on a few items while they are written."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.api.settings import number_field
from annotation.machines.trials import TRIED, TriedItem, read_trial, request_trial
from annotation.models import PromptTrial
from corpus.collections.rules import MANAGE
from corpus.models import Role
from corpus.questions.prompts import prompt_named
from engines.definitions.settings import SEED
from engines.prompting.prompts import MOST_BODY


class NewPromptTrialSerializer(serializers.Serializer[Any]):
    """A stored prompt, or a text that is not stored, and the items to try it on; else some are drawn by the seed."""

    prompt = serializers.CharField(max_length=120, required=False, help_text="NAME or NAME@VERSION")
    body = serializers.CharField(max_length=MOST_BODY, required=False, trim_whitespace=False)
    items = serializers.ListField(child=serializers.IntegerField(min_value=1), max_length=TRIED, default=list)
    seed = number_field(SEED)
    model = serializers.CharField(max_length=80, default="", allow_blank=True)
    endpoint = serializers.CharField(max_length=100, default="", allow_blank=True)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("prompt" in attrs) == ("body" in attrs):
            raise serializers.ValidationError("Give either a prompt or a body.")
        return attrs


class TriedItemSerializer(serializers.Serializer[TriedItem]):
    """One item: what was read of its answer next to the answer itself. Without an answer, `problem` may say why."""

    item = serializers.IntegerField(source="item.item")
    stated = serializers.SerializerMethodField()
    text = serializers.CharField(source="answer.text", default=None)
    problem = serializers.CharField(source="answer.problem", default=None)
    cost = serializers.FloatField(source="answer.cost", default=None, allow_null=True)
    seconds = serializers.FloatField(source="answer.seconds", default=None, allow_null=True)

    @extend_schema_field({"type": "object", "additionalProperties": {"type": "object"}})
    def get_stated(self, tried: TriedItem) -> dict[str, Any]:
        return {key: {"value": one.value, "problem": one.problem} for key, one in tried.stated.items()}


class PromptTrialSerializer(serializers.ModelSerializer[PromptTrial]):
    answers = serializers.SerializerMethodField()

    class Meta:
        model = PromptTrial
        fields = ("id", "model", "seed", "state", "reason", "requested_at", "finished_at", "body", "answers")

    @extend_schema_field(TriedItemSerializer(many=True))
    def get_answers(self, trial: PromptTrial) -> list[dict[str, Any]]:
        return [dict(TriedItemSerializer(one).data) for one in read_trial(trial)]


class TrialList(InCampaignView):
    """Trials of prompts."""

    page = "machines"
    serializer_class = PromptTrialSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    @extend_schema(
        operation_id="prompt_trials_request",
        request=NewPromptTrialSerializer,
        responses=answers({202: PromptTrialSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Try a prompt on a few items. Its answers cost what a run's do; they are kept and are no labels."""
        values = self.body(NewPromptTrialSerializer)
        name = values.pop("prompt", "")
        values["body"] = prompt_named(self.collection, name).body if name else values["body"]
        trial = request_trial(campaign=self.campaign, by=self.person, at=timezone.now(), **values)
        return Response(PromptTrialSerializer(trial).data, status=202)


class TrialDetail(InCampaignView):
    """One trial."""

    page = "machines"
    serializer_class = PromptTrialSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="prompt_trials_read", responses=answers({200: PromptTrialSerializer}))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """The answers that have come so far, each read as a run would read it."""
        return Response(PromptTrialSerializer(get_object_or_404(PromptTrial, pk=pk, campaign=self.campaign)).data)

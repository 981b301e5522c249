"""Prompts for language models, as on the pages and in `litmus prompts`."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.refusals import Refused
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.machines.prompts import preview_of, write_prompt_for
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import PromptPurpose, PromptTemplate, Role
from corpus.questions.prompts import LONGEST_BODY, LONGEST_NAME, prompt_named, prompt_versions
from corpus.questions.question_runs import PROMPT_NAME

FILTERS = [
    OpenApiParameter("purpose", OpenApiTypes.STR, enum=PromptPurpose.values),
    OpenApiParameter("name", OpenApiTypes.STR),
]


class PromptSerializer(serializers.ModelSerializer[PromptTemplate]):
    class Meta:
        model = PromptTemplate
        fields = ("id", "purpose", "name", "version", "sha256", "created_at")


class PromptWithBodySerializer(PromptSerializer):
    """One version word for word."""

    class Meta(PromptSerializer.Meta):
        fields = (*PromptSerializer.Meta.fields, "body")  # type: ignore[assignment]


class NewPromptSerializer(serializers.Serializer[Any]):
    """A prompt's next version. Those for questions have one name, which may be left out."""

    purpose = serializers.ChoiceField(PromptPurpose.choices, default=PromptPurpose.RELEVANCE)
    name = serializers.CharField(
        max_length=LONGEST_NAME, default="", allow_blank=True, help_text=f"of questions: “{PROMPT_NAME}” or none"
    )
    body = serializers.CharField(max_length=LONGEST_BODY, trim_whitespace=False)


class PreviewedSerializer(serializers.Serializer[Any]):
    """What is tried: a stored prompt, or a text that is not stored."""

    prompt = serializers.CharField(max_length=120, required=False, help_text="NAME or NAME@VERSION")
    body = serializers.CharField(max_length=LONGEST_BODY, required=False, trim_whitespace=False)
    item = serializers.IntegerField(required=False, min_value=1, max_value=2**63 - 1, help_text="default: the first")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("prompt" in attrs) == ("body" in attrs):
            raise serializers.ValidationError("Give either a prompt or a body.")
        return attrs


class PreviewSerializer(serializers.Serializer[Any]):
    """The message for one item, about how many tokens it has, and how a reply must end."""

    item = serializers.IntegerField(source="item.item")
    message = serializers.CharField()
    tokens = serializers.IntegerField()
    form = serializers.CharField()
    next = serializers.IntegerField(allow_null=True, help_text="the next item")
    empty = serializers.DictField(
        child=serializers.IntegerField(), help_text="placeholders in it, with how many items have nothing behind them"
    )


class PromptList(InCollectionView):
    """Prompts of the collection, in versions that never change."""

    serializer_class = PromptSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[PromptTemplate]:
        query = self.request.query_params
        return prompt_versions(self.collection, query.get("purpose", ""), query.get("name", ""))

    @extend_schema(
        operation_id="prompts_list", parameters=FILTERS, responses=answers({200: PromptSerializer(many=True)})
    )
    def get(self, request: Request, slug: str) -> Response:
        """List all versions of prompts, without their words."""
        return self.listed()

    @extend_schema(
        operation_id="prompts_write",
        request=NewPromptSerializer,
        responses=answers({200: PromptWithBodySerializer, 201: PromptWithBodySerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Store a prompt's next version; 200 with the newest one where that has the same words already."""
        values = self.body(NewPromptSerializer)
        prompt, is_new = write_prompt_for(collection=self.collection, by=self.person, at=timezone.now(), **values)
        return Response(PromptWithBodySerializer(prompt).data, status=201 if is_new else 200)


class PromptDetail(InCollectionView):
    """One version of a prompt."""

    serializer_class = PromptWithBodySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="prompts_read", responses=answers({200: PromptWithBodySerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The words of one version, and their hash."""
        return Response(PromptWithBodySerializer(get_object_or_404(prompt_versions(self.collection), pk=pk)).data)


class PromptPreview(InCampaignView):
    """What a prompt asks of one item."""

    serializer_class = PreviewSerializer
    page = "machines"
    takes_archived = True  # nothing is written
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    @extend_schema(
        operation_id="prompts_preview",
        request=PreviewedSerializer,
        responses=answers({200: PreviewSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Show the message that a prompt makes of an item. Nothing is stored or sent."""
        values = self.body(PreviewedSerializer)
        body = values["body"] if "body" in values else prompt_named(self.collection, values["prompt"]).body
        preview = preview_of(self.campaign, body, values.get("item"))
        if "problem" in preview:
            raise Refused(preview["problem"])
        return Response(PreviewSerializer(preview).data)

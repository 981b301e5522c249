"""The templates that a campaign can begin with, as the page of a new campaign offers them."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from annotation.campaigns.templates.registry import TEMPLATES
from annotation.models.campaigns import KIND_CHOICES
from corpus.collections.api.base import ApiView


class CampaignTemplateSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="as `template` of a new campaign takes it")
    label = serializers.CharField()  # type: ignore[assignment] # of the template
    kind = serializers.ChoiceField(KIND_CHOICES)
    asks = serializers.CharField(help_text="what it asks of people")
    begins_as = serializers.CharField(source="sentence_of", help_text="its settings and levels, in words")
    assumed_seconds = serializers.FloatField(help_text="of a judgment, until enough answers were timed")


class CampaignTemplates(ApiView):
    """What a campaign can begin as."""

    serializer_class = CampaignTemplateSerializer
    pagination_class = None  # type: ignore[assignment] # a handful

    @extend_schema(
        operation_id="campaign_templates_list", responses=answers({200: CampaignTemplateSerializer(many=True)})
    )
    def get(self, request: Request) -> Response:
        """List the templates of campaigns; COLLECTION/CAMPAIGN copies a campaign instead."""
        return Response(CampaignTemplateSerializer(TEMPLATES.values(), many=True).data)

"""Known answers, the purpose of a campaign and results on gold, through the API. Only managers see them."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.parsers import MultiPartParser
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.gold.operations import (
    IMPORT_KNOWN_ANSWERS,
    SET_KNOWN_ANSWER,
    KnownAnswerSerializer,
)
from annotation.gold.pages import known_answers_of
from annotation.gold.results import gold_results
from annotation.labelling.rules import check_can_read_labels
from annotation.models import KnownAnswer
from corpus.collections.rules import MANAGE
from corpus.models import Role


class ShareSerializer(serializers.Serializer[Any]):
    n = serializers.IntegerField(source="share.n")
    right = serializers.IntegerField(source="share.hits")
    share = serializers.FloatField(source="share.value", allow_null=True)
    low = serializers.FloatField(source="share.low", allow_null=True)
    high = serializers.FloatField(source="share.high", allow_null=True)
    level = serializers.FloatField(source="share.level", help_text="of the interval of Clopper and Pearson")
    reason = serializers.CharField(source="share.reason", help_text="why there is no share; empty where there is one")


class WeekSerializer(ShareSerializer):
    begins = serializers.DateField(help_text="a Monday")


class PersonResultSerializer(ShareSerializer):
    name = serializers.CharField(source="annotator.name")
    machine = serializers.BooleanField(source="is_machine")
    asked = serializers.IntegerField(help_text="items finished, skipped ones too")
    skipped = serializers.IntegerField()
    left = serializers.IntegerField(help_text="items still to do")
    below = serializers.BooleanField(allow_null=True, help_text="below the pass mark; null: not known")
    weeks = WeekSerializer(many=True)


class GoldResultsSerializer(serializers.Serializer[Any]):
    purpose = serializers.CharField(source="campaign.purpose")
    pass_mark = serializers.IntegerField(source="campaign.pass_mark", allow_null=True)
    people = PersonResultSerializer(many=True)


class KnownAnswerList(InCampaignView):
    """The known answers of a campaign."""

    page = "gold"
    serializer_class = KnownAnswerSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    def get_queryset(self) -> QuerySet[KnownAnswer]:
        check_can_read_labels(self.campaign, self.person)
        return known_answers_of(self.campaign)

    @extend_schema(operation_id="known_answers_list", responses=answers({200: KnownAnswerSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the known answers. 403 for managers who still have items to judge here."""
        return self.listed()

    post = SET_KNOWN_ANSWER.method


class KnownAnswerImportList(InCampaignView):
    """Imports of known answers; each is followed as the collection's imports are."""

    page = "gold"
    parser_classes = (MultiPartParser,)
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    post = IMPORT_KNOWN_ANSWERS.method


class GoldView(InCampaignView):
    """How people answer what is known."""

    page = "gold"
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="gold_read", responses=answers({200: GoldResultsSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """The share of right answers of each person, over time. 403 for managers who still have items to judge here."""
        check_can_read_labels(self.campaign, self.person)
        return Response(GoldResultsSerializer(gold_results(self.campaign)).data)

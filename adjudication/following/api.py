"""What a campaign pays, and how carefully people judge in it, through the API."""

from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from adjudication.following.costs import Cost, cost_sentence, costs_of
from adjudication.following.figures import newest_count, quality_as_json
from adjudication.following.operations import SET_PAY_RATE
from adjudication.following.pay import current_sheet, sheet_as_json
from annotation.campaigns.api.base import InCampaignView
from annotation.labelling.rules import check_can_read_replies
from corpus.collections.rules import MANAGE
from corpus.models import Role


class PayLineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    email = serializers.CharField(help_text="empty for somebody without an account")
    items = serializers.IntegerField(help_text="judged items that count; imported ones are not counted as work")
    hours = serializers.FloatField(allow_null=True, help_text="of active judging; null: nothing was timed")
    untimed = serializers.IntegerField(help_text="answers and skips whose time was not measured: not in the hours")
    rate = serializers.FloatField()
    per = serializers.CharField()
    amount = serializers.FloatField(help_text="rounded to hundredths, half up")
    currency = serializers.CharField()


class PaySheetSerializer(serializers.Serializer[Any]):
    lines = PayLineSerializer(many=True)
    total = serializers.FloatField(help_text="the sum of the rounded amounts")
    currency = serializers.CharField()
    warning = serializers.CharField(help_text="what the hours leave out; empty: nothing is missing")


class PayView(InCampaignView):
    """The rate of pay, and what everybody has earned by it. Only managers see it."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="pay_read", responses=answers({200: PaySheetSerializer}, 422))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """The payment sheet up to now. 422 before a rate is set."""
        return Response(sheet_as_json(current_sheet(self.campaign)))

    put = SET_PAY_RATE.method


class QualityMeasureSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]
    unit = serializers.CharField(help_text="seconds, answers, share, or points: a difference of shares")
    words = serializers.CharField(help_text="what it is")
    source = serializers.CharField()  # type: ignore[assignment]


class PersonFigureSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    criterion = serializers.CharField(help_text="its key; empty: over all criteria")
    measure = serializers.CharField()
    value = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True, help_text="of the 95% interval")
    high = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField(help_text="items behind it")
    flagged = serializers.BooleanField(allow_null=True, help_text="null: nothing can be concluded")
    note = serializers.CharField()
    reason = serializers.CharField(help_text="why there is no figure, or no interval; empty: there are both")


class PeopleQualitySerializer(serializers.Serializer[Any]):
    counted_at = serializers.DateTimeField()
    level = serializers.FloatField(help_text="of the intervals")
    measures = QualityMeasureSerializer(many=True)
    figures = PersonFigureSerializer(many=True)


class QualityView(InCampaignView):
    """How carefully each person judges. Only managers see it, and not while they have items to judge there."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="quality_read", responses=answers({200: PeopleQualitySerializer}, 422))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """Every figure of the newest count. 422 before the first count."""
        check_can_read_replies(self.campaign, self.person)
        return Response(quality_as_json(newest_count(self.campaign)))


CostSerializer = serializer_of(
    Cost,
    "Cost",
    minutes_per_item=serializers.FloatField(allow_null=True),
    per_answer=serializers.FloatField(allow_null=True),
    per_item=serializers.FloatField(allow_null=True),
)


class CostsSerializer(serializers.Serializer[Any]):
    sentence = serializers.CharField()
    costs = CostSerializer(many=True)


class CostView(InCampaignView):
    """What an answer costs, of people and of machines. Only managers see it, as pay."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="costs_read", responses=answers({200: CostsSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """People together, and each run of a machine; null where it is not known, with the reason in `notes`."""
        found = costs_of(self.campaign)
        return Response(CostsSerializer({"sentence": cost_sentence(self.campaign, found), "costs": found}).data)

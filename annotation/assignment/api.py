"""The annotators of a campaign through the API: listed, added, changed, given items."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from annotation.assignment.annotators import add_members_by_email, add_name
from annotation.assignment.operations import (
    ORDER_QUEUE,
    REQUEST_REJUDGING,
    UPDATE_ANNOTATOR,
    WITHDRAW_REJUDGING,
    AnnotatorSerializer,
    OrderedPartSerializer,
    QueueOrderingSerializer,
)
from annotation.assignment.ordering import JudgedSample, handed_out, judged_sample
from annotation.assignment.rejudging import Rejudged, rejudged_by_person
from annotation.campaigns.api.base import InCampaignView
from annotation.models import Annotator, AnnotatorKind
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role
from engines.definitions.settings import ANNOTATOR_NAME


class NewAnnotatorsSerializer(serializers.Serializer[Any]):
    """Members by their addresses, or one name: name of somebody without an account, or of a machine."""

    emails = serializers.ListField(
        child=serializers.EmailField(), required=False, help_text="of members and invited people"
    )
    name = serializers.CharField(max_length=ANNOTATOR_NAME.most, required=False)
    kind = serializers.ChoiceField(
        AnnotatorKind.choices, required=False, help_text="kind of annotator; human if absent"
    )
    model = serializers.CharField(
        max_length=150, required=False, help_text="only for a machine: the model that answers"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Either way of adding somebody, not both."""
        if ("emails" in attrs) == ("name" in attrs):
            raise serializers.ValidationError("Give emails of members, or the name of somebody without an account.")
        if "emails" in attrs and len(attrs) > 1:
            raise serializers.ValidationError("kind and model describe the annotator with the name.")
        return attrs


RejudgedSerializer = serializer_of(Rejudged, "Rejudged")


class AnnotatorList(InCampaignView):
    """The annotators of a campaign."""

    serializer_class = AnnotatorSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[Annotator]:
        return self.campaign.annotators.all()

    @extend_schema(operation_id="annotators_list", responses=answers({200: AnnotatorSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the people and machines of the campaign, removed ones too."""
        return self.listed()

    @extend_schema(
        operation_id="annotators_add",
        request=NewAnnotatorsSerializer,
        responses=answers({201: AnnotatorSerializer(many=True)}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Add members, or somebody without an account. Members who judge in it already are left as they are."""
        values = self.body(NewAnnotatorsSerializer)
        add: Any = add_members_by_email if "emails" in values else add_name
        added = add(campaign=self.campaign, by=self.person, at=timezone.now(), **values)
        return Response(AnnotatorSerializer(added if "emails" in values else [added], many=True).data, status=201)


class AnnotatorDetail(InCampaignView):
    """One annotator."""

    serializer_class = AnnotatorSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @property
    def annotator(self) -> Annotator:
        return get_object_or_404(Annotator, pk=self.kwargs["pk"], campaign=self.campaign)

    @extend_schema(operation_id="annotators_read", responses=answers({200: AnnotatorSerializer}))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Read an annotator."""
        return Response(AnnotatorSerializer(self.annotator).data)

    patch = UPDATE_ANNOTATOR.method


class RejudgedPeopleSerializer(serializers.Serializer[Any]):
    people = RejudgedSerializer(many=True)


class RejudgingView(InCampaignView):
    """What people are asked again because the guideline changed."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="rejudging_read", responses=answers({200: RejudgedPeopleSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """How far each person is with what is asked again."""
        return Response(RejudgedPeopleSerializer({"people": rejudged_by_person(self.campaign)}).data)

    post = REQUEST_REJUDGING.method
    delete = WITHDRAW_REJUDGING.method


class HandedOutSerializer(serializers.Serializer[Any]):
    orders = OrderedPartSerializer(many=True)
    sample = serializer_of(JudgedSample, "JudgedSample")()


class QueueOrderView(InCampaignView):
    """Which items of an open queue are judged next. Only managers see it."""

    serializer_class = QueueOrderingSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE}

    @extend_schema(operation_id="queue_orders_read", responses=answers({200: HandedOutSerializer}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """What was handed out under which order, the last one being in force."""
        found = {"orders": handed_out(self.campaign), "sample": judged_sample(self.campaign)}
        return Response(HandedOutSerializer(found).data)

    post = ORDER_QUEUE.method

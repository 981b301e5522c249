"""Assignments and judgments, one's own or, for overseers, everybody's."""

from typing import Any

from django.db.models import F, QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from annotation.assignment.rejudging import asked_again
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.overrides import overriding_cycles
from annotation.campaigns.seals import check_not_sealed
from annotation.labelling.rules import check_can_read_labels
from annotation.models import FORMER, Annotator, Asked, Assignment, AssignmentState, Judgment
from corpus.collections.rules import can_oversee

OVERRIDDEN = (
    "numbers of the Anno-GPT cycles whose machine is behind this although its test was overridden; `machine_overrides`"
    " of the campaign's agreement says more"
)


FEW = 2_000


def pks_of(annotators: QuerySet[Annotator]) -> list[int]:
    return list(annotators.values_list("pk", flat=True))


def named_if_few(rows: QuerySet[Any]) -> QuerySet[Any]:
    """The rows, selected by their ids if they are few. One query.

    Else PostgreSQL may look for them, in the order of their ids, among all those of all campaigns.
    """
    few = list(rows.order_by().values_list("pk", flat=True)[: FEW + 1])
    return rows.model._default_manager.filter(pk__in=few) if len(few) <= FEW else rows


class AssignmentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    annotator = serializers.CharField(source="annotator_name")
    topic = serializers.CharField(allow_null=True)
    aspect = serializers.CharField(allow_null=True)
    docno = serializers.CharField(allow_null=True)
    paper = serializers.CharField(allow_null=True, help_text="the key of the paper, where papers are worked on")
    state = serializers.ChoiceField(AssignmentState.choices)
    finished_at = serializers.DateTimeField(allow_null=True)


class JudgmentSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    annotator = serializers.CharField(source="annotator_name")
    machine = serializers.BooleanField()
    topic = serializers.CharField()
    aspect = serializers.CharField(allow_null=True)
    docno = serializers.CharField(allow_null=True)
    criterion = serializers.CharField(source="criterion_key")
    value = serializers.IntegerField()
    reason = serializers.CharField()
    submission = serializers.UUIDField(source="uuid")
    received_at = serializers.DateTimeField()
    overridden_cycles = serializers.ListField(child=serializers.IntegerField(), help_text=OVERRIDDEN)


class AssignmentList(InCampaignView):
    """Who judges what."""

    serializer_class = AssignmentSerializer

    def get_queryset(self) -> QuerySet[Any, Any]:
        annotators = self.campaign.annotators.all()
        if not can_oversee(self.membership):
            annotators = annotators.filter(user=self.person)
        rows = named_if_few(Assignment.objects.filter(annotator__in=pks_of(annotators)))
        if not can_oversee(self.membership) and not self.campaign.kind_object.no_repeats:
            # What is still to come would show, next to what is done, which items are asked a second time.
            rows = rows.filter(finished_at__isnull=False)
        return rows.values(
            "id",
            "state",
            "finished_at",
            annotator_name=F("annotator__name"),
            topic=F("item__topic__number"),
            aspect=F("item__aspect__text"),
            docno=F("item__document__docno"),
            paper=F("item__paper__key"),
        )

    @extend_schema(operation_id="assignments_list", responses=answers({200: AssignmentSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List assignments: annotators see their own only, judgments once they are done or skipped."""
        return self.listed()


class JudgmentList(InCampaignView):
    """The values that count now."""

    page = "judgments"
    serializer_class = JudgmentSerializer

    def get_queryset(self) -> QuerySet[Any, Any]:
        annotators = self.campaign.annotators.all()
        if can_oversee(self.membership):
            check_not_sealed(self.campaign)
            check_can_read_labels(self.campaign, self.person)
        else:
            annotators = annotators.filter(user=self.person)
        rows = named_if_few(Judgment.objects.filter(assignment__annotator__in=pks_of(annotators)))
        if can_oversee(self.membership):  # an annotator's own list has all that they gave and are not giving again
            rows = rows.filter(assignment__repeat__lt=Asked.CHECK)
        else:
            rows = rows.filter(assignment__repeat__lt=FORMER)
            if not self.campaign.shows_former:
                rows = rows.exclude(asked_again("assignment__item", "assignment__annotator"))
        return rows.values(
            "id",
            "value",
            "reason",
            annotator_name=F("assignment__annotator__name"),
            machine=F("assignment__annotator__kind"),
            topic=F("assignment__item__topic__number"),
            aspect=F("assignment__item__aspect__text"),
            docno=F("assignment__item__document__docno"),
            criterion_key=F("criterion__key"),
            uuid=F("submission__uuid"),
            received_at=F("submission__received_at"),
        )

    @extend_schema(operation_id="judgments_list", responses=answers({200: JudgmentSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List current judgments: annotators see their own only."""
        page = self.paginate_queryset(self.get_queryset()) or []
        cycles = overriding_cycles(self.campaign)
        rows = [
            {**row, "machine": row["machine"] == "machine", "overridden_cycles": cycles.get(row["annotator_name"], [])}
            for row in page
        ]
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)

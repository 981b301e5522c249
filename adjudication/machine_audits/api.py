"""Audits of machine labels through the API: samples drawn, figures read."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from adjudication.agreement.api import InReadableView
from adjudication.machine_audits.forms import FiguresForm
from adjudication.machine_audits.operations import DRAW_AUDIT_SAMPLE, StratumSerializer
from adjudication.machine_audits.reading import audits_of
from adjudication.machine_audits.report import SampleProgress
from adjudication.machine_audits.tables import as_json
from adjudication.models import MachineAudit
from annotation.campaigns.api.base import InCampaignView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role


class MachineAuditSerializer(serializers.ModelSerializer[MachineAudit]):
    criterion = serializers.CharField(source="criterion.key")
    machine = serializers.CharField(source="machine.name")
    strata = StratumSerializer(many=True)
    judged = serializers.IntegerField(help_text="items of the sample that a person has judged")

    class Meta:
        model = MachineAudit
        fields = ("id", "criterion", "machine", "seed", "size", "strata", "drawn_at", "judged")


class MachineAuditList(InCampaignView):
    """Samples of machine labels that people judge. Which items are in them is never shown to annotators."""

    page = "machines"
    serializer_class = MachineAuditSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[MachineAudit]:
        return audits_of(self.campaign)

    @extend_schema(operation_id="machine_audits_list", responses=answers({200: MachineAuditSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List audits, the newest first."""
        return self.listed()

    post = DRAW_AUDIT_SAMPLE.method


class FindingsSerializer(serializers.Serializer[Any]):
    """What people would say of all items that the machine labelled. A figure has `corrected` (of people and machine
    together), `people` (of people alone), `machine` (of the machine alone) and `width_ratio`."""

    counted_at = serializers.DateTimeField()
    notes = serializers.ListField(child=serializers.CharField(), help_text="what must be known of the figures")
    orders = serializers.ListField(child=serializers.CharField(), help_text="what becomes of the order of runs")
    needed = serializers.IntegerField(allow_null=True, help_text="items to judge for intervals of this half-width")
    standing = serializer_of(SampleProgress, "AuditProgress")()
    n_pairs = serializers.IntegerField(help_text="items that the machine labelled")
    n_labels = serializers.IntegerField(help_text="those that people labelled and figures use")
    levels = serializers.ListField(child=serializers.DictField(), help_text="the share of each grade")
    from_levels = serializers.ListField(child=serializers.DictField(), help_text="of each grade and those above it")
    mean_gain = serializers.DictField()
    matrix = serializers.ListField(child=serializers.DictField(), help_text="by grade of the machine: what people say")
    elsewhere = serializers.ListField(
        child=serializers.DictField(), help_text="shares of grades and the mean for topics like these: wider"
    )
    measures = serializers.ListField(child=serializers.DictField(), help_text="P, DCG and nDCG of runs, differences")


class MachineAuditDetail(InReadableView):
    """What an audit shows by now."""

    page = "machines"
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="machine_audits_read",
        parameters=[OpenApiParameter("run", OpenApiTypes.STR, many=True)]
        + [OpenApiParameter(name, OpenApiTypes.INT) for name in ("depth", "relevance")]
        + [OpenApiParameter("half_width", OpenApiTypes.FLOAT, description="in percentage points")],
        responses=answers({200: FindingsSerializer}),
    )
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Every figure, as `litmus machine_audit --json` prints them, for the labels there are now."""
        one = get_object_or_404(audits_of(self.campaign), pk=pk)
        form = FiguresForm(request.query_params, audit=one)
        if not form.is_valid():
            raise serializers.ValidationError(dict[str, Any](form.errors))
        return Response(as_json(form.findings()))

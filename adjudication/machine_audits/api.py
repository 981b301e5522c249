"""Audits of machine labels through the API: samples drawn, figures read."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.machine_audits.operations import DRAW_AUDIT_SAMPLE, DrawingSerializer, StratumSerializer
from adjudication.machine_audits.reading import audits_of
from adjudication.models import MachineAudit
from annotation.campaigns.api.base import InCampaignView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role

NewAuditSampleSerializer = DRAW_AUDIT_SAMPLE.serializer("NewAuditSample")


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
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[MachineAudit]:
        return audits_of(self.campaign)

    @extend_schema(operation_id="machine_audits_list", responses=answers({200: MachineAuditSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List audits, the newest first."""
        return self.listed()

    post = DRAW_AUDIT_SAMPLE.method("machine_audits_create", takes=NewAuditSampleSerializer, shows=DrawingSerializer)

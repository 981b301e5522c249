"""Judgments that were made elsewhere, brought into a campaign through the API."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.parsers import MultiPartParser
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.imports.importer import JUDGMENTS
from annotation.imports.importing import request_judgment_import
from corpus.collections.rules import MANAGE
from corpus.imports.api import FilesSerializer, ImportSerializer, fields_of_options, format_field
from corpus.imports.forms import parameters_from
from corpus.models import ImportRun, Role


class NewJudgmentImportSerializer(FilesSerializer):
    """Files of judgments; and whose labels they are where the files do not name annotators."""

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        return {**super().get_fields(), "format": format_field([JUDGMENTS]), **dict(fields_of_options(JUDGMENTS))}


class JudgmentImportList(InCampaignView):
    """Imports of judgments into a campaign; each is followed, cancelled and undone as the collection's imports are."""

    page = "judgments"
    serializer_class = ImportSerializer
    parser_classes = (MultiPartParser,)
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[ImportRun]:
        return ImportRun.objects.filter(
            collection=self.collection, kind=JUDGMENTS.name, parameters__campaign=self.campaign.pk
        )

    @extend_schema(operation_id="judgment_imports_list", responses=answers({200: ImportSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the imports of judgments into this campaign."""
        return self.listed()

    @extend_schema(
        operation_id="judgment_imports_create",
        request={"multipart/form-data": NewJudgmentImportSerializer},
        responses=answers({202: ImportSerializer}, 400, 403, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Send files of judgments to be read by a background job; follow it among the imports of the collection."""
        found = self.campaign
        values = self.body(NewJudgmentImportSerializer)
        run = request_judgment_import(
            campaign=found,
            by=self.person,
            at=timezone.now(),
            **{name: values.pop(name) for name in ("files", "format", "dry_run")},
            **parameters_from(JUDGMENTS.form, JUDGMENTS.name, values),
        )
        return Response(ImportSerializer(run).data, status=202)

"""Judgments that were made elsewhere, brought into a campaign through the API."""

from typing import ClassVar

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.parsers import MultiPartParser
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.imports.operations import IMPORT_JUDGMENTS
from corpus.collections.rules import MANAGE
from corpus.imports.api import ImportSerializer
from corpus.models import ImportRun, Role


class JudgmentImportList(InCampaignView):
    """Imports of judgments into a campaign; each is followed, cancelled and undone as the collection's imports are."""

    page = "judgments"
    serializer_class = ImportSerializer
    parser_classes = (MultiPartParser,)
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": MANAGE, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[ImportRun]:
        return IMPORT_JUDGMENTS.runs(self.campaign)

    @extend_schema(operation_id="judgment_imports_list", responses=answers({200: ImportSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List the imports of judgments into this campaign."""
        return self.listed()

    post = IMPORT_JUDGMENTS.method

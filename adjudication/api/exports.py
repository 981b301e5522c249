"""Exports: what can be written, and the files themselves as streams."""

from typing import Any, ClassVar

from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.actions.exports import take_out
from adjudication.exports.options import (
    ASPECTS,
    GRADES,
    ITERATIONS,
    KINDS,
    LEVELS,
    PREFIX_WORDS,
    UNRESOLVED,
    make_options,
    whole_number,
)
from corpus.api.base import InCollectionView
from corpus.models import Role
from corpus.permissions import OVERSEERS

CONTENT_TYPES = sorted({kind.content_type.split(";")[0] for kind in KINDS.values()})
WORDS = ("campaign", "criterion", "level", "grades", "unresolved", "aspects", "iteration", *PREFIX_WORDS)
PARAMETERS = [
    OpenApiParameter("campaign", OpenApiTypes.STR, description="slug; needed when there are several"),
    OpenApiParameter("criterion", OpenApiTypes.STR, description="key; without one, the campaign's first"),
    OpenApiParameter("level", OpenApiTypes.STR, enum=list(LEVELS)),
    OpenApiParameter("grades", OpenApiTypes.STR, enum=list(GRADES)),
    OpenApiParameter("annotators", OpenApiTypes.BOOL, description="labels by annotator, named in column 2"),
    OpenApiParameter("unresolved", OpenApiTypes.STR, enum=list(UNRESOLVED)),
    OpenApiParameter(
        "aspects",
        OpenApiTypes.STR,
        enum=list(ASPECTS),
        description="“judged”: score over judged aspects only; a ZIP archive with a comment file and a manifest",
    ),
    OpenApiParameter("iteration", OpenApiTypes.STR, enum=list(ITERATIONS), description="of contexts"),
    OpenApiParameter("first_number", OpenApiTypes.INT, description="of sentence topics"),
    OpenApiParameter("query_prefix", OpenApiTypes.STR, description="of BEIR: what ids of queries begin with"),
    OpenApiParameter(
        "document_prefix",
        OpenApiTypes.STR,
        description="of BEIR: what ids of documents begin with; both remembered",
    ),
    OpenApiParameter("drafts", OpenApiTypes.BOOL, description="of contexts: also what nobody has confirmed"),
]


class ExportKindSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class


class AnyType(BaseContentNegotiation):
    """Files are sent as what they are, whatever the caller says it accepts; errors are problem details."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class ExportList(InCollectionView):
    """What can be written."""

    serializer_class = ExportKindSerializer
    pagination_class = None  # type: ignore[assignment] # a handful
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="exports_list", responses=answers({200: ExportKindSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str) -> Response:
        """List the kinds of export."""
        return Response([{"name": name, "label": kind.label} for name, kind in KINDS.items()])


class ExportFile(InCollectionView):
    """One export."""

    content_negotiation_class = AnyType
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="exports_read",
        parameters=PARAMETERS,
        responses=answers({(200, *CONTENT_TYPES): OpenApiTypes.BINARY}, 403, 422),
    )
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """The file as a stream; 422 tells everything that stands in its way."""
        asked = request.query_params
        words: dict[str, Any] = {key: asked[key] for key in WORDS if key in asked}
        annotators, drafts = (asked.get(key, "").lower() in ("1", "true") for key in ("annotators", "drafts"))
        if "first_number" in asked:
            words["first_number"] = whole_number(asked["first_number"])
        options = make_options(self.collection, name, annotators=annotators, drafts=drafts, **words)
        chosen = {**words, "annotators": annotators, "drafts": drafts}
        at, logged = timezone.now(), request.method == "GET"
        export = take_out(options=options, membership=self.membership, at=at, chosen=chosen, logged=logged)
        response = StreamingHttpResponse(export.pieces, content_type=export.content_type)
        response["Content-Disposition"] = f'attachment; filename="{export.filename}"'
        return response

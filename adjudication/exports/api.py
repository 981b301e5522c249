"""Exports: what can be written, and the files themselves as streams."""

from collections.abc import Collection
from typing import Any, ClassVar

from django import forms
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api import DescribedMethod
from accounts.schema import answers
from adjudication.exporting.forms import words_of
from adjudication.exporting.options import formats, make_options, option_fields
from adjudication.exporting.registry import EXPORTERS
from adjudication.exports.downloads import download_export
from corpus.collections.api.base import AnyType, InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role


class ExportSchema(AutoSchema):
    """The parameters and types of all exports there are, those of other packages as well."""

    def get_override_parameters(self) -> list[Any]:
        return [parameter(name, field) for name, field in option_fields().items()]

    def get_response_serializers(self) -> Any:
        types = sorted({exporter.media_type.split(";")[0] for exporter in EXPORTERS.values()})
        return answers({(200, *types): OpenApiTypes.BINARY}, 422)


def parameter(name: str, field: forms.Field) -> OpenApiParameter:
    """An option as OpenAPI has it."""
    if isinstance(field, forms.ChoiceField):
        return OpenApiParameter(name, OpenApiTypes.STR, enum=words_of(field), description=str(field.help_text))
    sorts = ((forms.BooleanField, OpenApiTypes.BOOL), (forms.IntegerField, OpenApiTypes.INT))
    sort = next((sort for kind, sort in sorts if isinstance(field, kind)), OpenApiTypes.STR)
    return OpenApiParameter(name, sort, description=str(field.help_text))


class ExportKindSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class


class ExportList(InCollectionView):
    """What can be written."""

    serializer_class = ExportKindSerializer
    pagination_class = None  # type: ignore[assignment] # a handful
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="exports_list", responses=answers({200: ExportKindSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the kinds of export."""
        return Response([{"name": name, "label": exporter.label} for name, exporter in formats().items()])


class ExportFile(InCollectionView):
    """One export."""

    schema = ExportSchema()
    content_negotiation_class = AnyType
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def known_queries(self, operation: DescribedMethod) -> Collection[str]:
        """The options of this export; of one that does not exist, those of all."""
        own = [each for each in EXPORTERS.values() if each.format == self.kwargs["name"]]
        return option_fields(own or None)

    @extend_schema(operation_id="exports_read")
    def get(self, request: Request, slug: str, name: str) -> StreamingHttpResponse:
        """The file as a stream; 422 lists everything that prevents it. Each export has only some of the parameters."""
        words = {option: request.query_params.get(option) for option in option_fields()}
        options = make_options(self.collection, name, **words)
        logged = request.method == "GET"
        export = download_export(options=options, membership=self.membership, at=timezone.now(), logged=logged)
        response = StreamingHttpResponse(export.pieces, content_type=export.content_type)
        response["Content-Disposition"] = f'attachment; filename="{export.filename}"'
        return response

"""Documents: listed, read one by one, brought in bulk."""

from typing import Any, ClassVar, cast

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE, can_oversee
from corpus.imports.api import MOST_RECORDS, ImportSerializer, import_records
from corpus.models import Document, Membership, Role


class DocumentSerializer(serializers.ModelSerializer[Document]):
    keywords = serializers.ListField(child=serializers.CharField(), required=False)
    authors = serializers.ListField(child=serializers.CharField(), required=False)
    extra = serializers.DictField(required=False)

    class Meta:
        model = Document
        fields = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi", "url", "extra")


class SparseDocumentSerializer(DocumentSerializer):
    """For annotators: unnamed fields of a file may say what a document is relevant to."""

    extra = None  # type: ignore[assignment] # takes the field away

    class Meta(DocumentSerializer.Meta):
        fields = tuple(name for name in DocumentSerializer.Meta.fields if name != "extra")  # type: ignore[assignment]


class NewDocumentSerializer(DocumentSerializer):
    """As in JSONL imports; other keys are kept in `extra`."""

    takes_more = True

    class Meta(DocumentSerializer.Meta):
        extra_kwargs: ClassVar[dict[str, Any]] = {"docno": {"validators": []}}


def document_serializer(membership: Membership) -> type[DocumentSerializer]:
    """What this member may read of documents."""
    return DocumentSerializer if can_oversee(membership) else SparseDocumentSerializer


class DocumentsSerializer(serializers.Serializer[Any]):
    documents = serializers.ListField(child=NewDocumentSerializer(), min_length=1, max_length=MOST_RECORDS)


class DocumentList(InCollectionView):
    """The documents of a collection."""

    serializer_class = DocumentSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    def get_queryset(self) -> QuerySet[Document]:
        return Document.objects.filter(collection=self.collection)

    @extend_schema(operation_id="documents_list", responses=answers({200: DocumentSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List documents. `extra` is for those who may see labels."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(document_serializer(self.membership)(page, many=True).data)

    @extend_schema(
        operation_id="documents_import",
        request=DocumentsSerializer,
        responses=answers({200: ImportSerializer}, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create or update up to 10,000 documents at once; what is wrong with one is listed under `errors`."""
        self.body(DocumentsSerializer)
        return import_records(self, "documents", cast(dict[str, Any], request.data)["documents"])


class DocumentDetail(InCollectionView):
    """One document."""

    serializer_class = DocumentSerializer

    @extend_schema(operation_id="documents_read", responses=answers({200: DocumentSerializer}))
    def get(self, request: Request, slug: str, docno: str) -> Response:
        """Read a document by its docno, which may hold slashes."""
        known = Document.objects.filter(collection=self.collection)
        document = known.filter(docno=docno).first()
        if document is None:
            raise Http404
        return Response(document_serializer(self.membership)(document).data)

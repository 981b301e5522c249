"""Collections that the caller is a member of."""

from typing import Any, ClassVar

from django.db import transaction
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import ApiView, InCollectionView
from corpus.collections.backup import backup_response
from corpus.collections.collections import (
    create_collection,
    rename_collection,
    request_removal,
    take_backup,
    update_collection,
)
from corpus.collections.operations import (
    ARCHIVE_COLLECTION,
    REOPEN_COLLECTION,
    CollectionSerializer,
    RemovalSerializer,
)
from corpus.collections.rules import MANAGE
from corpus.models import Collection


class CollectionChangeSerializer(serializers.ModelSerializer[Collection]):
    slug = serializers.SlugField(max_length=80)  # no look-up: the action says whether it is taken

    class Meta:
        model = Collection
        fields = ("slug", "title", "description", "licence", "language")


class CollectionList(ApiView):
    """All collections of the caller; making one."""

    serializer_class = CollectionSerializer

    def get_queryset(self) -> QuerySet[Collection]:
        return Collection.objects.visible_to(self.request.user)

    @extend_schema(operation_id="collections_list", responses=answers({200: CollectionSerializer(many=True)}))
    def get(self, request: Request) -> Response:
        """List the collections you are a member of."""
        return self.listed()

    @extend_schema(operation_id="collections_create", responses=answers({201: CollectionSerializer}, 409, 415))
    def post(self, request: Request) -> Response:
        """Make a collection and become its manager. Needs staff, or the role of manager in another collection."""
        collection = create_collection(by=self.person, at=timezone.now(), **self.body(CollectionSerializer))
        return Response(CollectionSerializer(collection).data, status=201)


class CollectionDetail(InCollectionView):
    """One collection."""

    serializer_class = CollectionSerializer
    roles: ClassVar[dict[str, Any]] = {"PATCH": MANAGE, "DELETE": MANAGE}
    takes_archived = True  # to be deleted; changing it is refused by the actions

    @extend_schema(operation_id="collections_read", responses=answers({200: CollectionSerializer}))
    def get(self, request: Request, slug: str) -> Response:
        """Read a collection."""
        return Response(CollectionSerializer(self.collection).data)

    @extend_schema(
        operation_id="collections_change",
        request=CollectionChangeSerializer,
        responses=answers({200: CollectionSerializer}, 415),
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change slug, title, description, licence or language.

        A former slug forwards to the present one (307) for ever.
        """
        present = {name: getattr(self.collection, name) for name in CollectionChangeSerializer.Meta.fields}
        values = present | self.body(CollectionChangeSerializer, partial=True)
        slug, at = values.pop("slug"), timezone.now()
        with transaction.atomic():
            update_collection(by=self.person, at=at, collection=self.collection, **values)
            changed = rename_collection(by=self.person, at=at, collection=self.collection, slug=slug)
        return Response(CollectionSerializer(changed).data)

    @extend_schema(
        operation_id="collections_delete",
        parameters=[OpenApiParameter("confirm", str, required=True, description="The collection's slug, typed again.")],
        responses=answers({202: RemovalSerializer}, 409, 422),
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Delete an archived collection with everything in it, by a job. Download its backup first."""
        confirm = request.query_params.get("confirm", "")
        run = request_removal(by=self.person, at=timezone.now(), collection=self.collection, confirm=confirm)
        return Response(RemovalSerializer(run).data, status=202)


class CollectionArchive(InCollectionView):
    """The collection's place in the archive."""

    serializer_class = CollectionSerializer
    takes_archived = True

    put = ARCHIVE_COLLECTION.method
    delete = REOPEN_COLLECTION.method


class CollectionBackup(InCollectionView):
    """The collection as one file."""

    serializer_class = CollectionSerializer
    roles: ClassVar[dict[str, Any]] = {"GET": MANAGE}

    @extend_schema(
        operation_id="collections_backup",
        responses={(200, "application/zip"): OpenApiTypes.BINARY} | answers({}),
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """Download everything in the collection, for `restore_collection`."""
        logged = request.method == "GET"
        take_backup(by=self.person, at=timezone.now(), collection=self.collection, logged=logged)
        return backup_response(self.collection)

"""Collections that the caller is a member of."""

from typing import Any, ClassVar, cast

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import User
from accounts.schema import answers
from corpus.actions.collections import create_collection, update_collection
from corpus.api.base import ByCursor, InCollectionView
from corpus.models import Collection, Role


class CollectionSerializer(serializers.ModelSerializer[Collection]):
    class Meta:
        model = Collection
        fields = ("slug", "title", "description", "licence", "created_at")
        read_only_fields = ("created_at",)


class CollectionChangeSerializer(serializers.ModelSerializer[Collection]):
    class Meta:
        model = Collection
        fields = ("title", "description", "licence")


class CollectionList(GenericAPIView[Collection]):
    """All collections of the caller; making one."""

    serializer_class = CollectionSerializer
    pagination_class = ByCursor

    def get_queryset(self) -> QuerySet[Collection]:
        return Collection.objects.visible_to(self.request.user)

    @extend_schema(operation_id="collections_list", responses=answers({200: CollectionSerializer(many=True)}))
    def get(self, request: Request) -> Response:
        """List the collections you are a member of."""
        page = self.paginate_queryset(self.get_queryset())
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    @extend_schema(
        operation_id="collections_create", responses=answers({201: CollectionSerializer}, 400, 403, 409, 415)
    )
    def post(self, request: Request) -> Response:
        """Make a collection and become its manager. Needs staff, or the role of manager in another collection."""
        wanted = CollectionSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        made = create_collection(by=cast(User, request.user), at=timezone.now(), **wanted.validated_data)
        return Response(CollectionSerializer(made).data, status=201)


class CollectionDetail(InCollectionView):
    """One collection."""

    serializer_class = CollectionSerializer
    roles: ClassVar[dict[str, Any]] = {"PATCH": (Role.MANAGER,)}

    @extend_schema(operation_id="collections_read", responses=answers({200: CollectionSerializer}))
    def get(self, request: Request, slug: str) -> Response:
        """Read a collection."""
        return Response(CollectionSerializer(self.collection).data)

    @extend_schema(
        operation_id="collections_change",
        request=CollectionChangeSerializer,
        responses=answers({200: CollectionSerializer}, 400, 403, 415),
    )
    def patch(self, request: Request, slug: str) -> Response:
        """Change title, description or licence. The slug stays, for it is in addresses and exports."""
        wanted = CollectionChangeSerializer(self.collection, data=request.data, partial=True)
        wanted.is_valid(raise_exception=True)
        now = {"title": self.collection.title, "description": self.collection.description}
        values = {**now, "licence": self.collection.licence, **wanted.validated_data}
        changed = update_collection(by=self.person, at=timezone.now(), membership=self.membership, **values)
        return Response(CollectionSerializer(changed).data)

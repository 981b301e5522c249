"""Sub-queries of complex queries: made by the rule, listed, taken away; and what pools hold and lack."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import InCollectionView, RemovedSerializer
from corpus.collections.rules import OVERSEERS
from corpus.imports.api import MANAGE
from corpus.models import Role, SubQuery
from corpus.topics.actions.sub_queries import MOST_ASPECTS, make_sub_queries, remove_sub_queries
from corpus.topics.reads.sub_queries import list_sub_queries

FILTERS = [
    OpenApiParameter("size", OpenApiTypes.INT, description="only those of so many aspects"),
    OpenApiParameter("topic", OpenApiTypes.STR, description="only those of the topic of this number"),
]


class SubQuerySerializer(serializers.ModelSerializer[SubQuery]):
    """`pooled` counts the documents of the inherited pool, which is the topic's own."""

    topic = serializers.CharField(source="topic.number")
    aspects = serializers.SerializerMethodField()
    pooled = serializers.IntegerField(source="n_pool")

    class Meta:
        model = SubQuery
        fields = ("id", "number", "topic", "size", "text", "aspects", "pooled")

    def get_aspects(self, one: SubQuery) -> list[str]:
        return [each.aspect.text for each in one.chosen.all()]


class SizeSerializer(serializers.Serializer[Any]):
    """How many aspects each sub-query has."""

    size = serializers.IntegerField(min_value=1, max_value=MOST_ASPECTS)


class MadeSerializer(serializers.Serializer[Any]):
    """`left_out` counts combinations whose sentences speak of a further aspect."""

    created = serializers.IntegerField()
    updated = serializers.IntegerField()
    unchanged = serializers.IntegerField()
    removed = serializers.IntegerField()
    left_out = serializers.IntegerField()


class SubQueryFilter(serializers.Serializer[Any]):
    size = serializers.IntegerField(min_value=1, max_value=MOST_ASPECTS, required=False)
    topic = serializers.CharField(required=False, max_length=100)


class SubQueryList(InCollectionView):
    """Sub-queries of a collection. Their judgments and qrels are read under `relevance` and `exports`."""

    serializer_class = SubQuerySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE, "DELETE": MANAGE}

    def get_queryset(self) -> QuerySet[SubQuery]:
        wanted = SubQueryFilter(data=self.request.query_params.dict())
        wanted.is_valid(raise_exception=True)
        return list_sub_queries(self.collection, **wanted.validated_data)

    @extend_schema(
        operation_id="sub_queries_list",
        parameters=FILTERS,
        responses=answers({200: SubQuerySerializer(many=True)}, 400, 403),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List sub-queries with their aspects."""
        return self.listed()

    @extend_schema(
        operation_id="sub_queries_make",
        request=SizeSerializer,
        responses=answers({200: MadeSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Make the sub-queries of one size, or make them again; identical ones stay."""
        wanted = self.asked(SizeSerializer)
        made = make_sub_queries(by=self.person, at=timezone.now(), collection=self.collection, size=wanted["size"])
        return Response(asdict(made))

    @extend_schema(
        operation_id="sub_queries_remove",
        parameters=[OpenApiParameter("size", OpenApiTypes.INT, required=True)],
        responses=answers({200: RemovedSerializer}, 400, 403),
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Take away the sub-queries of one size; they can be made again at any time."""
        wanted = SizeSerializer(data=request.query_params.dict())
        wanted.is_valid(raise_exception=True)
        size = wanted.validated_data["size"]
        removed = remove_sub_queries(by=self.person, at=timezone.now(), collection=self.collection, size=size)
        return Response({"removed": removed})

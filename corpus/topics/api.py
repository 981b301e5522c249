"""Topics with their aspect trees, their history and reviews, and sub-queries made from them."""

from typing import Any, ClassVar, cast

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import InCollectionView, RemovedSerializer
from corpus.collections.rules import MANAGE, OVERSEERS, can_oversee
from corpus.imports.api import MOST_RECORDS, ImportSerializer, import_records
from corpus.models import (
    AspectNode,
    AspectRemark,
    Membership,
    Role,
    SubQuery,
    Target,
    Topic,
    TopicKind,
    TopicReview,
    TopicVersion,
)
from corpus.models.topics import LONGEST_AUTHOR, LONGEST_CATEGORY, LONGEST_SOURCE
from corpus.topics.operations import MAKE_SUB_QUERIES
from corpus.topics.reviews import ReviewState, with_review_state
from corpus.topics.sub_queries import MOST_ASPECTS, remove_sub_queries
from corpus.topics.topics import list_sub_queries
from engines.formats.records import MAX_TOPIC_LENGTH


class SubAspectSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    sentences = serializers.ListField(child=serializers.IntegerField(min_value=0), required=False)
    spoken_in = serializers.ListField(child=serializers.IntegerField(min_value=0), required=False, allow_null=True)


class AspectSerializer(SubAspectSerializer):
    aspects = SubAspectSerializer(many=True, required=False)


class TopicSerializer(serializers.Serializer[Topic]):
    """`sentences` in aspects are places in the topic's list of sentences, from 0.

    `spoken_in` are the places of the sentences that speak of the aspect, where these are not the ones it comes from.
    """

    number = serializers.CharField(max_length=MAX_TOPIC_LENGTH)
    kind = serializers.ChoiceField(TopicKind.choices, required=False)
    source = serializers.CharField(  # type: ignore[assignment] # fields are taken off the class
        max_length=LONGEST_SOURCE, required=False, allow_blank=True
    )
    title = serializers.CharField(required=False, allow_blank=True)
    text = serializers.CharField()
    narrative = serializers.CharField(required=False, allow_blank=True)
    author = serializers.CharField(max_length=LONGEST_AUTHOR, required=False, allow_blank=True)
    category = serializers.CharField(
        max_length=LONGEST_CATEGORY, required=False, allow_blank=True, help_text="what it is about, such as NLP"
    )
    sentences = serializers.ListField(child=serializers.CharField(), required=False)
    aspects = AspectSerializer(many=True, required=False)
    source_papers = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="docnos of the papers that it was written from"
    )
    targets = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="docnos of documents known to answer it"
    )


class TopicsSerializer(serializers.Serializer[Any]):
    topics = serializers.ListField(child=TopicSerializer(), min_length=1, max_length=MOST_RECORDS)


class TopicList(InCollectionView):
    """The topics of a collection."""

    serializer_class = TopicSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    def get_queryset(self) -> QuerySet[Topic]:
        return topics_with_trees(self.collection.pk)

    @extend_schema(operation_id="topics_list", responses=answers({200: TopicSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List topics with their aspects."""
        page = self.paginate_queryset(self.get_queryset()) or []
        return self.get_paginated_response([topic_data(topic, self.membership) for topic in page])

    @extend_schema(
        operation_id="topics_import",
        request=TopicsSerializer,
        responses=answers({200: ImportSerializer}, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create or update up to 10,000 topics at once; what is wrong with one is listed under `errors`."""
        self.body(TopicsSerializer)
        return import_records(self, "topics", cast(dict[str, Any], request.data)["topics"])


class TopicDetail(InCollectionView):
    """One topic."""

    serializer_class = TopicSerializer

    @extend_schema(operation_id="topics_read", responses=answers({200: TopicSerializer}))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """Read a topic by its number."""
        topic = get_object_or_404(topics_with_trees(self.collection.pk), number=number)
        return Response(topic_data(topic, self.membership))


def topics_with_trees(collection: int) -> QuerySet[Topic]:
    nodes = Prefetch("nodes", AspectNode.objects.select_related("aspect"))
    targets = Prefetch("targets", Target.objects.select_related("document").only("topic", "document__docno"))
    return Topic.objects.filter(collection=collection).prefetch_related(nodes, targets)


def topic_data(topic: Topic, reader: Membership) -> dict[str, Any]:
    """The topic as JSON, in the shape that imports read; raters do not learn where it comes from or what answers it."""
    facts = (
        "number",
        "kind",
        "source",
        "title",
        "text",
        "narrative",
        "author",
        "category",
        "sentences",
        "source_papers",
    )
    nodes = list(topic.nodes.all())
    aspects = [
        {**_node(top), "aspects": [_node(below) for below in nodes if below.parent_id == top.pk]}
        for top in nodes
        if top.parent_id is None
    ]
    targets = [target.document.docno for target in topic.targets.all()]
    unseen = {"source": "", "author": "", "category": "", "source_papers": [], "targets": []}
    hidden = {} if can_oversee(reader) else unseen
    return {**{fact: getattr(topic, fact) for fact in facts}, "targets": targets, **hidden, "aspects": aspects}


def _node(node: AspectNode) -> dict[str, Any]:
    return {"text": node.aspect.text, "sentences": node.sentences, "spoken_in": node.spoken_in}


class VersionSerializer(serializers.ModelSerializer[TopicVersion]):
    """`saved_by` is null for the command line, and for what was there before the first change here.

    `content` is what annotators read; equal fingerprints are equal contents.
    """

    saved_by = serializers.CharField(allow_null=True)

    class Meta:
        model = TopicVersion
        fields = ("number", "saved_at", "saved_by", "change", "about", "stands_for", "fingerprint", "content")


class RemarkSerializer(serializers.ModelSerializer[AspectRemark]):
    aspect = serializers.CharField(source="aspect_text")

    class Meta:
        model = AspectRemark
        fields = ("aspect", "text")


class ReviewSerializer(serializers.ModelSerializer[TopicReview]):
    """`version` is what was given to review, then what was decided on."""

    version = serializers.IntegerField(source="version.number")
    requested_by = serializers.CharField()
    decided_by = serializers.CharField(allow_null=True)
    remarks = RemarkSerializer(many=True)

    class Meta:
        model = TopicReview
        fields = (
            *("version", "verdict", "requested_by", "requested_at", "request_note"),
            *("decided_by", "decided_at", "note", "remarks"),
        )


class ReviewsSerializer(serializers.Serializer[Any]):
    """Where the review stands, and every one there was, newest first."""

    state = serializers.ChoiceField(ReviewState.choices)
    reviews = ReviewSerializer(many=True)


class TopicVersions(InCollectionView):
    """The versions of a topic."""

    serializer_class = VersionSerializer
    ordering = "-number"
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[TopicVersion]:
        topic = get_object_or_404(Topic, collection=self.collection, number=self.kwargs["number"])
        return topic.versions.select_related("saved_by")

    @extend_schema(operation_id="topics_versions", responses=answers({200: VersionSerializer(many=True)}))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """List the versions of a topic, newest first. One that nobody has changed here may have none yet."""
        return self.listed()


class TopicReviews(InCollectionView):
    """The reviews of a topic."""

    serializer_class = ReviewsSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="topics_reviews", responses=answers({200: ReviewsSerializer}))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """Read where the second person's review of a topic stands, and what was said."""
        topic = get_object_or_404(with_review_state(Topic.objects.filter(collection=self.collection)), number=number)
        reviews = topic.reviews.select_related("version", "requested_by", "decided_by").prefetch_related("remarks")
        return Response(self.get_serializer({"state": topic.review_state, "reviews": reviews}).data)


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


class RemovalQuery(serializers.Serializer[Any]):
    """Which sub-queries are removed: unlike when they are made, no size is the usual one."""

    size = serializers.IntegerField(min_value=1, max_value=MOST_ASPECTS)


class SubQueryFilter(serializers.Serializer[Any]):
    size = serializers.IntegerField(min_value=1, max_value=MOST_ASPECTS, required=False)
    topic = serializers.CharField(required=False, max_length=MAX_TOPIC_LENGTH)


class SubQueryList(InCollectionView):
    """Sub-queries of a collection. Their judgments and qrels are read under `relevance` and `exports`."""

    serializer_class = SubQuerySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "DELETE": MANAGE}

    def get_queryset(self) -> QuerySet[SubQuery]:
        filters = SubQueryFilter(data=self.request.query_params.dict())
        filters.is_valid(raise_exception=True)
        return list_sub_queries(self.collection, **filters.validated_data)

    @extend_schema(
        operation_id="sub_queries_list",
        parameters=FILTERS,
        responses=answers({200: SubQuerySerializer(many=True)}),
    )
    def get(self, request: Request, slug: str) -> Response:
        """List sub-queries with their aspects."""
        return self.listed()

    post = MAKE_SUB_QUERIES.method

    @extend_schema(
        operation_id="sub_queries_remove",
        parameters=[OpenApiParameter("size", OpenApiTypes.INT, required=True)],
        responses=answers({200: RemovedSerializer}),
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Take away the sub-queries of one size; they can be made again at any time."""
        query = RemovalQuery(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        size = query.validated_data["size"]
        removed = remove_sub_queries(by=self.person, at=timezone.now(), collection=self.collection, size=size)
        return Response({"removed": removed})

"""The history of a topic and its reviews by a second person, read by those who oversee the collection."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import ByCursor, InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import AspectRemark, Role, Topic, TopicReview, TopicVersion
from corpus.topics.reads.reviews import ReviewState, with_review_state


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


class NewestFirst(ByCursor):
    ordering = "-number"


class TopicVersions(InCollectionView):
    """The versions of a topic."""

    serializer_class = VersionSerializer
    pagination_class = NewestFirst
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[TopicVersion]:
        topic = get_object_or_404(Topic, collection=self.collection, number=self.kwargs["number"])
        return topic.versions.select_related("saved_by")

    @extend_schema(operation_id="topics_versions", responses=answers({200: VersionSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """List the versions of a topic, newest first. One that nobody has changed here may have none yet."""
        return self.listed()


class TopicReviews(InCollectionView):
    """The reviews of a topic."""

    serializer_class = ReviewsSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="topics_reviews", responses=answers({200: ReviewsSerializer}, 403))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """Read where the second person's review of a topic stands, and what was said."""
        topic = get_object_or_404(with_review_state(Topic.objects.filter(collection=self.collection)), number=number)
        reviews = topic.reviews.select_related("version", "requested_by", "decided_by").prefetch_related("remarks")
        return Response(self.get_serializer({"state": topic.review_state, "reviews": reviews}).data)

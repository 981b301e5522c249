"""Topics with their aspect trees: listed, read one by one, brought in bulk."""

from typing import Any, ClassVar, cast

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import can_oversee
from corpus.imports.api import MANAGE, MOST_RECORDS, ImportSerializer, import_records
from corpus.models import AspectNode, Membership, Role, Topic, TopicKind


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

    number = serializers.CharField(max_length=100)
    kind = serializers.ChoiceField(TopicKind.choices, required=False)
    source = serializers.CharField(  # type: ignore[assignment] # fields are taken off the class
        max_length=60, required=False, allow_blank=True
    )
    title = serializers.CharField(required=False, allow_blank=True)
    text = serializers.CharField()
    narrative = serializers.CharField(required=False, allow_blank=True)
    sentences = serializers.ListField(child=serializers.CharField(), required=False)
    aspects = AspectSerializer(many=True, required=False)


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
        responses=answers({200: ImportSerializer}, 400, 403, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create or update up to 10,000 topics at once; what is wrong with one is listed under `errors`."""
        self.asked(TopicsSerializer)
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
    return Topic.objects.filter(collection=collection).prefetch_related(nodes)


def topic_data(topic: Topic, reader: Membership) -> dict[str, Any]:
    """The topic as JSON, in the shape that imports read; raters do not learn where it comes from."""
    facts = ("number", "kind", "source", "title", "text", "narrative", "sentences")
    nodes = list(topic.nodes.all())
    aspects = [
        {**_node(top), "aspects": [_node(below) for below in nodes if below.parent_id == top.pk]}
        for top in nodes
        if top.parent_id is None
    ]
    hidden = {} if can_oversee(reader) else {"source": ""}
    return {**{fact: getattr(topic, fact) for fact in facts}, **hidden, "aspects": aspects}


def _node(node: AspectNode) -> dict[str, Any]:
    return {"text": node.aspect.text, "sentences": node.sentences, "spoken_in": node.spoken_in}

"""Splits of topics through the API, in the words of the page and the command."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.models import Split
from adjudication.splits.actions import MOST_ATTRIBUTES, delete_split, make_split
from adjudication.splits.reads import members_of
from annotation.campaigns.api.settings import number_field
from annotation.definitions.settings import SEED
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.imports.api import MANAGE
from corpus.models import Role


def _names(about: str) -> serializers.ListField:
    child = serializers.CharField(max_length=60)
    return serializers.ListField(child=child, max_length=MOST_ATTRIBUTES, default=list, help_text=about)


class NewSplitSerializer(serializers.Serializer[Any]):
    """How topics are split."""

    name = serializers.CharField(max_length=40)
    parts = serializers.DictField(child=serializers.FloatField(), help_text='shares by part: {"dev": 40, "test": 60}')
    within = _names("attributes of whose values every part gets its share")
    together = _names("attributes whose topics of one value stay in one part")
    seed = number_field(SEED, default=1)


class SplitSerializer(serializers.ModelSerializer[Split]):
    class Meta:
        model = Split
        fields = ("name", "seed", "parameters", "created_at")


class SplitWithTopicsSerializer(SplitSerializer):
    """`topics` are the numbers of topics by part."""

    topics = serializers.SerializerMethodField()

    class Meta(SplitSerializer.Meta):
        fields = (*SplitSerializer.Meta.fields, "topics")  # type: ignore[assignment]

    def get_topics(self, split: Split) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {part: [] for part in split.parts}
        for number, part in members_of(split).items():
            found[part].append(number)
        return found


class SplitList(InCollectionView):
    """Splits of topics."""

    serializer_class = SplitSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[Split]:
        return Split.objects.filter(collection=self.collection)

    @extend_schema(operation_id="splits_list", responses=answers({200: SplitSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str) -> Response:
        """List splits, without their topics."""
        return self.listed()

    @extend_schema(
        operation_id="splits_create",
        request=NewSplitSerializer,
        responses=answers({201: SplitWithTopicsSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Draw a split of all topics and store it."""
        values = self.body(NewSplitSerializer)
        split = make_split(by=self.person, at=timezone.now(), collection=self.collection, **values)
        return Response(SplitWithTopicsSerializer(split).data, status=201)


class SplitDetail(InCollectionView):
    """One split with its topics."""

    serializer_class = SplitWithTopicsSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "DELETE": MANAGE}

    @extend_schema(operation_id="splits_read", responses=answers({200: SplitWithTopicsSerializer}, 403, 404))
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The split, with the numbers of its topics by part."""
        return Response(SplitWithTopicsSerializer(self._fetch(name)).data)

    @extend_schema(operation_id="splits_delete", responses=answers({204: None}, 403, 404, 409))
    def delete(self, request: Request, slug: str, name: str) -> Response:
        """Delete the split. With its seed and the same topics it can be drawn again."""
        delete_split(by=self.person, at=timezone.now(), split=self._fetch(name))
        return Response(status=204)

    def _fetch(self, name: str) -> Split:
        return get_object_or_404(Split.objects.select_related("collection"), collection=self.collection, name=name)

"""Splits of topics through the API, in the words of the page and the command."""

from typing import ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.models import Split
from adjudication.splits.operations import DELETE_SPLIT, MAKE_SPLIT, SplitSerializer, SplitWithTopicsSerializer
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role


class SplitList(InCollectionView):
    """Splits of topics."""

    serializer_class = SplitSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[Split]:
        return Split.objects.filter(collection=self.collection)

    @extend_schema(operation_id="splits_list", responses=answers({200: SplitSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List splits, without their topics."""
        return self.listed()

    post = MAKE_SPLIT.method


class SplitDetail(InCollectionView):
    """One split with its topics."""

    serializer_class = SplitWithTopicsSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="splits_read", responses=answers({200: SplitWithTopicsSerializer}))
    def get(self, request: Request, slug: str, name: str) -> Response:
        """The split, with the numbers of its topics by part."""
        return Response(SplitWithTopicsSerializer(self._fetch(name)).data)

    delete = DELETE_SPLIT.method

    def _fetch(self, name: str) -> Split:
        return get_object_or_404(Split.objects.select_related("collection"), collection=self.collection, name=name)

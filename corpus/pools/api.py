"""Pools for those who may see ranks: read with their provenance, built, reported on."""

from dataclasses import asdict
from typing import Any, ClassVar

from django.db.models import Prefetch, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions import cancel_job
from accounts.jobs import with_live_progress
from accounts.rest_fields import rest_field
from accounts.rest_records import serializer_of
from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import PoolEntry, PoolRun, PoolSource, Role
from corpus.pools.forms import BuildForm, own_index, own_recipe
from corpus.pools.pool_report import Combination, MethodOverlap, RunHoles, holes_of_runs, overlap_of_methods
from corpus.pools.requests import DEEPEST, request_pools


class PoolSourceSerializer(serializers.ModelSerializer[PoolSource]):
    """`rank` is null where the method ranks nothing: lists, known targets, documents picked by hand."""

    class Meta:
        model = PoolSource
        fields = ("method", "rank")


class PoolEntrySerializer(serializers.ModelSerializer[PoolEntry]):
    docno = serializers.CharField(source="document.docno")
    sources = PoolSourceSerializer(many=True)

    class Meta:
        model = PoolEntry
        fields = ("docno", "sources")


def _option(name: str) -> Any:
    return rest_field(BuildForm.base_fields[name], is_change=True)


class RecipeSerializer(serializers.Serializer[Any]):
    """How the collection is searched; what is left out is as DORIS-MAE had it. A, B, C: the three `…_take`."""

    scorers = serializers.ListField(
        child=serializers.ChoiceField(["bm25", "tfidf"]), min_length=1, max_length=2, required=False
    )

    def get_fields(self) -> dict[str, Any]:
        numbers = {name: _option(name) for name in BuildForm.RECIPE[1:]}
        return {**super().get_fields(), **numbers}


class IndexSerializer(serializers.Serializer[Any]):
    """How texts become terms, and the numbers of BM25; what is left out is as usual."""

    def get_fields(self) -> dict[str, Any]:
        return {name: _option(name) for name in BuildForm.INDEX}


class NewPoolsSerializer(serializers.Serializer[Any]):
    """`methods` are names of runs, “targets”, and “bm25”, “tfidf”, “citations” and “dense” to search for
    whole topics.

    Left out together with `recipe`: all runs, or where there are none the usual recipe. `depth` null or 0 takes whole
    rankings, and 100 documents of a search by name. `recipe` {} searches as DORIS-MAE did.
    """

    methods = serializers.ListField(child=serializers.CharField(max_length=100), min_length=1, required=False)
    depth = serializers.IntegerField(min_value=0, max_value=DEEPEST, allow_null=True, default=None)
    recipe = RecipeSerializer(required=False, allow_null=True)
    index = IndexSerializer(required=False, allow_null=True)


class PoolBuildSerializer(serializers.ModelSerializer[PoolRun]):
    """How far a building of pools is; the counts are there once it is done."""

    methods = serializers.DictField(child=serializers.IntegerField())
    depth = serializers.IntegerField(source="parameters.depth", allow_null=True, default=None)
    recipe = serializers.JSONField(source="parameters.recipe", allow_null=True, default=None)

    class Meta:
        model = PoolRun
        fields = (
            "id",
            "state",
            "done",
            "total",
            "step",
            "reason",
            "depth",
            "recipe",
            "topics",
            "pairs",
            "methods",
            "added",
            "removed",
            "requested_at",
            "finished_at",
        )


class TopicPoolView(InCollectionView):
    """The pool of one topic; lists come in as imports of kind `pool`."""

    serializer_class = PoolEntrySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[PoolEntry]:
        number = self.kwargs["number"]
        topic = get_object_or_404(self.collection.topics, number=number)
        entries = PoolEntry.objects.filter(topic=topic).select_related("document").only("topic", "document__docno")
        return entries.prefetch_related(Prefetch("sources", PoolSource.objects.order_by("method")))

    @extend_schema(operation_id="pools_read", responses=answers({200: PoolEntrySerializer(many=True)}))
    def get(self, request: Request, slug: str, number: str) -> Response:
        """Read the pool of a topic: each document with the methods that brought it in, and at which rank."""
        return self.listed()


class PoolBuilds(InCollectionView):
    """Buildings of pools from runs."""

    serializer_class = PoolBuildSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[PoolRun]:
        return PoolRun.objects.filter(collection=self.collection)

    @extend_schema(operation_id="pools_list_builds", responses=answers({200: PoolBuildSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List buildings of pools, the oldest first."""
        return self.listed()

    @extend_schema(
        operation_id="pools_build",
        request=NewPoolsSerializer,
        responses=answers({202: PoolBuildSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a background job pool the first documents of runs; follow it at its own address."""
        request_arguments = self.body(NewPoolsSerializer)
        if (recipe := request_arguments.get("recipe")) is not None:
            request_arguments["recipe"] = own_recipe(recipe, self.collection)
        if (index := request_arguments.get("index")) is not None:
            request_arguments["index"] = own_index(index, self.collection.language)
        run = request_pools(by=self.person, at=timezone.now(), collection=self.collection, **request_arguments)
        return Response(PoolBuildSerializer(run).data, status=202)


class PoolBuildDetail(InCollectionView):
    """One building of pools."""

    serializer_class = PoolBuildSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "DELETE": MANAGE}

    def run(self) -> PoolRun:
        builds = PoolRun.objects.select_related("collection").filter(collection=self.collection)
        return get_object_or_404(builds, pk=self.kwargs["pk"])

    @extend_schema(operation_id="pools_read_build", responses=answers({200: PoolBuildSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far the building is, and what came of it."""
        return Response(PoolBuildSerializer(with_live_progress(self.run())).data)

    @extend_schema(operation_id="pools_cancel_build", responses=answers({202: PoolBuildSerializer}, 409))
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Ask the building to stop; the pools stay as they were."""
        run = self.run()
        cancel_job(by=self.person, at=timezone.now(), job=run)
        return Response(PoolBuildSerializer(run).data, status=202)


CombinationSerializer = serializer_of(Combination, "Combination")


RunHolesSerializer = serializer_of(RunHoles, "RunHoles")
PoolReportSerializer = serializer_of(MethodOverlap, "PoolReport", runs=RunHolesSerializer(many=True))


class PoolReportView(InCollectionView):
    """How methods overlap in the pools, and what runs hold that nobody judged."""

    serializer_class = PoolReportSerializer
    pagination_class = None  # type: ignore[assignment] # one object
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="pools_report", responses=answers({200: PoolReportSerializer}))
    def get(self, request: Request, slug: str) -> Response:
        """Read the overlap of methods, and how much of each run's top is unjudged or unpooled."""
        overlap = overlap_of_methods(self.collection)
        return Response({**asdict(overlap), "runs": [asdict(run) for run in holes_of_runs(self.collection)]})

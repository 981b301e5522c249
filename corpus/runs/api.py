"""Runs and how they were made, for those who may see ranks."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions import cancel_job
from accounts.jobs import with_live_progress
from accounts.rest_fields import rest_field
from accounts.schema import answers
from corpus.collections.api.base import AnyType, InCollectionView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import RetrievalRun, Role, RunMaking
from corpus.runs.files import metadata_lines, run_pieces
from corpus.runs.operations import DELETE_RUN
from corpus.runs.recipes.registry import RECIPES, all_options
from corpus.runs.runs import list_runs, recipe_named, request_run


class RunSerializer(serializers.ModelSerializer[RetrievalRun]):
    """`rows` counts the documents of all rankings, `deepest` those of the longest."""

    topics = serializers.IntegerField(source="n_topics")
    rows = serializers.IntegerField(source="n_rows")
    deepest = serializers.IntegerField()

    class Meta:
        model = RetrievalRun
        fields = ("id", "name", "description", "topics", "rows", "deepest", "created_at")


class NewRunSerializer(serializers.Serializer[Any]):
    """A run to make: `name` without spaces, the recipe, and any options of it that differ from its defaults."""

    name = serializers.CharField(max_length=100)
    recipe = serializers.CharField(max_length=60)

    def get_fields(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_fields()
        found["recipe"].help_text = "one of " + ", ".join(RECIPES)
        return found | {name: rest_field(field, is_change=True) for name, field in all_options().items()}


class MakingSerializer(serializers.ModelSerializer[RunMaking]):
    """How far the making of a run is; `run` is the run's id once it is stored."""

    recipe = serializers.CharField(source="parameters.recipe")
    settings = serializers.JSONField(source="parameters.settings")

    class Meta:
        model = RunMaking
        fields = (
            *("id", "name", "recipe", "settings", "recipe_hash", "state", "done", "total", "step", "reason"),
            *("run", "requested_at", "finished_at"),
        )


class RunDetailSerializer(serializers.ModelSerializer[RetrievalRun]):
    """A run with all that is known of how it was made; `metadata` are the lines of its ir_metadata."""

    made = serializers.JSONField(source="parameters")
    metadata = serializers.SerializerMethodField()

    class Meta:
        model = RetrievalRun
        fields = ("id", "name", "description", "created_at", "made", "metadata")

    def get_metadata(self, run: RetrievalRun) -> list[str]:
        return metadata_lines(run)


class RunList(InCollectionView):
    """Retrieval runs of a collection; they come in as imports of kind `runs`."""

    serializer_class = RunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[RetrievalRun]:
        return list_runs(self.collection)

    @extend_schema(operation_id="runs_list", responses=answers({200: RunSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List runs."""
        return self.listed()


class RunMakings(InCollectionView):
    """Runs that are made here."""

    serializer_class = MakingSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[RunMaking]:
        return self.collection.run_makings.all()

    @extend_schema(operation_id="run_makings_list", responses=answers({200: MakingSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the makings of runs, the oldest first."""
        return self.listed()

    @extend_schema(
        operation_id="run_makings_create",
        request=NewRunSerializer,
        responses=answers({202: MakingSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a background job make a run; follow it at its own address."""
        options = self.body(NewRunSerializer)
        name, recipe = options.pop("name"), recipe_named(options.pop("recipe"))
        job = request_run(
            by=self.person, at=timezone.now(), collection=self.collection, name=name, recipe=recipe, options=options
        )
        return Response(MakingSerializer(job).data, status=202)


class RunMakingDetail(InCollectionView):
    """The making of one run."""

    serializer_class = MakingSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "DELETE": MANAGE}

    def job(self) -> RunMaking:
        makings = RunMaking.objects.select_related("collection").filter(collection=self.collection)
        return get_object_or_404(makings, pk=self.kwargs["pk"])

    @extend_schema(operation_id="run_makings_read", responses=answers({200: MakingSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far the run is."""
        return Response(MakingSerializer(with_live_progress(self.job())).data)

    @extend_schema(operation_id="run_makings_cancel", responses=answers({202: MakingSerializer}, 409))
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Ask the making to stop; no run is stored."""
        job = self.job()
        cancel_job(by=self.person, at=timezone.now(), job=job)
        return Response(MakingSerializer(job).data, status=202)


class RunDetail(InCollectionView):
    """One run."""

    serializer_class = RunDetailSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="runs_read", responses=answers({200: RunDetailSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """Read how a run was made."""
        runs = self.collection.retrieval_runs.select_related("collection")
        return Response(RunDetailSerializer(get_object_or_404(runs, pk=pk)).data)

    delete = DELETE_RUN.method


class RunFileView(InCollectionView):
    """One run as a file."""

    content_negotiation_class = AnyType
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="runs_read_file",
        parameters=[OpenApiParameter("header", OpenApiTypes.BOOL, description="metadata in lines that begin with #")],
        responses=answers({(200, "text/plain"): OpenApiTypes.BINARY}),
    )
    def get(self, request: Request, slug: str, pk: int) -> StreamingHttpResponse:
        """The run in TREC's six columns."""
        run = get_object_or_404(self.collection.retrieval_runs.select_related("collection"), pk=pk)
        header = request.query_params.get("header", "").lower() in ("1", "true")
        return StreamingHttpResponse(run_pieces(run, header=header), content_type="text/plain; charset=utf-8")

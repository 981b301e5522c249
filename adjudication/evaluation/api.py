"""Evaluations through the API, in the words of the page and the command."""

from typing import Any, ClassVar, cast

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.evaluation import search_sheets
from adjudication.evaluation.forms import SampleForm
from adjudication.evaluation.operations import (
    REQUEST_EVALUATION,
    EvaluationSerializer,
)
from adjudication.evaluation.presets.standing import why_stale
from adjudication.evaluation.requests import import_sheet
from adjudication.evaluation.rules import check_can_sample, check_can_see
from adjudication.evaluation.search_sheets import sheet_lines
from adjudication.evaluation.spec import EvaluationSpec
from adjudication.models import Evaluation
from corpus.collections.api.base import AnyType, InCollectionView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role


class EvaluationResultSerializer(EvaluationSerializer):
    result = serializers.SerializerMethodField(help_text="the figures; null until it is done")
    stale = serializers.SerializerMethodField(help_text="what has changed since it was measured; empty: current")

    def get_result(self, job: Evaluation) -> dict[str, Any] | None:
        return job.results.get("report") if job.results else None

    def get_stale(self, job: Evaluation) -> str:
        return why_stale(job)


class EvaluationList(InCollectionView):
    """Evaluations of runs."""

    serializer_class = EvaluationSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[Evaluation]:
        return Evaluation.objects.filter(collection=self.collection).defer("results")

    @extend_schema(operation_id="evaluations_list", responses=answers({200: EvaluationSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List evaluations, without their figures."""
        return self.listed()

    post = REQUEST_EVALUATION.method


class EvaluationReader(InCollectionView):
    """403 for who may not see what the gold gives away."""

    def evaluation(self, pk: int) -> Evaluation:
        job = get_object_or_404(Evaluation, collection=self.collection, pk=pk)
        check_can_see(self.membership, EvaluationSpec.from_json(job.parameters))
        return job


class EvaluationDetail(EvaluationReader):
    """One evaluation with its figures."""

    serializer_class = EvaluationResultSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="evaluations_read", responses=answers({200: EvaluationResultSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The evaluation, with its figures once it is done."""
        return Response(EvaluationResultSerializer(self.evaluation(pk)).data)


SAMPLE = [
    OpenApiParameter(name, int, default=usual, description=about)
    for name, usual, about in (
        ("questions", search_sheets.QUESTIONS, f"of each origin, at most {search_sheets.MOST_QUESTIONS:,}"),
        ("results", search_sheets.RESULTS, f"of each question, at most {search_sheets.MOST_RESULTS}"),
        ("seed", search_sheets.SEED, "the same seed draws the same questions"),
    )
]


class FilledSheetSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(max_length=100, help_text="of the run, such as that of the search engine")
    file = serializers.FileField(help_text="CSV with the columns topic, rank, docno and title")


class ReadSheetSerializer(serializers.Serializer[Any]):
    """The run is made by an import that is followed at its own address, `import_id`."""

    run = serializers.CharField()
    topics = serializers.IntegerField()
    outside = serializers.IntegerField(help_text="results that are not in the collection")
    unanswered = serializers.IntegerField(help_text="questions without a result")
    import_id = serializers.IntegerField()


class SampledView(InCollectionView):
    """Who may know which questions are kept."""

    def check_access(self, method: str) -> None:
        super().check_access(method)
        check_can_sample(self.collection, self.membership)


class EmptySheet(SampledView):
    """A sheet of sampled questions, to ask a search engine by hand."""

    content_negotiation_class = AnyType
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="search_sheets_read",
        parameters=SAMPLE,
        responses=answers({(200, "text/csv"): OpenApiTypes.BINARY}, 422),
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """The empty sheet as CSV: fill it with what the search engine finds."""
        form = SampleForm({each.name: request.query_params.get(each.name, each.default) for each in SAMPLE})
        if not form.is_valid():
            raise serializers.ValidationError(dict[str, Any](form.errors))
        lines = sheet_lines(self.collection, **form.cleaned_data)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")


class FilledSheetView(SampledView):
    """A filled sheet."""

    parser_classes = (MultiPartParser,)
    serializer_class = ReadSheetSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    @extend_schema(
        operation_id="search_sheets_fill",
        request={"multipart/form-data": FilledSheetSerializer},
        responses=answers({202: ReadSheetSerializer}, 409, 413, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a filled sheet imported as a run."""
        values = self.body(FilledSheetSerializer)
        who: dict[str, Any] = {"by": self.person, "at": timezone.now(), "name": values["name"]}
        file = cast(UploadedFile, values["file"])
        stream = cast(Any, file.file)
        sheet, run = import_sheet(collection=self.collection, file=file.name or "file", stream=stream, **who)
        counts = {"topics": len(sheet.rankings), "outside": sheet.outside, "unanswered": sheet.unanswered}
        return Response({"run": values["name"], **counts, "import_id": run.pk}, status=202)

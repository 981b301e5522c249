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

from accounts.models import JobState
from accounts.refusals import Refused
from accounts.schema import answers
from adjudication.evaluation.actions import import_sheet, judge_unjudged, request_evaluation
from adjudication.evaluation.forms import SampleForm
from adjudication.evaluation.presets.registry import find_preset
from adjudication.evaluation.presets.standing import why_stale
from adjudication.evaluation.reads import search_sheets
from adjudication.evaluation.reads.measured import reports_of
from adjudication.evaluation.reads.search_sheets import sheet_lines
from adjudication.evaluation.reads.spec import EMPTY_TOPICS, INTERVALS, MEASURES, TOPICS, UNJUDGED, EvaluationSpec
from adjudication.evaluation.reads.unjudged import DEPTHS
from adjudication.evaluation.rules import check_can_sample, check_can_see
from adjudication.exporting.exporter import find_campaign
from adjudication.models import Evaluation
from annotation.campaigns.api.settings import number_field
from corpus.collections.api.base import AnyType, InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role
from engines.definitions.settings import RESAMPLES, SEED

WORD: dict[str, Any] = {"required": False, "allow_blank": True, "default": "", "max_length": 300}


class PresetField(serializers.CharField):
    """The name of a paper's table; those of other packages as well, so it is looked up when it is asked for."""

    def to_internal_value(self, data: Any) -> str:
        name = super().to_internal_value(data)
        if name:
            find_preset(name)
        return name


class NewEvaluationSerializer(serializers.Serializer[Any]):
    """What to measure against what."""

    gold = serializers.CharField(**WORD, help_text="such as campaign:main, targets, contexts:paragraph, annotator:Ana")
    runs = serializers.ListField(child=serializers.CharField(max_length=100), max_length=200, default=list)
    measures = serializers.ListField(child=serializers.CharField(max_length=60), max_length=60, default=list(MEASURES))
    by = serializers.ListField(child=serializers.CharField(max_length=60), max_length=4, default=list)
    baseline = serializers.CharField(**WORD, help_text="the run that the others are tested against")
    against = serializers.CharField(**WORD, help_text="a second gold: how alike it orders the runs")
    preset = PresetField(default="", allow_blank=True, help_text="a paper's table; brings gold, measures and subsets")
    unjudged = serializers.ChoiceField(UNJUDGED, default=UNJUDGED[0])
    topics = serializers.ChoiceField(
        TOPICS, default=TOPICS[0], help_text="all, those with a relevant document, or those that every run ranks"
    )
    empty_topics = serializers.ChoiceField(
        EMPTY_TOPICS,
        default=EMPTY_TOPICS[0],
        help_text="topics without a relevant document: left out of means, or 0 as in trec_eval's mean",
    )
    random = serializers.BooleanField(default=False, help_text="a row of shuffled pools")
    sensitivity = serializers.BooleanField(default=False, help_text="the pools without what each method alone brought")
    interval = serializers.ChoiceField(INTERVALS, default=INTERVALS[0], help_text="auto goes by the number of topics")
    resamples = number_field(RESAMPLES)
    seed = number_field(SEED, default=1)


class EvaluationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField()
    parameters = serializers.DictField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class EvaluationResultSerializer(EvaluationSerializer):
    result = serializers.SerializerMethodField(help_text="the figures; null until it is done")
    stale = serializers.SerializerMethodField(help_text="what has changed since it was measured; empty: of today")

    def get_result(self, job: Evaluation) -> dict[str, Any] | None:
        return job.results.get("report") if job.results else None

    def get_stale(self, job: Evaluation) -> str:
        return why_stale(job)


class EvaluationList(InCollectionView):
    """Evaluations of runs."""

    serializer_class = EvaluationSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": (Role.MANAGER, Role.ADJUDICATOR)}

    def get_queryset(self) -> QuerySet[Evaluation]:
        return Evaluation.objects.filter(collection=self.collection).defer("results")

    @extend_schema(operation_id="evaluations_list", responses=answers({200: EvaluationSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str) -> Response:
        """List evaluations, without their figures."""
        return self.listed()

    @extend_schema(
        operation_id="evaluations_create",
        request=NewEvaluationSerializer,
        responses=answers({202: EvaluationSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have runs measured by a background job."""
        spec = EvaluationSpec.from_json(self.body(NewEvaluationSerializer))
        job = request_evaluation(collection=self.collection, spec=spec, by=self.person, at=timezone.now())
        return Response(EvaluationSerializer(job).data, status=202)


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

    @extend_schema(operation_id="evaluations_read", responses=answers({200: EvaluationResultSerializer}, 403, 404))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """The evaluation, with its figures once it is done."""
        return Response(EvaluationResultSerializer(self.evaluation(pk)).data)


class NewJudgingSerializer(serializers.Serializer[Any]):
    """Which unjudged documents are to be judged, and in which campaign."""

    depth = serializers.IntegerField(min_value=1, max_value=DEPTHS[-1], default=DEPTHS[1])
    topics = serializers.ListField(
        child=serializers.CharField(max_length=150), required=False, help_text="their numbers; all of the gold without"
    )
    campaign = serializers.CharField(**WORD, help_text="short name of the campaign that gets the items")
    name = serializers.CharField(**WORD, help_text="name of a new draft, where no campaign is given")


class JudgingSerializer(serializers.Serializer[Any]):
    campaign = serializers.CharField(help_text="short name")
    documents = serializers.IntegerField()
    pooled = serializers.IntegerField(help_text="of the documents, those that no pool had")
    items = serializers.IntegerField()
    absent = serializers.IntegerField(help_text="unjudged documents that the collection does not have")


class EvaluationJudging(EvaluationReader):
    """Having the documents judged that the gold does not know."""

    serializer_class = JudgingSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": (Role.MANAGER,)}

    @extend_schema(
        operation_id="evaluations_judge",
        request=NewJudgingSerializer,
        responses=answers({201: JudgingSerializer}, 400, 403, 404, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Make items of the documents that the evaluated runs rank high and the gold does not know."""
        job, values = self.evaluation(pk), self.body(NewJudgingSerializer)
        if not (values["campaign"] or values["name"].strip()):
            raise Refused("Say which campaign gets the items, or give a new draft a name.")
        report = reports_of(job)[0] if job.results else {}
        done = judge_unjudged(
            collection=self.collection,
            gold=str(report.get("gold") or job.parameters["gold"]),
            runs=job.parameters["runs"],
            depth=values["depth"],
            topics=values.get("topics"),
            campaign=find_campaign(self.collection, values["campaign"]) if values["campaign"] else None,
            name=values["name"],
            by=self.person,
            at=timezone.now(),
        )
        return Response(done.to_json(), status=201)


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
        responses=answers({(200, "text/csv"): OpenApiTypes.BINARY}, 400, 403, 422),
    )
    def get(self, request: Request, slug: str) -> StreamingHttpResponse:
        """The empty sheet as CSV: fill it with what the search engine finds."""
        form = SampleForm({each.name: request.query_params.get(each.name, each.default) for each in SAMPLE})
        if not form.is_valid():
            raise serializers.ValidationError(dict[str, Any](form.errors))
        lines = sheet_lines(self.collection, **form.cleaned_data)
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")


class FilledSheet(SampledView):
    """A filled sheet."""

    parser_classes = (MultiPartParser,)
    serializer_class = ReadSheetSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": (Role.MANAGER,)}

    @extend_schema(
        operation_id="search_sheets_fill",
        request={"multipart/form-data": FilledSheetSerializer},
        responses=answers({202: ReadSheetSerializer}, 400, 403, 409, 413, 415, 422),
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

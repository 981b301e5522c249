"""Runs that asked a language model for questions: how they are, what they gave, and other cut-offs for them."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import JobState
from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.imports.api import MANAGE
from corpus.models import OverlapDefinition, QuestionRun, Role
from corpus.questions.actions.generation import continue_questions, request_questions
from corpus.questions.actions.questions import change_cutoffs, filter_with
from corpus.questions.forms.generation import LARGEST_SEED, MOST_SAMPLED
from corpus.questions.reads.generation import run_as_json, run_figures
from corpus.questions.reads.mentions import SOURCES, MentionFilter

CUTOFF_HELP = "a share from 0 to 1; null for no filter; left out with another definition, the one that belongs to it"


class QuestionRunSerializer(serializers.ModelSerializer[QuestionRun]):
    """A run with the filter that its questions went through."""

    template = serializers.CharField(source="template.sha256", help_text="SHA-256 of the prompt")
    state = serializers.ChoiceField(JobState.choices)

    class Meta:
        model = QuestionRun
        fields = (
            *("id", "state", "reason", "done", "total", "requested_at", "finished_at", "model", "template", "seed"),
            *("parameters", "overlap_definition", "cutoff_inside", "cutoff_outside"),
        )


class SourceSerializer(serializers.Serializer[Any]):
    """Questions of one source. The percentage is of those that could be kept: no repeats, no unknown keys."""

    source = serializers.CharField()  # type: ignore[assignment] # fields are taken off the class
    questions = serializers.IntegerField()
    keepable = serializers.IntegerField()
    kept = serializers.IntegerField()
    filtered = serializers.IntegerField()
    filtered_percent = serializers.FloatField(allow_null=True)


class CountsSerializer(serializers.Serializer[Any]):
    mentions = serializers.IntegerField()
    questions = serializers.IntegerField()
    outcomes = serializers.DictField(child=serializers.IntegerField())
    states = serializers.DictField(child=serializers.IntegerField())
    sources = SourceSerializer(many=True)


class QuestionRunDetailSerializer(QuestionRunSerializer):
    """A run with all counts of its answers (`outcomes`) and questions (`states`)."""

    counts = serializers.SerializerMethodField()

    class Meta(QuestionRunSerializer.Meta):
        fields = (*QuestionRunSerializer.Meta.fields, "counts")  # type: ignore[assignment] # one more

    @extend_schema_field(CountsSerializer)
    def get_counts(self, run: QuestionRun) -> dict[str, Any]:
        return dict(CountsSerializer(run_as_json(run, run_figures(run.collection, run))).data)


class FilterSerializer(serializers.Serializer[Any]):
    """How questions are filtered by the overlap of their words with the titles of their targets."""

    overlap_definition = serializers.ChoiceField(OverlapDefinition.choices, required=False)
    cutoff_inside = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True, help_text=CUTOFF_HELP
    )
    cutoff_outside = serializers.FloatField(
        min_value=0, max_value=1, required=False, allow_null=True, help_text=CUTOFF_HELP
    )


class CutoffsSerializer(FilterSerializer):
    """What to change; what is left out stays."""

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if not attrs:
            raise serializers.ValidationError(f"Give at least one of {', '.join(self.fields)}.")
        return attrs


class NewQuestionRunSerializer(FilterSerializer):
    """Which mentions to ask about, as `manage.py generate_questions` has it, and how their questions are filtered."""

    source = serializers.ChoiceField(  # type: ignore[assignment] # fields are taken off the class
        SOURCES, required=False, help_text="source papers inside or outside only"
    )
    words = serializers.CharField(max_length=300, default="", help_text="only paragraphs with these words")
    sample = serializers.IntegerField(min_value=0, max_value=MOST_SAMPLED, default=0, help_text="0: all")
    seed = serializers.IntegerField(min_value=0, max_value=LARGEST_SEED, default=0)
    again = serializers.BooleanField(default=False, help_text="also mentions that were asked about before")


class ContinuationSerializer(serializers.Serializer[Any]):
    ask_again = serializers.BooleanField(
        default=False, help_text="ask again also where the kept answer could not be read, was a refusal or was cut off"
    )


class RefilteredSerializer(serializers.Serializer[Any]):
    """Questions that became topics, that no longer are, and that stay because a campaign has them."""

    kept = serializers.IntegerField()
    filtered = serializers.IntegerField()
    held = serializers.IntegerField()


class QuestionRunList(InCollectionView):
    """Runs that asked for questions."""

    serializer_class = QuestionRunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[QuestionRun]:
        return self.collection.question_runs.select_related("template")

    @extend_schema(operation_id="question_runs_list", responses=answers({200: QuestionRunSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str) -> Response:
        """List the runs that asked a language model for questions, the oldest first."""
        return self.listed()

    @extend_schema(
        operation_id="question_runs_create",
        request=NewQuestionRunSerializer,
        responses=answers({202: QuestionRunSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a background job ask the language model about mentions; follow it at its own address."""
        asked = self.body(NewQuestionRunSerializer)
        criteria = MentionFilter(
            source=asked.pop("source", ""),
            used="" if asked.pop("again") else "no",
            text=asked.pop("words"),
            sample=asked.pop("sample"),
            seed=asked.pop("seed"),
        )
        run = request_questions(
            by=self.person, at=timezone.now(), collection=self.collection, criteria=criteria, **asked
        )
        return Response(QuestionRunSerializer(run).data, status=202)


class QuestionRunView(InCollectionView):
    """404 where the collection has no such run."""

    def run(self) -> QuestionRun:
        runs = QuestionRun.objects.select_related("collection", "template").filter(collection=self.collection)
        return get_object_or_404(runs, pk=self.kwargs["pk"])


class QuestionRunDetail(QuestionRunView):
    """One run."""

    serializer_class = QuestionRunDetailSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "PATCH": MANAGE}

    @extend_schema(operation_id="question_runs_read", responses=answers({200: QuestionRunDetailSerializer}, 403, 404))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far the run is, and all counts of its answers and questions."""
        return Response(QuestionRunDetailSerializer(self.run()).data)

    @extend_schema(
        operation_id="question_runs_change_cutoffs",
        request=CutoffsSerializer,
        responses=answers({200: RefilteredSerializer}, 400, 403, 404, 409, 415, 422),
    )
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Filter its questions again by other cut-offs or another definition of overlap; nothing is asked."""
        run, given = self.run(), self.body(CutoffsSerializer)
        changed = change_cutoffs(by=self.person, at=timezone.now(), run=run, **filter_with(run, given))
        return Response(RefilteredSerializer(changed).data)


class QuestionRunContinuation(QuestionRunView):
    """An ended run goes on."""

    serializer_class = QuestionRunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"POST": MANAGE}

    @extend_schema(
        operation_id="question_runs_continue",
        request=ContinuationSerializer,
        responses=answers({202: QuestionRunSerializer}, 400, 403, 404, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Ask what has no answer yet. What is answered is not asked for again, unless it is asked to be."""
        again = self.body(ContinuationSerializer)["ask_again"]
        run = continue_questions(by=self.person, at=timezone.now(), run=self.run(), again=again)
        return Response(QuestionRunSerializer(run).data, status=202)

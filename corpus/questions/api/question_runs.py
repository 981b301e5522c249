"""Runs that asked a language model for questions: how they are, what they gave, and other cut-offs for them."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_fields import dry_run_field, rest_field
from accounts.rest_records import serializer_of
from accounts.schema import answers
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import QuestionRun, Role
from corpus.questions.decisions import FilteredAgain
from corpus.questions.forms.generation import CutoffsForm, GenerationForm
from corpus.questions.generation import generate_questions, preview_questions
from corpus.questions.operations import (
    CHANGE_CUTOFFS,
    FilteredAgainSerializer,
    QuestionRunSerializer,
)
from corpus.questions.question_runs import Estimate, SourceFigures, run_figures, used_of_again

SourceSerializer = serializer_of(
    SourceFigures,
    "Source",
    about="Questions of one source. The percentage is of those that could be kept: no repeats, no unknown keys.",
    filtered_percent=serializers.FloatField(allow_null=True),
)


class Counted(serializers.DictField):
    """{value: how many}, of rows (value, label, how many)."""

    child = serializers.IntegerField()

    def to_representation(self, value: Any) -> dict[str, int]:
        return {each: count for each, _, count in value}


class CountsSerializer(serializers.Serializer[Any]):
    mentions = serializers.IntegerField(source="asked")
    questions = serializers.IntegerField()
    outcomes = Counted()
    states = Counted()
    sources = SourceSerializer(many=True)


class QuestionRunDetailSerializer(QuestionRunSerializer):
    """A run with all counts of its answers (`outcomes`) and questions (`states`)."""

    counts = serializers.SerializerMethodField()

    class Meta(QuestionRunSerializer.Meta):
        fields = (*QuestionRunSerializer.Meta.fields, "counts")  # type: ignore[assignment] # one more

    @extend_schema_field(CountsSerializer)
    def get_counts(self, run: QuestionRun) -> dict[str, Any]:
        return dict(CountsSerializer(run_figures(run.collection, run)).data)


class NewQuestionRunSerializer(serializers.Serializer[Any]):
    """Which mentions to ask about, with which prompt, and how their questions are filtered.

    `used` says what is done about mentions that were asked about before. With “stored” nothing is asked: the runs that
    asked about these mentions are filtered again, each as a whole.
    """

    former: ClassVar[dict[str, str]] = {"again": "used"}

    def get_fields(self) -> dict[str, Any]:
        found = {name: rest_field(each, each.initial) for name, each in GenerationForm.base_fields.items()}
        return found | {"dry_run": dry_run_field()}

    def to_internal_value(self, data: Any) -> Any:
        """True and false are what `again` was called with in version 0.1."""
        again = str(data.get("used")).lower() if isinstance(data, Mapping) else ""
        if again in ("true", "false"):
            data = data.copy()
            with_cutoffs = any(name in data for name in CutoffsForm.base_fields)
            data["used"] = used_of_again(again=again == "true", with_cutoffs=with_cutoffs)
        return super().to_internal_value(data)


QuestionEstimateSerializer = serializer_of(Estimate, "QuestionEstimate", outside=serializers.IntegerField())


ANSWERED_AT_ONCE = PolymorphicProxySerializer(
    component_name="QuestionsAnsweredAtOnce",
    serializers=[QuestionEstimateSerializer, FilteredAgainSerializer],
    resource_type_field_name=None,
)


def as_json(done: Estimate | FilteredAgain) -> dict[str, Any]:
    """What was answered at once, also by the command."""
    return (FilteredAgainSerializer if isinstance(done, FilteredAgain) else QuestionEstimateSerializer)(done).data


class QuestionRunList(InCollectionView):
    """Runs that asked for questions."""

    serializer_class = QuestionRunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[QuestionRun]:
        return self.collection.question_runs.select_related("template")

    @extend_schema(operation_id="question_runs_list", responses=answers({200: QuestionRunSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the runs that asked a language model for questions, the oldest first."""
        return self.listed()

    @extend_schema(
        operation_id="question_runs_create",
        request=NewQuestionRunSerializer,
        responses=answers({200: ANSWERED_AT_ONCE, 202: QuestionRunSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Have a background job ask the language model about mentions; follow it at its own address.

        With `dry_run`, only report what it would take (200). With `used` “stored”, filter stored answers again (200).
        """
        given = self.body(NewQuestionRunSerializer)
        is_dry = given.pop("dry_run")
        form = GenerationForm.of(given, self.collection)
        if not form.is_valid():
            raise serializers.ValidationError(dict[str, Any](form.errors))
        act = preview_questions if is_dry else generate_questions
        done = act(by=self.person, at=timezone.now(), collection=self.collection, **form.arguments)
        if isinstance(done, QuestionRun):
            return Response(QuestionRunSerializer(done).data, status=202)
        return Response(as_json(done))


class QuestionRunDetail(InCollectionView):
    """One run."""

    serializer_class = QuestionRunDetailSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="question_runs_read", responses=answers({200: QuestionRunDetailSerializer}))
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """How far the run is, and all counts of its answers and questions."""
        run = get_object_or_404(self.collection.question_runs.select_related("collection", "template"), pk=pk)
        return Response(QuestionRunDetailSerializer(run).data)

    patch = CHANGE_CUTOFFS.method

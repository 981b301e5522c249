"""The figures of a question set through the API, as `litmus collection_stats --json` prints them."""

from typing import Any, ClassVar

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.questions.question_statistics import question_figures
from adjudication.questions.rating import campaigns_rating, find_rating
from annotation.labelling.rules import check_can_read_labels_of
from corpus.collections.api.base import InCollectionView
from corpus.collections.rules import OVERSEERS
from corpus.models import Role


class QualitySerializer(serializers.Serializer[Any]):
    """Questions with a quality, kept or not; `levels`: the columns of `table` for each level, the highest first."""

    judged = serializers.IntegerField()
    not_judged = serializers.IntegerField()
    levels = serializers.DictField()
    sources = serializers.DictField(help_text="the same for each source, where there are several")


class QuestionFiguresSerializer(serializers.Serializer[Any]):
    """What is undefined is left out."""

    notes = serializers.ListField(child=serializers.CharField(), required=False)
    examined = serializers.IntegerField(required=False)
    examined_unknown = serializers.CharField(required=False, help_text="why it is not known how many were examined")
    kept = serializers.IntegerField()
    undecided = serializers.IntegerField()
    overlap_definition = serializers.CharField()
    sources = serializers.DictField(help_text="examined, where that is known, and kept questions of each source")
    quality = QualitySerializer(required=False)
    table = serializers.DictField(help_text="kept questions by source and level")


class QuestionSetFigures(InCollectionView):
    """Figures of the question set."""

    serializer_class = QuestionFiguresSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(
        operation_id="question_set_read",
        parameters=[OpenApiParameter("campaign", OpenApiTypes.STR, description="as this rubric campaign rated it")],
        responses=answers({200: QuestionFiguresSerializer}, 422),
    )
    def get(self, request: Request, slug: str) -> Response:
        """Count the questions of the question set: kept by source and level, and all by quality.

        403 for people who still have to rate in one of its campaigns.
        """
        chosen = request.GET.get("campaign", "")
        campaign = find_rating(self.collection, chosen) if chosen else None
        check_can_read_labels_of(campaigns_rating(self.collection, campaign), self.person)
        return Response(question_figures(self.collection, chosen))

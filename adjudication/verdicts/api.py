"""Relevance from verdicts: each topic, and its documents ranked over the topic, an aspect or a sub-query."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from adjudication.agreement.api import InReadableView, OverrideSerializer
from adjudication.exporting.forms import ASPECTS, EVERY, JUDGED
from adjudication.labels.counts import fetch_vote_standing, overrides_in_verdicts, votes_note
from adjudication.labels.relevance import QueryPart, parts_of, rank_documents, relevance_note, shown_relevance
from adjudication.verdicts.corrections import STATES, find_labels
from adjudication.verdicts.operations import (
    CORRECT_MACHINE_LABEL,
)
from adjudication.verdicts.pages.corrections import filter_of
from annotation.labelling.api.judgments import OVERRIDDEN
from annotation.models import Criterion, Judgment
from corpus.collections.rules import OVERSEERS
from corpus.models import Role

CRITERION = OpenApiParameter("criterion", OpenApiTypes.STR, description="key; without one, the campaign's first")

ASPECTS_ASKED = OpenApiParameter(
    "aspects", OpenApiTypes.STR, enum=list(ASPECTS), description="“judged”: score over judged aspects only"
)
LABEL_FILTERS = [
    OpenApiParameter("value", OpenApiTypes.INT, description="what the machine said"),
    OpenApiParameter("topic", OpenApiTypes.INT, description="id of the topic"),
    OpenApiParameter("machine", OpenApiTypes.INT, description="id of the annotator"),
    OpenApiParameter("split", OpenApiTypes.BOOL, description="only where machines differ"),
    OpenApiParameter("under", OpenApiTypes.INT, description="whose verdict is less probable than this, in percent"),
    OpenApiParameter("state", OpenApiTypes.STR, enum=list(STATES), description="open: neither corrected nor accepted"),
]


class TopicRelevanceSerializer(serializers.Serializer[Any]):
    """`things` are the topic's distinct aspects and sub-aspects, of which `judged` have a value on some document.

    `complete` documents have a value on each of them, or on any where `aspects=judged` was asked for. A document is
    relevant where the mean over them is 1 or more; `best` is the highest sum, null without one.
    """

    topic = serializers.CharField(source="number")
    things = serializers.IntegerField()
    judged = serializers.IntegerField()
    documents = serializers.IntegerField()
    complete = serializers.IntegerField()
    relevant = serializers.IntegerField()
    best = serializers.IntegerField(allow_null=True)
    counted_at = serializers.SerializerMethodField(
        help_text="when this was counted, for campaigns too large to be added up at once; null: now"
    )
    overridden_cycles = serializers.SerializerMethodField(help_text=OVERRIDDEN)
    stale = serializers.SerializerMethodField(help_text="what has changed since; empty: it is current")

    def get_counted_at(self, _topic: Any) -> datetime | None:
        counted_at: datetime | None = self.context["counted_at"]
        return counted_at

    def get_overridden_cycles(self, _topic: Any) -> list[int]:
        return list(self.context["overridden_cycles"])

    def get_stale(self, _topic: Any) -> str:
        return str(self.context["stale"])


class RankedSerializer(serializers.Serializer[Any]):
    """`rank` and `mean` are null while one of the `things` has no value; equal means share a rank.

    With `aspects=judged` they stand on the `valued` ones.
    """

    docno = serializers.CharField()
    rank = serializers.IntegerField(allow_null=True)
    sum = serializers.IntegerField(source="total")
    mean = serializers.FloatField(allow_null=True)
    valued = serializers.IntegerField()
    things = serializers.IntegerField()
    relevant = serializers.BooleanField(source="is_relevant")


PartSerializer = serializer_of(QueryPart, "Part", about="", without=("aspects",))


class RankingSerializer(serializers.Serializer[Any]):
    """`parts` are what can be asked for as `part`: the whole topic, each aspect, each sub-query."""

    topic = serializers.CharField()
    part = serializers.CharField(allow_blank=True)
    parts = PartSerializer(many=True)
    machine_overrides = OverrideSerializer(many=True)
    stale = serializers.CharField(help_text="what has changed since the votes were counted; empty: nothing")
    documents = RankedSerializer(many=True)


class InRelevanceView(InReadableView):
    """404 where the campaign judges no documents, 403 for people who still have items to judge in it."""

    pagination_class = None  # type: ignore[assignment] # as long as the list of topics, or as one pool
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def criterion(self) -> Criterion:
        if "relevance" not in self.campaign.kind_object.tabs:
            raise Http404
        criteria = list(self.campaign.criteria.all())
        key = self.request.query_params.get("criterion", "")
        found = next((one for one in criteria if key in ("", one.key)), None)
        if found is None:
            raise Http404
        return found

    @property
    def judged_only(self) -> bool:
        return self.request.query_params.get("aspects", EVERY) == JUDGED


class RelevanceList(InRelevanceView):
    """What is relevant to each topic, from the verdicts there are."""

    serializer_class = TopicRelevanceSerializer

    @extend_schema(
        operation_id="relevance_list",
        parameters=[CRITERION, ASPECTS_ASKED],
        responses=answers({200: TopicRelevanceSerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List topics with how many of their documents are judged on everything, and relevant."""
        criterion = self.criterion()
        found, counted_at = shown_relevance(self.campaign, criterion, judged_only=self.judged_only)
        cycles = [each.cycle for each in overrides_in_verdicts(self.campaign)]
        notes = [votes_note(fetch_vote_standing(self.campaign)), relevance_note(self.campaign, counted_at)]
        context = {"overridden_cycles": cycles, "counted_at": counted_at, "stale": " ".join(filter(None, notes))}
        return Response(TopicRelevanceSerializer(found, many=True, context=context).data)


class RelevanceDetail(InRelevanceView):
    """One topic's documents by falling sum."""

    serializer_class = RankingSerializer

    @extend_schema(
        operation_id="relevance_read",
        parameters=[
            CRITERION,
            ASPECTS_ASKED,
            OpenApiParameter("part", OpenApiTypes.STR, description="a key of `parts`"),
        ],
        responses=answers({200: RankingSerializer}),
    )
    def get(self, request: Request, slug: str, campaign: str, number: str) -> Response:
        """Rank a topic's documents over the whole topic, one aspect or one sub-query, which inherits its judgments."""
        criterion = self.criterion()
        if "\0" in number:
            raise Http404
        topic = get_object_or_404(self.collection.topics, number=number)
        parts = parts_of(topic)
        part = next((each for each in parts if each.key == request.query_params.get("part", "")), None)
        if part is None:
            raise Http404
        documents = rank_documents(self.campaign, criterion, topic, part, judged_only=self.judged_only)
        body: dict[str, Any] = {"topic": topic.number, "part": part.key, "parts": [asdict(each) for each in parts]}
        body["machine_overrides"] = [each.as_json() for each in overrides_in_verdicts(self.campaign)]
        body["stale"] = votes_note(fetch_vote_standing(self.campaign))
        return Response({**body, "documents": RankedSerializer(documents, many=True).data})


class MachineLabelSerializer(serializers.ModelSerializer[Judgment]):
    label = serializers.IntegerField(source="pk")  # type: ignore[assignment]
    item = serializers.IntegerField(source="assignment.item_id")
    topic = serializers.CharField(source="assignment.item.topic.number")
    docno = serializers.CharField(source="assignment.item.document.docno", allow_null=True, default=None)
    criterion = serializers.CharField(source="criterion.key")
    machine = serializers.CharField(source="assignment.annotator.name")

    class Meta:
        model = Judgment
        fields = ("label", "item", "topic", "docno", "criterion", "machine", "value")


class MachineLabels(InReadableView):
    """Labels of machines, for people who correct them."""

    page = "machines"
    serializer_class = MachineLabelSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[Judgment]:
        key = self.request.query_params.get("criterion")
        criterion = self.campaign.criteria.filter(**({"key": key} if key else {})).first()
        if criterion is None:
            raise Http404
        found = find_labels(criterion, filter_of(self.request.query_params))
        return found.select_related("assignment__item__topic", "assignment__item__document")

    @extend_schema(
        operation_id="machine_labels_list",
        parameters=[CRITERION, *LABEL_FILTERS],
        responses=answers({200: MachineLabelSerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List labels of machines; without a filter those that nobody has corrected or accepted."""
        return self.listed()

    post = CORRECT_MACHINE_LABEL.method

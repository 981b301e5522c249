"""Agreement, votes and verdicts: read by overseers, asked for by managers and adjudicators."""

from datetime import datetime
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import F, QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.rest_records import serializer_of
from accounts.schema import answers
from adjudication.agreement.agreement_table import FORMS, tables_of
from adjudication.agreement.operations import (
    REQUEST_AGREEMENT,
    REQUEST_VOTE,
    OverrideSerializer,
    VoteSerializer,
)
from adjudication.agreement.results import as_json
from adjudication.agreement.standing import fetch_standing
from adjudication.labels.counts import fetch_vote_standing, overrides_in_verdicts, votes_note
from adjudication.labels.staleness import MOST_COUNTED
from adjudication.labels.too_few import too_few_votes
from adjudication.models import Method, Unknown, Verdict, VoteRun
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.seals import check_not_sealed
from annotation.labelling.api.judgments import OVERRIDDEN
from annotation.labelling.rules import check_can_read_labels
from annotation.models import Campaign
from corpus.collections.api.jobs import JobSerializer
from corpus.collections.rules import OVERSEERS
from corpus.models import Role
from engines.stats.results import Interval
from engines.stats.statistics import STATISTICS

ROLES: dict[str, tuple[Role, ...]] = {"GET": OVERSEERS}


class InReadableView(InCampaignView):
    """Also 403 while the campaign is a sealed test set, and for people who still have items to judge (ADR 11)."""

    @cached_property
    def campaign(self) -> Campaign:
        campaign = super().campaign
        check_not_sealed(campaign)
        check_can_read_labels(campaign, self.person)
        return campaign


IntervalSerializer = serializer_of(Interval, "Interval", seed=serializers.IntegerField(allow_null=True))


class StatisticField(serializers.ChoiceField):
    """A name of `STATISTICS`; a stored one whose package is missing is given as it is."""

    def __init__(self, **more: Any) -> None:
        super().__init__([(name, each.label) for name, each in STATISTICS.items()], **more)


class StatisticSerializer(serializers.Serializer[Any]):
    """A figure, or null and the reason why there is none."""

    criterion = serializers.CharField()
    statistic = StatisticField()
    scope = serializers.CharField()
    annotators = serializers.ListField(child=serializers.CharField())
    block = serializers.CharField(allow_null=True)
    value = serializers.FloatField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    n_items = serializers.IntegerField(allow_null=True)
    n_pairs = serializers.IntegerField(allow_null=True)
    ci = IntervalSerializer(allow_null=True)
    ci_reason = serializers.CharField(allow_null=True)
    p = serializers.FloatField(allow_null=True)
    model = serializers.CharField(allow_null=True, help_text="whose runs a block with G is about")
    flags = serializers.ListField(child=serializers.CharField(), help_text="e.g. leave_one_out, part_whole")


class FiguresSerializer(serializers.Serializer[Any]):
    statistics = StatisticSerializer(many=True)
    comparisons = serializers.ListField(child=serializers.DictField())
    confusion = serializers.ListField(child=serializers.DictField(), help_text="each pair's K x K counts")
    topics = serializers.ListField(child=serializers.DictField(), help_text="each topic's values and reasons")
    topics_people = serializers.ListField(
        child=serializers.DictField(), help_text="the same of people alone, where machines have judged too"
    )
    machine_overrides = OverrideSerializer(many=True)
    stale = serializers.CharField(help_text="what has changed since, in a sentence; empty: the figures are current")
    self_consistency = serializers.ListField(child=serializers.DictField(), help_text="answers to hidden repeats")
    seconds = serializers.FloatField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    parameters = serializers.DictField()
    snapshot = serializers.IntegerField(allow_null=True)
    inputs_hash = serializers.CharField()
    n_judgments = serializers.IntegerField()
    code_version = serializers.CharField()
    library_versions = serializers.DictField(child=serializers.CharField())


class AgreementSerializer(serializers.Serializer[Any]):
    """The newest finished figures (null before the first), and the newest job, which may still be running."""

    result = FiguresSerializer(allow_null=True)
    newer_answers = serializers.IntegerField(
        help_text="labels changed since, of people or of machines that have figures: stale when there are any. "
        f"Counting stops at {MOST_COUNTED:,}."
    )
    changed_verdicts = serializers.IntegerField(
        help_text="verdicts that have got another value since: figures with the verdict are stale, all others are not"
    )
    job = JobSerializer(allow_null=True)
    tables = serializers.DictField(
        child=serializers.CharField(),
        allow_null=True,
        help_text="{criterion: its table for a paper} in the form that `table` asks for; null without it",
    )


PROBABILITY = (
    "that the value is true by the model of Dawid and Skene (1979), from the labels of people alone; it assumes that"
    " they err independently of each other and of the item, and changes no value"
)


CHANGED_SINCE = OpenApiParameter(
    "changed_since",
    OpenApiTypes.DATETIME,
    description="Only verdicts whose value has changed at this moment or later, such as 2026-11-28T02:00:00Z.",
)


class VerdictSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    topic = serializers.CharField()
    aspect = serializers.CharField(allow_null=True)
    docno = serializers.CharField(allow_null=True)
    criterion = serializers.CharField(source="criterion_key")
    value = serializers.IntegerField(allow_null=True)
    method = serializers.ChoiceField(Method.choices)
    probability = serializers.FloatField(allow_null=True, help_text=PROBABILITY)
    probability_reason = serializers.ChoiceField(
        Unknown.choices,
        allow_blank=True,
        help_text="why it is null; empty: it is not, or the votes were counted by an older Litmus",
    )
    probability_at = serializers.DateTimeField(allow_null=True, help_text="when the votes were counted that it is from")
    cause = serializers.CharField()
    comment = serializers.CharField()
    decided_at = serializers.DateTimeField(allow_null=True)
    reopened_at = serializers.DateTimeField(allow_null=True)
    overridden_cycles = serializers.ListField(child=serializers.IntegerField(), help_text=OVERRIDDEN)
    stale = serializers.CharField(help_text="what has changed since the votes were counted; empty: nothing")


class AgreementView(InReadableView):
    """Agreement between the annotators of a campaign."""

    page = "agreement"
    serializer_class = AgreementSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = ROLES

    @extend_schema(
        operation_id="agreement_read",
        parameters=[OpenApiParameter("table", OpenApiTypes.STR, enum=list(FORMS))],
        responses=answers({200: AgreementSerializer}),
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """The newest figures, as `litmus agreement --json` prints them; with `table` also as `--format` prints them."""
        standing = fetch_standing(self.campaign)
        form = request.query_params.get("table")
        return Response(
            {
                "result": as_json(standing.run) if standing.run else None,
                "newer_answers": standing.newer,
                "changed_verdicts": standing.changed,
                "job": JobSerializer(standing.job).data if standing.job else None,
                "tables": tables_of(standing.run, form) if standing.run and form else None,
            }
        )

    post = REQUEST_AGREEMENT.method


class VoteList(InReadableView):
    """Majority votes."""

    page = "agreement"
    serializer_class = VoteSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = ROLES

    def get_queryset(self) -> QuerySet[VoteRun]:
        return VoteRun.objects.filter(campaign=self.campaign)

    def get_serializer_context(self) -> dict[str, Any]:
        standing = fetch_vote_standing(self.campaign)
        found = {"standing": standing, "too_few_votes": too_few_votes(standing.run)}
        return {**super().get_serializer_context(), **found}

    @extend_schema(operation_id="votes_list", responses=answers({200: VoteSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List votes with what came of them."""
        return self.listed()

    post = REQUEST_VOTE.method


class VerdictList(InReadableView):
    """The value each item has now."""

    page = "agreement"
    serializer_class = VerdictSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = ROLES

    def get_queryset(self) -> QuerySet[Any, Any]:
        found = Verdict.objects.filter(item__campaign=self.campaign)
        if since := self.request.query_params.get("changed_since"):
            found = found.filter(changed_at__gte=serializers.DateTimeField().run_validation(since))
        return found.values(
            "id",
            "value",
            "method",
            "probability",
            "probability_reason",
            "cause",
            "comment",
            "decided_at",
            "reopened_at",
            topic=F("item__topic__number"),
            aspect=F("item__aspect__text"),
            docno=F("item__document__docno"),
            criterion_key=F("criterion__key"),
        )

    @extend_schema(
        operation_id="verdicts_list",
        parameters=[CHANGED_SINCE],
        responses=answers({200: VerdictSerializer(many=True)}),
    )
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List verdicts."""
        page = self.paginate_queryset(self.get_queryset()) or []
        cycles = [each.cycle for each in overrides_in_verdicts(self.campaign)]
        standing = fetch_vote_standing(self.campaign)
        same = {"overridden_cycles": cycles, "stale": votes_note(standing)}
        counted_at = standing.run.finished_at if standing.run else None
        rows = [{**row, **same, "probability_at": _dated(row, counted_at)} for row in page]
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)


def _dated(row: dict[str, Any], counted_at: datetime | None) -> datetime | None:
    return None if row["probability"] is None else counted_at

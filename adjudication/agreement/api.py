"""Agreement, votes and verdicts: read by overseers, asked for by managers and adjudicators."""

from functools import cached_property
from typing import Any, ClassVar

from django.db.models import F, QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import JobState
from accounts.schema import answers
from adjudication.agreement.actions import request_agreement, request_vote
from adjudication.agreement.reads.agreement import as_json
from adjudication.agreement.reads.standing import fetch_standing
from adjudication.labels.reads.counts import fetch_vote_standing, overrides_in_verdicts, votes_note
from adjudication.labels.reads.staleness import MOST_COUNTED, Standing
from adjudication.labels.reads.too_few import TooFew, too_few_votes
from adjudication.models import Method, Verdict, Voters, VoteRun
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.api.settings import number_field
from annotation.campaigns.reads.overrides import overrides_in
from annotation.campaigns.rules.seals import check_not_sealed
from annotation.labelling.api.judgments import OVERRIDDEN
from annotation.labelling.rules.labels import check_can_read_labels
from annotation.models import Campaign
from corpus.collections.rules import OVERSEERS
from corpus.models import Role
from engines.definitions.settings import MIN_VOTES, RESAMPLES, SEED
from engines.stats.intervals import METHODS, UNITS
from engines.stats.policies import DEFAULT, offered_policies
from engines.stats.statistics import STATISTICS

DECIDE: tuple[Role, ...] = (Role.MANAGER, Role.ADJUDICATOR)
ROLES: dict[str, tuple[Role, ...]] = {"GET": OVERSEERS, "POST": DECIDE}


class InReadableView(InCampaignView):
    """Also 403 while the campaign is a sealed test set, and for people who still have items to judge (ADR 11)."""

    @cached_property
    def campaign(self) -> Campaign:
        campaign = super().campaign
        check_not_sealed(campaign)
        check_can_read_labels(campaign, self.person)
        return campaign


class JobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class IntervalSerializer(serializers.Serializer[Any]):
    low = serializers.FloatField()
    high = serializers.FloatField()
    level = serializers.FloatField()
    method = serializers.CharField()
    unit = serializers.CharField()
    resamples = serializers.IntegerField()
    seed = serializers.IntegerField(allow_null=True)
    n_undefined = serializers.IntegerField()


class StatisticField(serializers.ChoiceField):
    """A name of `STATISTICS`; a stored one whose package is missing is given as it is."""

    def __init__(self, **more: Any) -> None:
        super().__init__([(name, each.label) for name, each in STATISTICS.items()], **more)


class TiesField(serializers.ChoiceField):
    """A rule for ties that counts can be asked for by; a stored one whose package is missing is given as it is."""

    def __init__(self, **more: Any) -> None:
        super().__init__(offered_policies(), **more)


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


class OverrideSerializer(serializers.Serializer[Any]):
    """A machine that annotates although its test (Anno-GPT) was not passed: say so wherever its labels are used."""

    cycle = serializers.IntegerField()
    criterion = serializers.CharField()
    machine = serializers.CharField()
    annotators = serializers.ListField(child=serializers.CharField())
    margin = serializers.FloatField()
    table = serializers.ListField(child=serializers.CharField())
    reason = serializers.CharField()
    by = serializers.CharField()
    at = serializers.DateTimeField()
    text = serializers.CharField()


class FiguresSerializer(serializers.Serializer[Any]):
    statistics = StatisticSerializer(many=True)
    comparisons = serializers.ListField(child=serializers.DictField())
    confusion = serializers.ListField(child=serializers.DictField(), help_text="each pair's K x K counts")
    topics = serializers.ListField(child=serializers.DictField(), help_text="each topic's values and reasons")
    topics_people = serializers.ListField(
        child=serializers.DictField(), help_text="the same of people alone, where machines have judged too"
    )
    machine_overrides = OverrideSerializer(many=True)
    stale = serializers.CharField(help_text="what has changed since, in a sentence; empty: the figures are of today")
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


@extend_schema_field({"oneOf": [{"type": "number"}, {"type": "object", "additionalProperties": {"type": "number"}}]})
class MarginField(serializers.Field[Any, Any, Any, Any]):
    """A number, or an object {statistic: number}."""

    def to_internal_value(self, data: Any) -> float | dict[str, float]:
        numbers = data.values() if isinstance(data, dict) else [data]
        if not numbers or any(isinstance(each, bool) or not isinstance(each, int | float) for each in numbers):
            raise serializers.ValidationError("Give a number, or an object with a number for each statistic.")
        return data if isinstance(data, dict) else float(data)

    def to_representation(self, value: Any) -> Any:
        return value


class NewAgreementSerializer(serializers.Serializer[Any]):
    resamples = number_field(RESAMPLES)
    seed = number_field(SEED)
    interval = serializers.ChoiceField(["auto", *METHODS], default="auto")
    cluster = serializers.ChoiceField(
        ["auto", *UNITS], default="auto", help_text="what is resampled: items, or topics with all their items"
    )
    margin = MarginField(
        required=False,
        allow_null=True,
        help_text="equivalence margin of people against machine, for all statistics or by statistic; left out, that of"
        " the campaign's Anno-GPT cycle",
    )
    figures = serializers.BooleanField(default=True, help_text="draw the figures for papers as well")
    former: ClassVar[dict[str, str]] = {"unit": "cluster"}


class VoteSerializer(JobSerializer):
    ties = TiesField()
    min_votes = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    voters = serializers.CharField()
    stale = serializers.SerializerMethodField(help_text="what has changed since they were counted; empty: nothing")
    too_few_votes = serializers.SerializerMethodField(
        help_text="items that now have fewer votes than the newest count asks for; null of other counts"
    )
    advice = serializers.SerializerMethodField(help_text="what helps those items; empty: nothing to do")
    machine_overrides = serializers.SerializerMethodField()

    @extend_schema_field(OverrideSerializer(many=True))
    def get_machine_overrides(self, run: VoteRun) -> list[dict[str, Any]]:
        return [] if run.voters == Voters.HUMANS else [each.as_json() for each in overrides_in(run.campaign)]

    def get_too_few_votes(self, run: VoteRun) -> int | None:
        found = self._too_few_votes(run)
        return found.items if found else None

    def get_advice(self, run: VoteRun) -> str:
        return str(self._too_few_votes(run) or "")

    def _too_few_votes(self, run: VoteRun) -> TooFew | None:
        """None of a count that is not the newest finished one."""
        found: TooFew | None = self.context.get("too_few_votes")
        return found if found and found.run == run else None

    def get_stale(self, run: VoteRun) -> str:
        standing: Standing[VoteRun] | None = self.context.get("standing")
        if standing is None or standing.run is None or run.state != JobState.DONE:
            return ""
        return votes_note(standing) if run == standing.run else "Another count came later."


class NewVoteSerializer(serializers.Serializer[Any]):
    ties = TiesField(default=DEFAULT)
    min_votes = number_field(
        MIN_VOTES,
        help_text="an item with fewer stays undecided; left out: the overlap of the campaign, 1 of machines alone",
    )
    weighted = serializers.BooleanField(default=False)
    voters = serializers.ChoiceField(Voters.values, default=Voters.HUMANS.value)


class VerdictSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    topic = serializers.CharField()
    aspect = serializers.CharField(allow_null=True)
    docno = serializers.CharField(allow_null=True)
    criterion = serializers.CharField(source="criterion_key")
    value = serializers.IntegerField(allow_null=True)
    method = serializers.ChoiceField(Method.choices)
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

    @extend_schema(operation_id="agreement_read", responses=answers({200: AgreementSerializer}, 403))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """The newest figures, as `manage.py agreement --json` prints them."""
        standing = fetch_standing(self.campaign)
        return Response(
            {
                "result": as_json(standing.run) if standing.run else None,
                "newer_answers": standing.newer,
                "changed_verdicts": standing.changed,
                "job": JobSerializer(standing.job).data if standing.job else None,
            }
        )

    @extend_schema(
        operation_id="agreement_request",
        request=NewAgreementSerializer,
        responses=answers({202: JobSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Have all figures computed by a background job."""
        options = self.body(NewAgreementSerializer)
        job = request_agreement(campaign=self.campaign, by=self.person, at=timezone.now(), **options)
        return Response(JobSerializer(job).data, status=202)


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

    @extend_schema(operation_id="votes_list", responses=answers({200: VoteSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List votes with what came of them."""
        return self.listed()

    @extend_schema(
        operation_id="votes_request",
        request=NewVoteSerializer,
        responses=answers({202: VoteSerializer}, 400, 403, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Have the majority decide each item, by a background job. Decisions by hand stand."""
        run = request_vote(campaign=self.campaign, by=self.person, at=timezone.now(), **self.body(NewVoteSerializer))
        return Response(VoteSerializer(run).data, status=202)


class VerdictList(InReadableView):
    """The value each item has now."""

    page = "agreement"
    serializer_class = VerdictSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = ROLES

    def get_queryset(self) -> QuerySet[Any, Any]:
        return Verdict.objects.filter(item__campaign=self.campaign).values(
            "id",
            "value",
            "method",
            "cause",
            "comment",
            "decided_at",
            "reopened_at",
            topic=F("item__topic__number"),
            aspect=F("item__aspect__text"),
            docno=F("item__document__docno"),
            criterion_key=F("criterion__key"),
        )

    @extend_schema(operation_id="verdicts_list", responses=answers({200: VerdictSerializer(many=True)}, 403))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List verdicts."""
        page = self.paginate_queryset(self.get_queryset()) or []
        cycles = [each.cycle for each in overrides_in_verdicts(self.campaign)]
        stale = votes_note(fetch_vote_standing(self.campaign))
        rows = [{**row, "overridden_cycles": cycles, "stale": stale} for row in page]
        return self.get_paginated_response(self.get_serializer(rows, many=True).data)

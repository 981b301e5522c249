"""Machine annotators: runs requested, followed, stopped and continued; their replies word for word."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, ClassVar, cast

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_serializer
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.actions import cancel_job
from accounts.api import check_names
from accounts.jobs import with_live_progress
from accounts.models import JobState
from accounts.rest_records import serializer_of
from accounts.schema import answers
from annotation.campaigns.api.base import InCampaignView
from annotation.campaigns.api.settings import number_field
from annotation.campaigns.overrides import overrides_shown_to
from annotation.labelling.rules import check_can_read_replies
from annotation.machines.machines import RunCounts, count_replies, runs_of
from annotation.machines.recipes import ASKED, MachineOptions, estimate_machine
from annotation.machines.requests import continue_machine_run, request_machine_runs
from annotation.models import MachineKind, MachineReply, MachineRun, ReplyState, ReplyValue
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role
from corpus.questions.prompts import prompt_named
from engines.definitions.settings import CONCURRENCY, MACHINE_SEED, PER_MINUTE, RUNS, TOKENS, UNREADABLE
from engines.prompting.recipes import Estimate

RunCountsSerializer = serializer_of(
    RunCounts,
    "RunCounts",
    without=("errors", "spending"),
    failed=serializers.IntegerField(source="errors", help_text="Without an answer; continuing asks again"),
    cost=serializers.FloatField(
        source="spending.whole", allow_null=True, help_text="null while that of a reply is not known"
    ),
    cost_at_least=serializers.FloatField(
        source="spending.known", allow_null=True, help_text="of the replies whose cost is known"
    ),
)


class MachineRunSerializer(serializers.ModelSerializer[MachineRun]):
    annotator = serializers.CharField(source="annotator.name")
    machine = serializers.CharField(source="annotator.model", help_text="What all runs of one recipe share")
    members = serializers.SerializerMethodField(help_text="of a committee")
    criteria = serializers.SerializerMethodField(help_text="keys; several where one reply answers them all")
    prompt = serializers.SerializerMethodField()
    endpoint = serializers.SerializerMethodField()
    percent = serializers.IntegerField(allow_null=True)
    replies = serializers.SerializerMethodField()
    override = serializers.SerializerMethodField()

    class Meta:
        model = MachineRun
        fields = (
            "id",
            "annotator",
            "machine",
            "criteria",
            "members",
            "kind",
            "prompt",
            "endpoint",
            "recipe",
            "recipe_hash",
            "run_number",
            "seed",
            "state",
            "percent",
            "reason",
            "requested_at",
            "started_at",
            "finished_at",
            "replies",
            "override",
        )

    def get_override(self, run: MachineRun) -> str | None:
        """What must be printed with its labels where it annotates without a passed test (Anno-GPT)."""
        overrides = self.context.get("overrides")
        found = overrides_shown_to(self.context["user"], run.campaign) if overrides is None else overrides
        return next((each.text for each in found if run.annotator.name in each.annotators), None)

    def get_criteria(self, run: MachineRun) -> list[str]:
        return [each.key for each in run.criteria.all()]

    def get_members(self, run: MachineRun) -> list[str]:
        return [each.annotator.name for each in run.members.all()]

    def get_prompt(self, run: MachineRun) -> str | None:
        return run.prompt.named if run.prompt else None

    def get_endpoint(self, run: MachineRun) -> str | None:
        """The name of the model endpoint that was asked; null without one, and for runs before they had names."""
        return run.parameters.get("endpoint")

    @extend_schema_field(RunCountsSerializer)
    def get_replies(self, run: MachineRun) -> dict[str, Any]:
        counts_by_run = self.context.get("counts_by_run") or count_replies([run], run.campaign.items.count())
        return dict(RunCountsSerializer(counts_by_run[run.pk]).data)


# The fields of each kind of machine; a field of another kind would do nothing.
OF_ALL = ("kind", "criteria", "criterion", "runs", "dry_run")
OF_KIND = {
    MachineKind.ENDPOINT: (
        *("prompt", "endpoint", "model", "temperature", "max_tokens", "seed"),
        *("stop_after", "concurrency", "per_minute", "price_in", "price_out"),
    ),
    MachineKind.LEXICAL: ("thresholds",),
}


def price_field(words: str) -> serializers.DecimalField:
    """A price in whatever currency the operator counts in."""
    return serializers.DecimalField(max_digits=12, decimal_places=6, min_value=0, required=False, help_text=words)


@extend_schema_serializer(component_name="MachineOptions")
class MachineOptionsSerializer(serializers.Serializer[Any]):
    kind = serializers.ChoiceField(list(ASKED.items()), default=MachineKind.ENDPOINT)
    prompt = serializers.CharField(max_length=120, required=False, help_text="NAME or NAME@VERSION")
    endpoint = serializers.CharField(
        max_length=40,
        required=False,
        allow_blank=True,
        help_text="By its name; else the collection's first",
    )
    model = serializers.CharField(max_length=80, required=False, allow_blank=True)
    criteria = serializers.ListField(
        child=serializers.CharField(max_length=40), required=False, max_length=20, help_text="keys; the only one"
    )
    criterion = serializers.CharField(max_length=40, required=False, allow_blank=True, help_text="one of `criteria`")
    temperature = serializers.FloatField(min_value=0, max_value=2, default=0.0)
    max_tokens = number_field(TOKENS)
    seed = number_field(MACHINE_SEED)
    thresholds = serializers.ListField(child=serializers.FloatField(), required=False, max_length=20)
    runs = number_field(RUNS)
    stop_after = number_field(UNREADABLE)
    concurrency = number_field(CONCURRENCY)
    per_minute = number_field(PER_MINUTE)
    price_in = price_field("of a million tokens sent")
    price_out = price_field("of a million tokens received")
    dry_run = serializers.BooleanField(default=False, help_text="Only estimate, and start nothing")


EstimateSerializer = serializer_of(Estimate, "Estimate")


class RunStateSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField([(JobState.QUEUED.value, "go on")])


class StatedSerializer(serializers.ModelSerializer[ReplyValue]):
    """What a reply states of one criterion; `agreement`: the share of a committee's members that gave its answer."""

    criterion = serializers.CharField(source="criterion.key")

    class Meta:
        model = ReplyValue
        fields = ("criterion", "value", "problem", "agreement", "decided_at")


class ReplySerializer(serializers.ModelSerializer[MachineReply]):
    topic = serializers.CharField(source="item.topic.number")
    aspect = serializers.CharField(source="item.aspect.text", allow_null=True, default=None)
    docno = serializers.CharField(source="item.document.docno", allow_null=True, default=None)
    state = serializers.ChoiceField(ReplyState.choices)
    stated = StatedSerializer(many=True)

    class Meta:
        model = MachineReply
        fields = (
            "id",
            "topic",
            "aspect",
            "docno",
            "state",
            "stated",
            "problem",
            "text",
            "prompt_tokens",
            "completion_tokens",
            "seconds",
            "received_at",
        )


class MachineRunList(InCampaignView):
    """Runs of machine annotators over a campaign."""

    page = "machines"
    serializer_class = MachineRunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    def get_queryset(self) -> QuerySet[MachineRun]:
        return runs_of(self.campaign)

    @extend_schema(operation_id="machine_runs_list", responses=answers({200: MachineRunSerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str) -> Response:
        """List machine runs with their counts. Labels themselves are among the judgments."""
        runs = self.paginate_queryset(self.get_queryset()) or []
        counts_by_run = count_replies(runs, self.campaign.items.count())
        shown = [with_live_progress(run) for run in runs]
        context = {"counts_by_run": counts_by_run, "overrides": overrides_shown_to(self.person, self.campaign)}
        return self.get_paginated_response(MachineRunSerializer(shown, many=True, context=context).data)

    @extend_schema(
        operation_id="machine_runs_create",
        request=MachineOptionsSerializer,
        responses=answers({200: EstimateSerializer, 202: MachineRunSerializer(many=True)}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, campaign: str) -> Response:
        """Have a machine judge all items; with `dry_run`, only report what it would take (200, nothing is asked)."""
        values = self.body(MachineOptionsSerializer)
        check_names(cast(Iterable[str], request.data), (*OF_ALL, *OF_KIND[values["kind"]]), "field")
        dry_run, name = values.pop("dry_run"), values.pop("prompt", "")
        prompt = prompt_named(self.collection, name) if name else None
        one, tuples = values.pop("criterion", ""), ("thresholds", "criteria")
        values |= {name: tuple(values.get(name, ())) for name in tuples}
        values["criteria"] = values["criteria"] or ((one,) if one else ())
        options = MachineOptions(prompt=prompt, **values)
        if dry_run:
            _, estimate = estimate_machine(self.campaign, options)
            return Response(EstimateSerializer(asdict(estimate)).data)
        runs = request_machine_runs(campaign=self.campaign, by=self.person, at=timezone.now(), options=options)
        return Response(MachineRunSerializer(runs, many=True, context={"user": self.person}).data, status=202)


class MachineRunDetail(InCampaignView):
    """One run of a machine annotator."""

    page = "machines"
    serializer_class = MachineRunSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "PATCH": MANAGE, "DELETE": MANAGE}

    def run(self) -> MachineRun:
        return get_object_or_404(runs_of(self.campaign), pk=self.kwargs["pk"])

    @extend_schema(operation_id="machine_runs_read", responses=answers({200: MachineRunSerializer}))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """How far the run is, what it is, and what it cost."""
        return Response(MachineRunSerializer(with_live_progress(self.run()), context={"user": self.person}).data)

    @extend_schema(
        operation_id="machine_runs_continue",
        request=RunStateSerializer,
        responses=answers({202: MachineRunSerializer}, 409, 415, 422),
    )
    def patch(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Take the run up again (state `queued`): only items without a reply are asked for."""
        self.body(RunStateSerializer)
        continue_machine_run(run=self.run(), by=self.person, at=timezone.now())
        return Response(MachineRunSerializer(self.run(), context={"user": self.person}).data, status=202)

    @extend_schema(operation_id="machine_runs_cancel", responses=answers({202: MachineRunSerializer}, 409))
    def delete(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """Ask the run to stop; its replies are kept."""
        cancel_job(job=self.run(), by=self.person, at=timezone.now())
        return Response(MachineRunSerializer(self.run(), context={"user": self.person}).data, status=202)


class MachineReplyList(InCampaignView):
    """The replies of a machine, word for word."""

    page = "machines"
    serializer_class = ReplySerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    def get_queryset(self) -> QuerySet[MachineReply]:
        check_can_read_replies(self.campaign, self.person)
        run = get_object_or_404(MachineRun, pk=self.kwargs["pk"], campaign=self.campaign)
        return run.replies.select_related("item__topic", "item__aspect", "item__document").prefetch_related(
            "stated__criterion"
        )

    @extend_schema(operation_id="machine_replies_list", responses=answers({200: ReplySerializer(many=True)}))
    def get(self, request: Request, slug: str, campaign: str, pk: int) -> Response:
        """List the replies of a run: answered, invalid with the problem, or none."""
        return self.listed()

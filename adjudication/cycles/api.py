"""Anno-GPT through the API: the steps of the page and of `litmus anno_gpt`, in the same words."""

from typing import Any, ClassVar

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.schema import answers
from adjudication.cycles.cycles import campaigns_shown
from adjudication.cycles.details import CycleDetailsSerializer, CycleSerializer, cycle_details, cycles_with_names
from adjudication.cycles.steps import (
    request_test,
    run_frozen_machine,
    start_cycle,
)
from annotation.campaigns.api.settings import number_field
from annotation.labelling.rules import check_can_read_labels_of
from annotation.machines.api.runs import MachineRunSerializer
from annotation.models import AnnoCycle, Campaign
from corpus.collections.api.base import InCollectionView
from corpus.collections.api.jobs import JobSerializer
from corpus.collections.rules import MANAGE, OVERSEERS
from corpus.models import Role
from engines.definitions.settings import RUNS

WRITE: dict[str, tuple[Role, ...]] = {"POST": MANAGE}


class NewCycleSerializer(serializers.Serializer[Any]):
    dev = serializers.SlugField(max_length=80, help_text="short name of the development campaign")
    criterion = serializers.CharField(max_length=40)
    margin = serializers.FloatField(default=0.05, help_text="a share; 0.05 is five points")
    runs = number_field(RUNS, default=2)


class RunningSerializer(serializers.Serializer[Any]):
    campaign = serializers.SlugField(max_length=80, required=False, help_text="short name; left out: the test set")


class CycleList(InCollectionView):
    """Cycles of Anno-GPT."""

    serializer_class = CycleSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS, "POST": MANAGE}

    @extend_schema(operation_id="cycles_list", responses=answers({200: CycleSerializer(many=True)}))
    def get(self, request: Request, slug: str) -> Response:
        """List the cycles of Anno-GPT in the collection."""
        page = self.paginate_queryset(cycles_with_names(self.collection)) or []
        return self.get_paginated_response(CycleSerializer(page, many=True).data)

    @extend_schema(
        operation_id="cycles_start",
        request=NewCycleSerializer,
        responses=answers({201: CycleSerializer}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str) -> Response:
        """Begin a cycle on a development campaign; from now on labels of test campaigns are sealed."""
        values = self.body(NewCycleSerializer)
        dev = get_object_or_404(Campaign, collection=self.collection, slug=values.pop("dev"))
        cycle = start_cycle(collection=self.collection, by=self.person, at=timezone.now(), dev=dev, **values)
        return Response(CycleSerializer(cycle).data, status=201)


class InCycleView(InCollectionView):
    """404 where the collection has no such cycle."""

    serializer_class: type[serializers.BaseSerializer[Any]] = CycleSerializer
    roles: ClassVar[dict[str, tuple[Role, ...]]] = WRITE

    def cycle(self) -> AnnoCycle:
        return get_object_or_404(cycles_with_names(self.collection), number=self.kwargs["number"])


class CycleDetail(InCycleView):
    """One cycle."""

    roles: ClassVar[dict[str, tuple[Role, ...]]] = {"GET": OVERSEERS}

    @extend_schema(operation_id="cycles_read", responses=answers({200: CycleDetailsSerializer}))
    def get(self, request: Request, slug: str, number: int) -> Response:
        """The cycle with the machines tried on its development sets, and where its test stands.

        403 for people who still have items to judge in one of its campaigns: they see none of its figures.
        """
        cycle = self.cycle()
        check_can_read_labels_of(campaigns_shown(cycle), self.person)
        return Response(cycle_details(cycle))


class CycleRuns(InCycleView):
    """Runs of the frozen machine."""

    serializer_class = MachineRunSerializer

    @extend_schema(
        operation_id="cycles_run",
        request=RunningSerializer,
        responses=answers({202: MachineRunSerializer(many=True)}, 409, 415, 422),
    )
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Let the frozen machine judge the test set or, once decided, another campaign."""
        named = self.body(RunningSerializer).get("campaign")
        cycle, campaigns = self.cycle(), self.collection.campaigns.select_related("collection")
        target = get_object_or_404(campaigns, slug=named) if named else None
        runs = run_frozen_machine(cycle=cycle, by=self.person, at=timezone.now(), campaign=target)
        return Response(MachineRunSerializer(runs, many=True, context={"user": self.person}).data, status=202)


class CycleTest(InCycleView):
    """The test of a cycle."""

    serializer_class = JobSerializer

    @extend_schema(operation_id="cycles_test", request=None, responses=answers({202: JobSerializer}, 409, 422))
    def post(self, request: Request, slug: str, number: int) -> Response:
        """Compute the figures of the test, with the margin that was fixed when the cycle began."""
        job = request_test(cycle=self.cycle(), by=self.person, at=timezone.now())
        return Response(JobSerializer(job).data, status=202)

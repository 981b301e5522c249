"""Work in the background, whatever asked for it: how far it is."""

from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.job_kinds import job_kinds, kind_of
from accounts.jobs import with_live_progress
from accounts.models import Job, JobState
from accounts.schema import answers
from corpus.collections.api.base import ApiView


class JobSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class RunningJobSerializer(JobSerializer):
    """`done` of `total`, which is 0 until it is known, in the unit of its kind."""

    kind = serializers.SerializerMethodField()
    done = serializers.IntegerField()
    total = serializers.IntegerField()
    step = serializers.CharField()

    def get_kind(self, job: Job) -> str:
        return kind_of(job).key


class JobDetail(ApiView):
    """One job, of any kind."""

    serializer_class = RunningJobSerializer

    @extend_schema(operation_id="jobs_read", responses=answers({200: RunningJobSerializer}))
    def get(self, request: Request, kind: str, pk: int) -> Response:
        """How far a job is. The answer that started it names this address in its header `Location`."""
        if kind not in job_kinds():
            raise Http404
        job, _ = job_kinds()[kind].fetch(pk, self.person)
        return Response(RunningJobSerializer(with_live_progress(job)).data)

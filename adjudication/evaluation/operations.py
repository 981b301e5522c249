"""What can be done with evaluations, by page and REST: runs are measured, and what a gold does not know becomes items.
The commands `evaluate` and `judge_unjudged` are in commands.py."""

from dataclasses import replace
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from rest_framework import serializers

from accounts.counting import counted
from accounts.management.reporting import IN_COLLECTION
from accounts.models import JobState
from accounts.operations import Found, Operation, Place, Rest
from accounts.refusals import Refused
from accounts.rest_records import serializer_of
from adjudication.evaluation.forms import EvaluationForm, JudgingForm
from adjudication.evaluation.golds.registry import read_decided
from adjudication.evaluation.measured import Measured, reports_of
from adjudication.evaluation.pages.evaluations import can_be_measured, fetch_part, part_context
from adjudication.evaluation.requests import Judging, judge_unjudged, request_evaluation
from adjudication.evaluation.unjudged import DEPTHS, fetch_unjudged
from adjudication.models import Evaluation
from annotation.campaigns.campaigns import giving_out
from corpus.collections.collections import collection_with
from corpus.collections.places import in_collection
from corpus.collections.rules import DECIDE, MANAGE, check_role
from corpus.models import Collection

_collection = in_collection("evaluation", "evaluation_list", "collection")


def _on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str) -> Found:
    found = _collection.page(request, roles, slug)
    shown = {**found.shown, "has_runs": can_be_measured(found.target["collection"])}
    preset = request.GET.get("preset", "")
    return replace(found, form={**found.form, "is_page": True, "preset": preset}, shown=shown)


class EvaluationSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(source="pk")
    state = serializers.ChoiceField(JobState.choices)
    reason = serializers.CharField()
    parameters = serializers.DictField()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


JudgingSerializer = serializer_of(
    Judging, "Judging", about="", campaign=serializers.CharField(source="campaign.slug", help_text="short name")
)


REQUEST_EVALUATION = Operation(
    rest=Rest("evaluations_create", EvaluationSerializer, status=202, takes="NewEvaluation"),
    action=request_evaluation,
    form=EvaluationForm,
    place=replace(_collection, page=_on_page),
    roles=DECIDE,
    about="Have runs measured by a background job.",
    title="Evaluate runs",
    button="Evaluate",
    template="adjudication/evaluation/evaluation_create.html",
    report=lambda _: "The runs are being measured. This page shows how far it is.",
    goes_to=lambda job: reverse("evaluation_detail", args=[job.collection.slug, job.pk]),
    shows=lambda job: EvaluationSerializer(job).data,
)


def _part_on_page(request: HttpRequest, roles: tuple[Any, ...], slug: str, pk: int) -> Found:
    membership, job, part = fetch_part(request, slug, pk)
    check_role(membership, *roles)
    topics = request.GET.get("topics", "").split()
    if not set(topics) <= set(part.topics):
        raise Http404
    of_topics = f", topic {', '.join(topics)}" if topics else ""
    name = f"Unjudged documents of evaluation {job.pk}{of_topics}"
    initial = {"topics": " ".join(topics), "depth": request.GET.get("depth") or DEPTHS[1], "name": name[:100]}
    shown = {"topics": topics, "unjudged": partial(_unjudged, membership.collection, part, topics)}
    return Found(
        {"collection": membership.collection, "gold": str(part.report["gold"]), "runs": part.runs},
        {"collection": membership.collection, "initial": initial},
        part_context(membership, job, part) | shown,
    )


def _unjudged(collection: Collection, part: Measured, topics: list[str]) -> dict[str, Any]:
    """How many documents are unjudged, at each depth; or why they cannot be counted."""
    try:
        found = read_decided(collection, str(part.report["gold"]))
        return {"counts": fetch_unjudged(collection, found, part.runs, DEPTHS[-1], topics or None)[1]}
    except Refused as refusal:
        return {"refusal": refusal.reason}


def _first_part(job: Evaluation) -> Found:
    report = reports_of(job)[0] if job.results else {}
    gold = str(report.get("gold") or job.parameters["gold"])
    target = {"collection": job.collection, "gold": gold, "runs": job.parameters["runs"]}
    return Found(target, {"collection": job.collection})


def _report(done: Judging) -> str:
    added = f"{counted(done.items, 'item')} of {counted(done.documents, 'document')} added to {done.campaign}."
    text = f"{added} {giving_out(done.campaign, done.items)}"
    if done.absent:
        text += f" {counted(done.absent, 'more document is', 'more documents are')} not in the collection."
    return text


JUDGE_UNJUDGED = Operation(
    rest=Rest("evaluations_judge", JudgingSerializer, takes="NewJudging"),
    action=judge_unjudged,
    form=JudgingForm,
    place=Place(
        _part_on_page,
        rest=lambda view: _first_part(view.evaluation(view.kwargs["pk"])),
        command=lambda slug, pk: _first_part(Evaluation.objects.get(collection=collection_with(slug), pk=pk)),
        arguments=IN_COLLECTION | {"pk": "number of the evaluation"},
    ),
    roles=MANAGE,
    about="Make items of the documents that the evaluated runs rank high and the gold does not judge.",
    title="Judge unjudged documents",
    button="Make items",
    template="adjudication/evaluation/evaluation_judging.html",
    report=_report,
    goes_to=lambda done: reverse("item_list", args=[done.campaign.collection.slug, done.campaign.slug]),
    shows=lambda done: JudgingSerializer(done).data,
)

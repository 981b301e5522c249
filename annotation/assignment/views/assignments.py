"""Assignment: a plan is previewed, looked at, and written exactly as it was seen."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from annotation.assignment.actions.assignments import confirm_assignment, request_assignment
from annotation.assignment.forms import PlanForm
from annotation.assignment.reads.workload import assignable
from annotation.campaigns.views.context import campaign_context, fetch_for_manager
from annotation.models import AssignmentRun, Campaign

SHOWN_RUNS = 10


@dataclass(frozen=True)
class PersonLoad:
    """One person in a plan: new items and those asked again, items in all, items shared with each of the others."""

    name: str
    new: int
    repeats: int
    total: int
    shared: list[int | None]


@require_http_methods(["GET", "POST"])
def assignment_plan(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Ask for a preview."""
    membership, found = fetch_for_manager(request, slug, campaign)
    initial = {"overlap": found.overlap, "strategy": found.strategy, "seed": found.seed} | _last_repeats(found)
    form = PlanForm(request.POST or None, initial=initial)
    if form.is_valid():
        with refusals_in_form(form):
            run = request_assignment(campaign=found, by=membership.user, at=timezone.now(), **form.cleaned_data)
            return redirect("assignment_detail", slug, campaign, run.pk)
    people = assignable(found)
    others = found.annotators.filter(kind="human").exclude(pk__in=[each.pk for each in people])
    context = campaign_context(
        membership,
        found,
        "assignment",
        form=form,
        people=people,
        others=others.exclude(state="removed").order_by("name"),  # paused, without an account, or no longer members
        runs=found.assignment_runs.select_related("requested_by").order_by("-pk")[:SHOWN_RUNS],
    )
    return render(request, "annotation/assignment/assignment_plan.html", context, status=422 if form.errors else 200)


@require_safe
def assignment_detail(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """A preview with its button to write it, or what was written; while it runs, its progress."""
    membership, found = fetch_for_manager(request, slug, campaign)
    run = _fetch_run(found, pk)
    context = campaign_context(membership, found, "assignment", run=run)
    context["written"] = found.assignment_runs.filter(dry_run=False, state="done", pk__gt=run.pk).first()
    context["people"] = people_of(run.summary)
    return render(request, "annotation/assignment/assignment_detail.html", context)


@require_POST
def assignment_confirm(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Write the plan that was previewed."""
    membership, found = fetch_for_manager(request, slug, campaign)
    with refusals_in_message(request):
        pk = confirm_assignment(preview=_fetch_run(found, pk), by=membership.user, at=timezone.now()).pk
    return redirect("assignment_detail", slug, campaign, pk)


def people_of(summary: dict[str, Any]) -> list[PersonLoad]:
    """The summary of a plan person by person; [] for an open queue, which names nobody."""
    loads, pairs, repeats = (summary.get(name, {}) for name in ("loads", "pairs", "repeats"))
    names = list(loads)

    def shared(a: str, b: str) -> int | None:
        return None if a == b else pairs.get(f"{a}|{b}", pairs.get(f"{b}|{a}", 0))

    return [
        PersonLoad(
            name,
            summary["annotators"][name],
            repeats.get(name, 0),
            loads[name],
            [shared(name, other) for other in names],
        )
        for name in names
    ]


def _last_repeats(campaign: Campaign) -> dict[str, int]:
    """The share and gap of the last plan, which the next one most likely wants as well."""
    last = campaign.assignment_runs.order_by("-pk").first()
    return {"repeat_percent": last.repeat_percent, "repeat_gap": last.repeat_gap} if last else {}


def _fetch_run(campaign: Campaign, pk: int) -> AssignmentRun:
    run = get_object_or_404(AssignmentRun.objects.select_related("requested_by"), pk=pk, campaign=campaign)
    run.campaign = campaign
    return run

"""The annotators of a campaign, and the plan of who judges what: previewed, and written exactly as it was seen."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.refusal_messages import refusals_in_form, refusals_in_message
from annotation.assignment.annotators import (
    add_invited,
    add_members,
    add_name,
    pause_annotator,
    remove_annotator,
    resume_annotator,
)
from annotation.assignment.assignments import (
    confirm_assignment,
    reassign_assignments,
    release_assignments,
    request_assignment,
)
from annotation.assignment.forms import AmountForm, AnnotatorForm, HandOverForm, MembersForm, NameForm, PlanForm
from annotation.assignment.workload import assignable
from annotation.campaigns.campaigns import is_filled_at_opening
from annotation.campaigns.pages.context import campaign_context, fetch_for_manager, fetch_for_overseer
from annotation.campaigns.progress import annotator_row, annotator_rows
from annotation.models import Annotator, AnnotatorKind, AssignmentRun, Campaign, CampaignState, Strategy
from corpus.models import Membership

STATE_CHANGES = {
    "pause": (pause_annotator, "is paused and keeps their items."),
    "resume": (resume_annotator, "can continue."),
}


@require_safe
def annotator_list(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Who judges, how much and how fast; managers also add people here."""
    membership, found = fetch_for_overseer(request, slug, campaign)
    return _show_list(request, membership, found)


@require_POST
def annotator_create(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Add members of the collection."""
    membership, found = fetch_for_manager(request, slug, campaign)
    form = MembersForm(request.POST, membership=membership, campaign=found)
    if form.is_valid():
        users, invited = list(form.cleaned_data["users"]), list(form.cleaned_data["invited"])
        with refusals_in_form(form, "users"), transaction.atomic():
            who: dict[str, Any] = {"campaign": found, "by": membership.user, "at": timezone.now()}
            add_members(users=users, **who)
            add_invited(invited=invited, **who)
            names = [*map(str, users), *(each.invitation.email for each in invited)]
            messages.success(request, f"Added {', '.join(names)}.{how_they_get_items(found)}")
            return redirect("annotator_list", slug, campaign)
    return _show_list(request, membership, found, members=form)


def how_they_get_items(campaign: Campaign) -> str:
    """What new annotators of the campaign need, after a sentence; "" where they take items themselves."""
    return "" if campaign.strategy == Strategy.QUEUE else " Plan the assignment to give them items."


@require_POST
def annotator_name(request: HttpRequest, slug: str, campaign: str) -> HttpResponse:
    """Add somebody without an account, or a machine."""
    membership, found = fetch_for_manager(request, slug, campaign)
    form = NameForm(request.POST)
    if form.is_valid():
        with refusals_in_form(form, "name"):
            add_name(campaign=found, by=membership.user, at=timezone.now(), **form.cleaned_data)
            messages.success(request, f"Added {form.cleaned_data['name']}. Import their judgments.")
            return redirect("annotator_list", slug, campaign)
    return _show_list(request, membership, found, name=form)


@require_POST
def annotator_state(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Pause, resume or remove, as the button says."""
    membership, _, annotator = _fetch(request, slug, campaign, pk)
    change = request.POST.get("change")
    order: dict[str, Any] = {"annotator": annotator, "by": membership.user, "at": timezone.now()}
    if change == "remove":
        withdrawn = remove_annotator(**order)
        free = "1 item is" if withdrawn == 1 else f"{withdrawn:,} items are"
        done = f"{annotator} was removed from this campaign. Their judgments are kept; {free} free for others."
        messages.success(request, done)
    elif change in STATE_CHANGES:
        change_state, outcome = STATE_CHANGES[change]
        with refusals_in_message(request):
            change_state(**order)
            messages.success(request, f"{annotator} {outcome}")
    return redirect("annotator_edit", slug, campaign, pk)


@require_POST
def annotator_release(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Take back what they have not done."""
    membership, found, annotator = _fetch(request, slug, campaign, pk)
    form = AmountForm(request.POST)
    if not form.is_valid():
        return _show_one(request, membership, found, annotator, release_form=form)
    most = form.cleaned_data["most"]
    count = release_assignments(annotator=annotator, by=membership.user, at=timezone.now(), most=most)
    items, free = ("1 item", "It is") if count == 1 else (f"{count:,} items", "They are")
    messages.success(request, f"Withdrew {items} from {annotator}. {free} free for others.")
    return redirect("annotator_edit", slug, campaign, pk)


@require_POST
def annotator_hand_over(request: HttpRequest, slug: str, campaign: str, pk: int) -> HttpResponse:
    """Give what they have not done to somebody else."""
    membership, found, annotator = _fetch(request, slug, campaign, pk)
    form = HandOverForm(request.POST, annotator=annotator)
    if form.is_valid():
        target, most = form.cleaned_data["target"], form.cleaned_data["most"]
        with refusals_in_form(form, "target"):
            moved = reassign_assignments(
                source=annotator, target=target, by=membership.user, at=timezone.now(), most=most
            )
            stayed = f" {moved.stayed:,} stayed, because {target} has or had them." if moved.stayed else ""
            add_message = messages.success if moved.moved else messages.warning
            add_message(request, f"{moved.moved:,} items went to {target}.{stayed}")
            return redirect("annotator_edit", slug, campaign, pk)
    return _show_one(request, membership, found, annotator, hand_over_form=form)


def _fetch(request: HttpRequest, slug: str, campaign: str, pk: int) -> tuple[Membership, Campaign, Annotator]:
    membership, found = fetch_for_manager(request, slug, campaign)
    annotator = get_object_or_404(Annotator.objects.select_related("user"), pk=pk, campaign=found)
    annotator.campaign = found
    return membership, found, annotator


def _show_list(
    request: HttpRequest,
    membership: Membership,
    campaign: Campaign,
    members: MembersForm | None = None,
    name: NameForm | None = None,
) -> HttpResponse:
    rows = annotator_rows(campaign, timezone.now())
    may_plan = bool(rows) and not is_filled_at_opening(campaign)
    people = [row for row in rows if row.is_active and row.annotator.kind == AnnotatorKind.HUMAN]
    n_lacking = 0 if campaign.state == CampaignState.CLOSED else max(0, campaign.overlap - len(people))
    plans_next = may_plan and not n_lacking and any(row.annotator.user_id and not row.assigned for row in people)
    context = campaign_context(
        membership,
        campaign,
        "annotators",
        rows=rows,
        may_plan=may_plan,
        n_lacking=n_lacking,
        plan_look="primary" if plans_next else "",
        add_look="" if plans_next else "primary",
        members_form=members or MembersForm(membership=membership, campaign=campaign),
        name_form=name or NameForm(),
    )
    return render(request, "annotation/assignment/annotator_list.html", context, status=422 if members or name else 200)


def shown_with(_: Membership, annotator: Annotator) -> dict[str, Any]:
    """What the annotator's page shows around the form of how they count: what can be done with their items."""
    return {
        "row": annotator_row(annotator, timezone.now()),
        "release_form": AmountForm(auto_id="release_%s"),
        "hand_over_form": HandOverForm(annotator=annotator, auto_id="hand_over_%s"),
    }


def _show_one(
    request: HttpRequest, membership: Membership, campaign: Campaign, annotator: Annotator, **sent: forms.Form
) -> HttpResponse:
    """The annotator's page, with the one form that was sent and not accepted."""
    context = campaign_context(
        membership,
        campaign,
        "annotators",
        annotator=annotator,
        form=AnnotatorForm(annotator=annotator),
        **(shown_with(membership, annotator) | sent),
    )
    return render(request, "annotation/assignment/annotator_edit.html", context, status=422)


SHOWN_RUNS = 10


@dataclass(frozen=True)
class PersonLoad:
    """One person in a plan: new items and those asked again, items in all, items shared with each of the others."""

    name: str
    new: int
    repeats: int
    gold: int
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
    n_lacking = max(0, found.overlap - len(people))
    context = campaign_context(
        membership,
        found,
        "assignment",
        form=form,
        people=people,
        n_lacking=n_lacking,
        plan_look="" if n_lacking else "primary",
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
    loads, pairs, repeats, gold = (summary.get(name, {}) for name in ("loads", "pairs", "repeats", "gold"))
    names = list(loads)

    def shared(a: str, b: str) -> int | None:
        return None if a == b else pairs.get(f"{a}|{b}", pairs.get(f"{b}|{a}", 0))

    return [
        PersonLoad(
            name,
            summary["annotators"][name],
            repeats.get(name, 0),
            gold.get(name, 0),
            loads[name],
            [shared(name, other) for other in names],
        )
        for name in names
    ]


def _last_repeats(campaign: Campaign) -> dict[str, int]:
    """The shares and gaps of the last plan, which the next one most likely wants as well."""
    last = campaign.assignment_runs.order_by("-pk").first()
    names = ("repeat_percent", "repeat_gap", "gold_percent", "gold_gap")
    return {name: getattr(last, name) for name in names} if last else {}


def _fetch_run(campaign: Campaign, pk: int) -> AssignmentRun:
    run = get_object_or_404(AssignmentRun.objects.select_related("requested_by"), pk=pk, campaign=campaign)
    run.campaign = campaign
    return run

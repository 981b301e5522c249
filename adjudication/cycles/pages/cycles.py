"""Anno-GPT as a guided page: every step with what it has, what it needs, and the button that goes on."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts.jobs import with_live_progress
from accounts.refusal_messages import refusals_in_form, refusals_in_message
from adjudication.cycles.cycles import (
    campaigns_shown,
    count_tests,
    cycles_of,
    dev_sets,
    fitting_campaigns,
    people_of,
)
from adjudication.cycles.forms import CycleDecisionForm, CycleForm
from adjudication.cycles.steps import (
    not_passed,
    request_test,
    run_frozen_machine,
    start_cycle,
    why_cannot_test,
)
from adjudication.cycles.trials import Trial, fetch_trial, frozen_runs
from adjudication.cycles.tuning import DevTable, dev_table
from adjudication.labels.pages import whole_number
from annotation.labelling.rules import why_cannot_read_labels_of
from annotation.models import AnnoCycle, Campaign, Outcome, Split
from corpus.collections.pages.context import collection_context
from corpus.collections.rules import fetch_manager, fetch_overseer
from corpus.models import Membership

STEPS = {
    "dev": "People judge the development set",
    "try": "Try machines on it",
    "freeze": "Freeze one",
    "test_set": "People judge a fresh test set",
    "test": "The test",
    "decision": "Decide",
    "everything": "Annotate everything",
}


@require_safe
def cycle_list(request: HttpRequest, slug: str) -> HttpResponse:
    """What Anno-GPT is, the collection's cycles, and how to begin one."""
    membership = fetch_overseer(request.user, slug)
    return _show_list(request, membership, CycleForm(collection=membership.collection))


@require_POST
def cycle_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin a cycle."""
    membership = fetch_manager(request.user, slug)
    form = CycleForm(request.POST, collection=membership.collection)
    if form.is_valid():
        with refusals_in_form(form):
            who: dict[str, Any] = {"by": membership.user, "at": timezone.now()}
            cycle = start_cycle(collection=membership.collection, **who, **form.cleaned_data)
            return redirect("cycle_detail", slug, cycle.number)
    return _show_list(request, membership, form)


def _show_list(request: HttpRequest, membership: Membership, form: CycleForm) -> HttpResponse:
    cycles = cycles_of(membership.collection)
    open_cycle = next((cycle for cycle in cycles if cycle.is_open), None)
    context = {
        **collection_context(membership, "anno-gpt"),
        "cycles": cycles,
        "form": form,
        "dev_campaigns": membership.collection.campaigns.filter(split=Split.DEV).exists(),
        "open_cycle": open_cycle,
        "step_now": _step_now(open_cycle) if open_cycle else "",
    }
    return render(request, "adjudication/cycles/cycle_list.html", context, status=422 if form.errors else 200)


def _step_now(cycle: AnnoCycle) -> str:
    """The first step of an open cycle that is not done, with its number, as a sentence."""
    steps = _steps(cycle, dev_table(cycle.dev, cycle.criterion), fetch_trial(cycle, count_tests(cycle)))
    number, step = next((n, step) for n, (step, state) in enumerate(steps.items(), start=1) if state != "done")
    return f"Cycle {cycle.number} is at step {number} of {len(STEPS) - 1}: {STEPS[step].lower()}."


@require_safe
def cycle_detail(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """One cycle with all its steps; 403, without its figures, for people who still have to judge what they stand on."""
    membership = fetch_overseer(request.user, slug)
    context = cycle_context(membership, fetch_cycle(membership, number))
    return render(request, "adjudication/cycles/cycle_detail.html", context, status=403 if context["hidden"] else 200)


@require_POST
def cycle_run(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Let the frozen machine judge the test set or, once decided, another campaign."""
    membership, cycle = _fetch_to_change(request, slug, number)
    campaign = _campaign(request, membership)
    anchor = "test" if campaign.pk == cycle.test_id else "everything"
    return _step(request, cycle, run_frozen_machine, anchor, campaign=campaign)


@require_POST
def cycle_test(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Compute the figures of the test."""
    _, cycle = _fetch_to_change(request, slug, number)
    return _step(request, cycle, request_test, "test")


def _fetch_to_change(request: HttpRequest, slug: str, number: int) -> tuple[Membership, AnnoCycle]:
    membership = fetch_manager(request.user, slug)
    return membership, fetch_cycle(membership, number)


def _step(
    request: HttpRequest, cycle: AnnoCycle, action: Callable[..., object], anchor: str, **options: object
) -> HttpResponse:
    """Take one step; a refusal stands at the top of the page."""
    with refusals_in_message(request):
        action(cycle=cycle, by=request.user, at=timezone.now(), **options)
        return _back(cycle, anchor)
    return redirect("cycle_detail", cycle.collection.slug, cycle.number)


def _back(cycle: AnnoCycle, anchor: str) -> HttpResponse:
    return redirect(f"{reverse('cycle_detail', args=[cycle.collection.slug, cycle.number])}#{anchor}")


def cycle_context(membership: Membership, cycle: AnnoCycle) -> dict[str, Any]:
    """What the page of a cycle shows; `hidden` is why its figures are not shown to this person."""
    hidden = why_cannot_read_labels_of(campaigns_shown(cycle), membership.user)
    tests = count_tests(cycle)
    trial = fetch_trial(cycle, tests)
    tables = [dev_table(campaign, cycle.criterion) for campaign in dev_sets(cycle)]
    is_current = trial is not None and trial.is_current
    steps = _steps(cycle, tables[0], trial)
    return {
        **collection_context(membership, "anno-gpt"),
        "cycle": cycle,
        "tables": tables,
        "trial": trial,
        "tests": tests,
        "test_people": people_of(cycle.test) if cycle.test else None,
        "test_campaigns": [] if cycle.test else fitting_campaigns(cycle, Split.TEST),
        "not_passed": not_passed(cycle, trial) if trial and is_current and not trial.is_passed else "",
        "no_test": why_cannot_test(cycle, trial) if trial else "",
        "form": CycleDecisionForm(**decision_facts(trial)),
        "steps": steps,
        "titles": STEPS,
        "next_step": _next_step(cycle, tables[0], steps),
        "everything": _everything(cycle) if cycle.outcome == Outcome.ANNOTATE else [],
        "points": 100 * cycle.margin,
        "hidden": hidden,
    }


def decision_facts(trial: Trial | None) -> dict[str, bool]:
    """What the form of the decision has to know of the test: it offers only what would be accepted now."""
    is_current = trial is not None and trial.is_current
    return {"may_use_test": is_current, "is_passed": is_current and trial is not None and trial.is_passed}


def _next_step(cycle: AnnoCycle, dev: DevTable, steps: dict[str, str]) -> str:
    """The first step that can be taken now and has a button here: the one button that stands out. "" for none."""
    waits = {"dev": dev.people.items > 0, "test_set": cycle.test is not None}  # for people who judge
    return next((step for step, state in steps.items() if state == "now" and not waits.get(step)), "")


def _steps(cycle: AnnoCycle, dev: DevTable, trial: Trial | None) -> dict[str, str]:
    """{step: done, now or later}: now is what can be done, which may be several steps at once."""
    steps = {  # step: (whether it is done, whether it can be done)
        "dev": (dev.people.labels > 0, True),
        "try": (bool(dev.candidates), dev.people.items > 0),
        "freeze": (cycle.is_frozen, any(one.figures and not one.is_running for one in dev.candidates)),
        "test_set": (bool(cycle.test and people_of(cycle.test).with_two), True),
        "test": (trial is not None and trial.is_current, trial is not None),
        "decision": (not cycle.is_open, trial is not None and trial.is_current),
    }
    states = {
        step: "done" if is_done else "now" if cycle.is_open and can_be else "later"
        for step, (is_done, can_be) in steps.items()
    }
    return {**states, "everything": "now" if cycle.outcome == Outcome.ANNOTATE else "later"}


def _everything(cycle: AnnoCycle) -> list[dict[str, Any]]:
    """The main campaigns with the same levels, and the frozen machine's run over each."""
    found = []
    for campaign in fitting_campaigns(cycle, Split.MAIN):
        runs = frozen_runs(cycle, campaign)
        found.append({"campaign": campaign, "run": with_live_progress(runs[0]) if runs else None})
    return found


def fetch_cycle(membership: Membership, number: int) -> AnnoCycle:
    """The cycle with what its page names. Errors: Http404."""
    cycles = AnnoCycle.objects.select_related("dev", "test", "frozen_prompt", "frozen_by", "decided_by", "created_by")
    cycle = get_object_or_404(cycles, collection=membership.collection_id, number=number)
    cycle.collection = membership.collection
    for campaign in filter(None, (cycle.dev, cycle.test)):
        campaign.collection = membership.collection
    return cycle


def _campaign(request: HttpRequest, membership: Membership) -> Campaign:
    """The campaign that the form names; 404 for one of another collection."""
    pk = whole_number(request.POST.get("campaign"))
    return get_object_or_404(Campaign.objects.select_related("collection"), pk=pk, collection=membership.collection_id)

"""Runs of machine annotators: requested and continued."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max

from accounts import jobs
from accounts.models import JobState, User
from accounts.refusals import Conflict, Refused
from annotation.assignment.annotators import add_name
from annotation.campaigns.campaigns import record_change
from annotation.campaigns.rules import check_not_closed, check_within
from annotation.campaigns.seals import check_machine_may_run
from annotation.machines.recipes import MachineOptions, criteria_of, recipe_of, service_of
from annotation.models import (
    Annotator,
    AnnotatorKind,
    Campaign,
    Criterion,
    MachineKind,
    MachineRun,
    ReplyState,
)
from corpus.collections.rules import check_manager
from engines.definitions.settings import ANNOTATOR_NAME, RUNS
from engines.prompting.recipes import Recipe

LEXICAL_NAME = "Lexical baseline"


@transaction.atomic
def request_machine_runs(
    *,
    campaign: Campaign,
    by: User | None,
    at: datetime,
    options: MachineOptions,
    send: bool = True,
    committee: str = "",
) -> list[MachineRun]:
    """Request `options.runs` runs over all items of the campaign, each by another annotator.

    Runs of a recipe that has run here before continue its numbers. `committee` is the hash of the one that they are
    to be members of. `send=False` leaves the work to the caller. Errors:
    Refused where it cannot run: no items, no endpoint, a prompt or thresholds that do not fit the scale, a sealed test
    set, a test set whose cycle has frozen another machine.
    """
    campaign = (
        Campaign.objects.select_related("collection").select_for_update(of=("self",), no_key=True).get(pk=campaign.pk)
    )
    check_manager(campaign.collection, by)
    check_not_closed(campaign)
    if no_machines := campaign.kind_object.no_machines:
        raise Refused(no_machines)
    if not campaign.items.exists():
        raise Refused("The campaign has no items yet, so there is nothing to judge. Add them first.")
    check_within(RUNS, options.runs)
    criteria = criteria_of(campaign, options.criteria)
    recipe = recipe_of(options, criteria)
    check_machine_may_run(campaign, [one.key for one in criteria], committee or recipe.digest, more=options.runs)
    runs = [new_run(campaign, criteria, recipe, options, by=by, at=at, send=send) for _ in range(options.runs)]
    record_change(
        campaign, by, at, "request_machine_runs", machine=runs[0].annotator.model, runs=len(runs), **recipe.to_json()
    )
    return runs


@transaction.atomic
def continue_machine_run(*, run: MachineRun, by: User | None, at: datetime, send: bool = True) -> MachineRun:
    """Continue a run: only items without a reply are asked about. A committee's members that lack replies go on with
    it, and committees with their members. Errors: Conflict while it runs or has all replies.
    """
    run = locked_run(run, by)
    check_not_closed(run.campaign)
    check_machine_may_run(run.campaign, [one.key for one in run.criteria.all()], _gated(run))
    if not run.is_final:
        raise Conflict("It is already running.")
    lacking = [
        one for one in (run, *run.members.all()) if one.is_final and _count_answered(one) < run.campaign.items.count()
    ]
    if run.state == JobState.DONE and run not in lacking:
        raise Conflict("Every item has a reply. There is nothing to continue.")
    again = {one.pk: one for each in (*lacking, run) for one in (each, *each.committees.all()) if one.is_final}
    for one in again.values():
        _queue_again(one, at, send=send)
    answered = _count_answered(run)
    record_change(run.campaign, by, at, "continue_machine_run", machine=run.annotator.name, answered=answered)
    run.refresh_from_db()
    return run


def _count_answered(run: MachineRun) -> int:
    return run.replies.exclude(state=ReplyState.ERROR).count()


def _queue_again(run: MachineRun, at: datetime, *, send: bool) -> None:
    if run.kind == MachineKind.ENDPOINT:
        service_of(run).asking(run.model)
    run.state, run.attempts, run.reason = JobState.QUEUED, 0, ""
    run.finished_at = run.cancel_requested_at = None
    run.requested_at = at
    run.save(update_fields=["state", "attempts", "reason", "finished_at", "cancel_requested_at", "requested_at"])
    if send:
        jobs.send(run)


def _gated(run: MachineRun) -> str:
    """The hash by which it may run: a member is tested, and allowed, with its committee."""
    committee = run.committees.first()
    return committee.recipe_hash if committee else run.recipe_hash


def new_run(
    campaign: Campaign,
    criteria: Sequence[Criterion],
    recipe: Recipe,
    options: MachineOptions,
    *,
    by: User | None,
    at: datetime,
    send: bool,
) -> MachineRun:
    same = campaign.machine_runs.filter(criteria=criteria[0], recipe_hash=recipe.digest)
    number = (same.aggregate(last=Max("run_number"))["last"] or 0) + 1
    earlier = same.select_related("annotator").first()
    group = earlier.annotator.model if earlier else _group_name(campaign, criteria, recipe, options)
    annotator = add_name(
        campaign=campaign,
        name=f"{group}, run {number}",
        by=by,
        at=at,
        kind=AnnotatorKind.MACHINE,
        model=group,
        run_number=number,
    )
    fields: dict[str, Any] = {
        "campaign": campaign,
        "annotator": annotator,
        "kind": options.kind,
        "prompt": options.prompt if options.kind == MachineKind.ENDPOINT else None,
        "recipe": recipe.to_json(),
        "recipe_hash": recipe.digest,
        "run_number": number,
        "seed": None if recipe.seed is None else recipe.seed + number - 1,
        "parameters": options.parameters(campaign.collection),
    }
    run = jobs.new_job(MachineRun, by=by, at=at, send=send, **fields)
    run.criteria.set(criteria, through_defaults={"recipe_hash": recipe.digest, "run_number": number})
    return run


def _group_name(campaign: Campaign, criteria: Sequence[Criterion], recipe: Recipe, options: MachineOptions) -> str:
    """The name of this machine, with a part of its hash where another machine has that name already."""
    if recipe.kind == MachineKind.LEXICAL:
        name = LEXICAL_NAME
    elif recipe.kind == MachineKind.COMMITTEE:
        name = f"Committee of {len(recipe.members)}, {recipe.rule}"
    else:
        name = f"{recipe.model}, {str(options.prompt)[:40]}"
        name += f", temperature {recipe.temperature:g}" if recipe.temperature else ""
    if campaign.criteria.count() > 1:
        name += f", {'+'.join(one.key[:20] for one in criteria)}"
    name = name[: ANNOTATOR_NAME.most - 20]
    taken = Annotator.objects.filter(campaign=campaign, model=name) | Annotator.objects.filter(
        campaign=campaign, name__startswith=f"{name}, run "
    )
    return f"{name} #{recipe.digest[:6]}" if taken.exists() else name


def locked_run(run: MachineRun, by: User | None) -> MachineRun:
    """The run, locked until the transaction ends. Errors: NotAllowed unless `by` manages the collection."""
    rows = MachineRun.objects.select_related("campaign__collection", "annotator")
    run = rows.select_for_update(of=("self",), no_key=True).get(pk=run.pk)
    check_manager(run.campaign.collection, by)
    return run

"""Anno-GPT, step by step (DORIS-MAE, section 4): begun, given a test set, frozen, tested, decided."""

import hashlib
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.audit import record_event
from accounts.models import JobState, User
from accounts.refusals import Conflict, Refused
from adjudication.agreement.requests import request_agreement
from adjudication.cycles.cycles import campaigns_shown, count_tests, criterion_in, fitting_campaigns, seen_labels
from adjudication.cycles.trials import TEST_RESAMPLES, Trial, evidence_of, fetch_trial, frozen_runs
from adjudication.cycles.tuning import Candidate, candidate_named, candidates_named, dev_table
from adjudication.models import AgreementRun
from annotation.campaigns.rules import check_within
from annotation.labelling.rules import check_can_read_labels_of
from annotation.machines.committees import request_again
from annotation.machines.machine_items import quoted
from annotation.machines.recipes import options_from
from annotation.machines.requests import request_machine_runs
from annotation.models import AnnoCycle, Campaign, MachineRun, MachineSource, Outcome, Split
from corpus.collections.rules import check_manager
from corpus.models import Collection, PromptTemplate
from engines.definitions.settings import RUNS
from engines.prompting.prompts import parse_prompt
from engines.prompting.recipes import recipe_from

NO_TEST_SET = "The cycle has no test set yet. Take one first, or name a campaign."


@transaction.atomic
def start_cycle(
    *,
    collection: Collection,
    by: User | None,
    at: datetime,
    dev: Campaign,
    criterion: str,
    margin: float = 0.05,
    runs: int = 2,
) -> AnnoCycle:
    """Begin a cycle on a dev set. From then on the labels of the collection's test campaigns are sealed.

    `margin` is the largest difference that counts as none, a share; it is chosen now, before anything is tested.
    Errors: Refused for a campaign that is no dev set or has no such criterion, Conflict while another cycle is open.
    """
    check_manager(collection, by)
    Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
    if dev.collection_id != collection.pk or dev.split != Split.DEV:
        raise Refused("A cycle begins with a development campaign: its pairs never come into a test set.")
    if criterion_in(dev, criterion) is None:
        raise Refused(f"{dev} has no criterion “{criterion}”.")
    if not 0 < margin < 1:
        raise Refused("The margin is a share above 0 and below 1; 0.05 means five points.")
    check_within(RUNS, runs)
    last = AnnoCycle.objects.filter(collection=collection).aggregate(last=Max("number"))["last"] or 0
    try:
        with transaction.atomic():
            cycle = AnnoCycle.objects.create(
                collection=collection,
                number=last + 1,
                criterion=criterion,
                dev=dev,
                margin=margin,
                runs=runs,
                created_by=by,
                created_at=at,
            )
    except IntegrityError as error:
        raise Conflict("A cycle for this criterion is open already. Decide it first.") from error
    _record(cycle, by, at, "start_cycle", dev=dev.slug, criterion=criterion, margin=margin, runs=runs)
    return cycle


@transaction.atomic
def choose_test_set(*, cycle: AnnoCycle, by: User | None, at: datetime, test: Campaign) -> AnnoCycle:
    """Take a test campaign for the cycle: a fresh one, that no other cycle has used. Its own again changes nothing.

    Errors: Refused for a campaign that is no test set, has other levels or no items, was used, or whose labels could
    have been seen while the machine was tuned.
    """
    cycle = _locked(cycle, by)
    if cycle.test_id == test.pk:
        return cycle  # sent twice
    if cycle.test_id is not None:
        raise Conflict(f"The cycle has its test set already: {cycle.test}. It cannot be replaced.")
    if test.split != Split.TEST or test.collection_id != cycle.collection_id:
        raise Refused("A test set is a test campaign of the same collection.")
    used = AnnoCycle.objects.filter(test=test).first()
    if used is not None:
        raise Refused(
            f"{test} was the test set of cycle {used.number}. What people saw there has influenced later prompts, so a"
            " new cycle needs a fresh test set."
        )
    if test not in fitting_campaigns(cycle, Split.TEST):
        raise Refused(f"{test} does not use the same levels for {cycle.criterion} as {cycle.dev}.")
    if not test.items.exists():
        raise Refused(f"{test} has no items yet. Draw its sample first.")
    seen = seen_labels(cycle, test)
    if cycle.is_frozen and seen:
        raise Refused(
            f"{seen:,} of its labels are older than this cycle and were visible while the machine was tuned. Make a new"
            " test campaign."
        )
    _check_quoted_levels(cycle, test, cycle.frozen_prompt, cycle.frozen_recipe)
    cycle.test, cycle.test_chosen_at, cycle.seen_before = test, at, seen
    _save_test_set(cycle)
    _record(cycle, by, at, "choose_test_set", test=test.slug, seen_before=seen)
    return cycle


def _save_test_set(cycle: AnnoCycle) -> None:
    try:
        with transaction.atomic():
            cycle.save(update_fields=["test", "test_chosen_at", "seen_before"])
    except IntegrityError as error:
        raise Conflict("Another cycle has just taken this test set.") from error


@transaction.atomic
def freeze_machine(*, cycle: AnnoCycle, by: User | None, at: datetime, key: str) -> AnnoCycle:
    """Fix the machine for good: nothing of it can change in this cycle, and the seal of the test set is lifted.

    `key` is that of a candidate tried on the dev set, its name, or the first letters of either where they name one.
    Errors: Refused for one that has not been tried, or is still at work, for a name that several have, and while people
    have given no labels to compare it with; NotAllowed for people who may not see its figures now.
    """
    cycle = _locked(cycle, by)
    _check_can_read(cycle, by)
    table = dev_table(cycle.dev, cycle.criterion)
    if cycle.is_frozen:
        frozen = {cycle.frozen_hash, f"{MachineSource.IMPORTED}:{cycle.frozen_name}"}
        named = {one.key for one in candidates_named(table.candidates, key)}
        if named and named <= frozen:
            return cycle  # sent twice
        raise Conflict(f"{cycle.frozen_name} is frozen already. Another machine needs a new cycle.")
    if not table.people.labels:
        raise Refused(f"Nobody has judged in {cycle.dev} yet, so no machine can be compared with them.")
    candidate = candidate_named(table.candidates, key)
    if candidate.is_running:
        raise Refused(f"{candidate.name} is still working on the dev set. Wait for it, or cancel it.")
    if not candidate.figures:
        raise Refused(f"{candidate.name} has given no label yet that could be compared with people's.")
    if cycle.test is not None and candidate.run is not None:
        _check_quoted_levels(cycle, cycle.test, candidate.run.prompt, candidate.run.recipe)
    _freeze(cycle, candidate)
    cycle.frozen_by, cycle.frozen_at = by, at
    cycle.save()
    _record(cycle, by, at, "freeze_machine", machine=cycle.frozen_name, sha256=cycle.frozen_hash)
    return cycle


def _freeze(cycle: AnnoCycle, candidate: Candidate) -> None:
    run = candidate.run
    cycle.frozen_source, cycle.frozen_name = candidate.source, candidate.name
    if run is None:  # imported labels: only the name of the machine is known
        cycle.frozen_hash = hashlib.sha256(f"{MachineSource.IMPORTED}\n{candidate.name}".encode()).hexdigest()
        return
    cycle.frozen_prompt, cycle.frozen_recipe, cycle.frozen_hash = run.prompt, run.recipe, run.recipe_hash


@transaction.atomic
def run_frozen_machine(
    *, cycle: AnnoCycle, by: User | None, at: datetime, campaign: Campaign | None = None, send: bool = True
) -> list[MachineRun]:
    """Let the frozen machine judge the test set, as often as was fixed, or after the decision any other campaign, once.

    `campaign` None: the test set. Errors: Refused before it is frozen, for imported labels, and for other campaigns
    before it was decided to annotate.
    """
    cycle = _locked(cycle, by)
    if not cycle.is_frozen:
        raise Refused("Freeze a machine first.")
    if cycle.frozen_source == MachineSource.IMPORTED:
        raise Refused("The frozen machine ran elsewhere. Import its labels into the campaign, under the same name.")
    campaign = campaign or cycle.test
    if campaign is None:
        raise Refused(NO_TEST_SET)
    is_test = campaign.pk == cycle.test_id
    if not is_test and cycle.outcome != Outcome.ANNOTATE:
        raise Refused("The frozen machine judges other campaigns only after the decision to annotate everything.")
    expected = cycle.runs if is_test else 1
    missing = expected - len(frozen_runs(cycle, campaign))
    if missing < 1:
        raise Conflict(f"It has judged {campaign} as often as it should. Continue its runs if replies are missing.")
    _check_quoted_levels(cycle, campaign, cycle.frozen_prompt, cycle.frozen_recipe)
    recipe = recipe_from(cycle.frozen_recipe)
    asked: dict[str, Any] = {"campaign": campaign, "by": by, "at": at, "send": send}
    if cycle.frozen_source == MachineSource.COMMITTEE:
        return [request_again(recipe=recipe, criterion=cycle.criterion, **asked) for _ in range(missing)]
    tuned = cycle.dev.machine_runs.filter(recipe_hash=cycle.frozen_hash).select_related("prompt").last()
    options = options_from(recipe, tuned, [cycle.criterion], missing)
    return request_machine_runs(options=options, **asked)


def _check_quoted_levels(
    cycle: AnnoCycle, campaign: Campaign, prompt: PromptTemplate | None, recipe: dict[str, Any]
) -> None:
    """A prompt that quotes the levels is the same only where they are in the same words. Errors: Refused."""
    if prompt is None or not parse_prompt(prompt.body).quotes_levels:
        return
    keys = recipe.get("criteria") or [cycle.criterion]
    here, there = (list(one.criteria.filter(key__in=keys).prefetch_related("levels")) for one in (cycle.dev, campaign))
    if len(here) != len(there) or quoted(here) != quoted(there):
        raise Refused(
            f"{campaign} words its levels differently from {cycle.dev}, and the prompt quotes them: a model would get"
            " another question than the one that was tried. Choose a campaign with the same levels, word for word."
        )


@transaction.atomic
def request_test(*, cycle: AnnoCycle, by: User | None, at: datetime, send: bool = True) -> AgreementRun:
    """Compute the figures of the test with the margin that was fixed. Errors: Refused while anything is missing."""
    cycle = _locked(cycle, by)
    if not cycle.is_open:
        raise Conflict("The cycle is decided.")
    trial = fetch_trial(cycle, count_tests(cycle))
    if trial is None or cycle.test is None:
        raise Refused("The test needs a frozen machine and a test set.")
    if reason := why_cannot_test(cycle, trial):
        raise Refused(reason)
    return request_agreement(
        campaign=cycle.test, by=by, at=at, margin=cycle.margin, resamples=TEST_RESAMPLES, send=send
    )


def why_cannot_test(cycle: AnnoCycle, trial: Trial) -> str:
    """Why the test cannot be computed now, or ""."""
    if not trial.people.with_two:
        return "No item of the test set has been judged by two people yet, so they cannot be compared."
    if trial.are_running:
        return "The frozen machine is still working on the test set."
    if trial.n_runs < cycle.runs:
        return f"The frozen machine has run {trial.n_runs} of {cycle.runs} times over the test set."
    if any(run.state != JobState.DONE for run in trial.runs):
        return "A run of the frozen machine over the test set has failed. Continue it."
    return ""


@transaction.atomic
def decide_cycle(
    *, cycle: AnnoCycle, by: User | None, at: datetime, outcome: str, reason: str, override: bool = False
) -> AnnoCycle:
    """End the cycle, with the table on which the decision is based.

    To annotate everything takes a passed test: equivalence within the margin that was fixed before, on every figure.
    `override` does without; its reason then goes with the machine's labels wherever they are used.
    Errors: Refused without a reason, without figures of today for what the test should support, and where the test was
    not passed and is not overridden; NotAllowed for people who may not see its figures now.
    """
    cycle = _locked(cycle, by)
    _check_can_read(cycle, by)
    if not cycle.is_open:
        raise Conflict(f"The cycle was decided: {cycle.get_outcome_display()}.")
    if outcome not in Outcome.values:
        raise Refused(f"Unknown outcome “{outcome}”. Choose one of {', '.join(Outcome.values)}.")
    if not reason.strip():
        raise Refused("Say why, in a sentence or two: users of the collection will want to know.")
    trial = fetch_trial(cycle, count_tests(cycle))
    if outcome != Outcome.STOP and (trial is None or not trial.is_current):
        raise Refused(
            "The decision is based on the test, whose figures are missing or older than the newest judgments or"
            " verdicts."
        )
    cycle.test_passed = trial.is_passed if trial and trial.is_current else None
    if outcome == Outcome.ANNOTATE and not cycle.test_passed:
        if not override:
            raise Refused(f"{not_passed(cycle, trial)} To annotate anyway, override the test and say why.")
        cycle.is_override = True
    cycle.outcome, cycle.reason, cycle.decided_by, cycle.decided_at = outcome, reason.strip(), by, at
    cycle.evidence = evidence_of(trial.rows) if trial and trial.is_current else []  # none of other labels
    cycle.save()
    campaign = (cycle.test or cycle.dev).slug
    facts = {"campaign": campaign, "outcome": outcome, "reason": cycle.reason, "test_passed": cycle.test_passed}
    _record(cycle, by, at, "decide_cycle", **facts)
    if cycle.is_override:
        machine = trial.machine if trial else cycle.frozen_name
        facts = {"campaign": campaign, "machine": machine, "reason": cycle.reason, "table": cycle.evidence}
        _record(cycle, by, at, "override_test", **facts)
    return cycle


def not_passed(cycle: AnnoCycle, trial: Trial | None) -> str:
    """What the test did not show, in a sentence for the person who decides."""
    short = [f"{row.label} ({row.outcome})" for row in trial.rows if not row.is_equivalent] if trial else []
    return (
        f"The test is not passed: equivalence within ±{100 * cycle.margin:g} points, as fixed before the cycle, is not"
        f" shown for {' and '.join(short) or 'any figure'}."
    )


def _check_can_read(cycle: AnnoCycle, by: User | None) -> None:
    """What stands on the figures is decided by people who may see them (ADR 11). Errors: NotAllowed."""
    if by is not None:
        check_can_read_labels_of(campaigns_shown(cycle), by)


def _locked(cycle: AnnoCycle, by: User | None) -> AnnoCycle:
    rows = AnnoCycle.objects.select_related("collection", "dev", "test", "frozen_prompt")
    cycle = rows.select_for_update(of=("self",), no_key=True).get(pk=cycle.pk)
    check_manager(cycle.collection, by)
    return cycle


def _record(cycle: AnnoCycle, by: User | None, at: datetime, verb: str, **data: Any) -> None:
    record_event(by=by, at=at, verb=verb, target=cycle, scope=cycle.collection, cycle=cycle.number, **data)

"""Assignments: planned, previewed, written; given back and handed to somebody else without losing a judgment."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypedDict, Unpack

import numpy as np
from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce

from accounts.audit import record_event
from accounts.jobs import new_job
from accounts.models import User
from accounts.refusals import Refused
from accounts.sql import execute
from accounts.table_statistics import analyse_changed_tables
from annotation.assignment.open_queue import free_slots
from annotation.assignment.plan_summary import PlanOptions, Summary
from annotation.assignment.planning import draft_assignment, options_of, order_positions, write_assignment
from annotation.assignment.workload import tree_ranks
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.models import (
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Asked,
    Assignment,
    AssignmentRun,
    AssignmentState,
    Campaign,
    Strategy,
    VotesSeen,
)
from corpus.collections.rules import check_manager
from engines.definitions.settings import (
    GOLD_GAP,
    GOLD_PERCENT,
    OVERLAP,
    REPEAT_GAP,
    REPEAT_PERCENT,
    SEED,
    USUAL_GAP,
    USUAL_GOLD_GAP,
)

HAND_OVER = """
INSERT INTO annotation_assignment (item_id, annotator_id, state, slot, repeat, position)
SELECT n.item, %(target)s, 'pending', n.slot, 0, n.position
FROM unnest(%(items)s::bigint[], %(slots)s::int[], %(positions)s::int[]) AS n(item, slot, position)
ON CONFLICT (item_id, annotator_id, repeat) WHERE annotator_id IS NOT NULL
DO UPDATE SET state = 'pending', slot = EXCLUDED.slot, position = EXCLUDED.position, queue_id = NULL,
  lease_expires_at = NULL, held_by = NULL, finished_at = NULL
"""


class PlanRequest(TypedDict, total=False):
    """The options of a plan. Overlap, strategy and seed are the campaign's where they are left out or None."""

    seed: int | None
    overlap: int | None
    strategy: str | None
    repeat_percent: int
    repeat_gap: int
    gold_percent: int
    gold_gap: int


@dataclass(frozen=True, slots=True)
class HandOver:
    """Assignments handed over, and those that stayed because the other person has or had the item."""

    moved: int
    stayed: int


@transaction.atomic
def assign_items(
    *, campaign: Campaign, by: User | None, at: datetime, dry_run: bool = False, **request: Unpack[PlanRequest]
) -> Summary:
    """Give every item the judges it still needs, at once.

    Only items that need judges are touched, and who has an item keeps it. An open queue gets free slots instead.
    Another overlap or strategy becomes the campaign's. Who judges a repeat cannot see that it is one. A dry run writes
    nothing.
    Errors: Refused for a closed campaign and where no plan is possible, with the reason.
    """
    options = _options(campaign, by, **request)
    if dry_run:
        return draft_assignment(campaign, options).summary
    transaction.on_commit(analyse_changed_tables)
    return write_assignment(campaign, options, confirms="", by=by, at=at)


@transaction.atomic
def request_assignment(
    *, campaign: Campaign, by: User | None, at: datetime, **request: Unpack[PlanRequest]
) -> AssignmentRun:
    """A job that previews a plan. Its row holds the summary and the hash that `confirm_assignment` goes by."""
    options = _options(campaign, by, **request)
    return new_job(AssignmentRun, by=by, at=at, campaign=campaign, dry_run=True, **asdict(options))


@transaction.atomic
def confirm_assignment(*, preview: AssignmentRun, by: User | None, at: datetime) -> AssignmentRun:
    """A job that writes exactly the plan that was previewed, or says that the campaign has changed since."""
    campaign = fetch_managed(preview.campaign, by)
    check_not_closed(campaign)
    if not (preview.dry_run and preview.inputs_hash):
        raise Refused("Only a finished preview can be confirmed. Ask for one first.")
    options = asdict(options_of(preview))
    return new_job(
        AssignmentRun, by=by, at=at, campaign=campaign, dry_run=False, confirms=preview.inputs_hash, **options
    )


@transaction.atomic
def release_assignments(*, annotator: Annotator, by: User | None, at: datetime, most: int | None = None) -> int:
    """Take back what the annotator has still to do, all of it or the last `most` in their order; how many.

    The slots are free again: in an open queue for the next annotator, else for the next plan.
    """
    annotator = lock_annotator(annotator, by)
    withdrawn = release(annotator, most)
    _record(annotator, by, at, "release_assignments", withdrawn=withdrawn)
    return withdrawn


@transaction.atomic
def reassign_assignments(
    *, source: Annotator, target: Annotator, by: User | None, at: datetime, most: int | None = None
) -> HandOver:
    """Hand what `source` has still to do to `target`: all of it, or the last `most` in their order.

    Items that the target has, judged or skipped stay where they are. The target gets them shuffled, after their own.
    Errors: Refused for a target who cannot judge here or lacks the capacity, and for items of an open queue.
    """
    for each in sorted([source, target], key=lambda annotator: annotator.pk):
        locked = lock_annotator(each, by)
        source, target = (locked if each.pk == was.pk else was for was in (source, target))
    _check_target(source, target)
    theirs = Assignment.objects.filter(item=OuterRef("item"), annotator=target).exclude(repeat=Asked.AGAIN)
    seen = VotesSeen.objects.filter(item=OuterRef("item"), user=target.user_id)
    either = Exists(theirs.exclude(state=AssignmentState.WITHDRAWN)) | Exists(seen)
    known = ExpressionWrapper(either, output_field=BooleanField())
    pending = _last(_pending(source).filter(queue__isnull=True), most)
    about = Coalesce("item__topic", "item__paper"), Coalesce("item__aspect", 0), Coalesce("item__document", 0)
    rows = list(pending.values_list("pk", "slot", "item", *about, known))
    free = [row[:-1] for row in rows if not row[-1]]
    _check_capacity(target, len(free))
    Assignment.objects.filter(pk__in=[row[0] for row in free]).update(state=AssignmentState.WITHDRAWN, slot=None)
    _withdraw_repeats(source, Q(item__in=[row[2] for row in free]))
    _hand_over(target, free)
    moved = HandOver(len(free), len(rows) - len(free))
    _record(source, by, at, "reassign_assignments", target_annotator=target.name, moved=moved.moved)
    return moved


def release(annotator: Annotator, most: int | None = None) -> int:
    """Withdraw pending assignments of an annotator whose row is locked; how many."""
    pending = list(_last(_pending(annotator), most).values_list("pk", "queue", "item"))
    of_queue = [pk for pk, queue, _ in pending if queue is not None]
    of_plan = [pk for pk, queue, _ in pending if queue is None]
    if most is None:
        of_queue += _checks_of_queue(annotator)
    Assignment.objects.filter(pk__in=of_plan).update(state=AssignmentState.WITHDRAWN, slot=None)
    free_slots(of_queue, state=AssignmentState.WITHDRAWN)
    _withdraw_repeats(annotator, Q() if most is None else Q(item__in=[item for _, _, item in pending]))
    return len(pending)


def _withdraw_repeats(annotator: Annotator, which: Q) -> None:
    """Nobody is asked a second time for what they gave back the first time, nor about the gold in it."""
    repeats = Assignment.objects.filter(which, annotator=annotator, state=AssignmentState.PENDING, repeat__gt=0)
    repeats.filter(queue__isnull=True).update(state=AssignmentState.WITHDRAWN)


def _checks_of_queue(annotator: Annotator) -> list[int]:
    """The hidden gold that the annotator has under lease."""
    leased = Assignment.objects.filter(annotator=annotator, state=AssignmentState.PENDING, repeat=Asked.CHECK)
    return list(leased.filter(queue__isnull=False).values_list("pk", flat=True))


def _pending(annotator: Annotator) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator=annotator, state=AssignmentState.PENDING, repeat=0)


def _last(pending: QuerySet[Assignment], most: int | None) -> QuerySet[Assignment]:
    """The last ones in the annotator's order: those furthest from being judged next."""
    return pending.order_by("-position", "-pk")[:most]


def _hand_over(target: Annotator, rows: list[tuple[int, ...]]) -> None:
    """Insert for the target rows of (assignment, slot, item, topic or paper, aspect or 0, document or 0), in the
    target's own order."""
    items = np.array([(*about, 0) for _, _, *about in rows], dtype=np.int64).reshape(-1, 5)
    last = Assignment.objects.filter(annotator=target).aggregate(last=Max("position"))["last"] or 0
    rank = tree_ranks(target.campaign, items[:, 2])
    positions = order_positions(target.campaign, items, rank, target.order_seed, last + 1)
    named = {"target": target.pk, "items": items[:, 0].tolist(), "positions": positions.tolist()}
    execute(HAND_OVER, {**named, "slots": [row[1] for row in rows]})


def _options(
    campaign: Campaign,
    by: User | None,
    *,
    seed: int | None = None,
    overlap: int | None = None,
    strategy: str | None = None,
    repeat_percent: int = 0,
    repeat_gap: int = USUAL_GAP,
    gold_percent: int = 0,
    gold_gap: int = USUAL_GOLD_GAP,
) -> PlanOptions:
    """What to plan with, after checking that it may be planned at all."""
    campaign = fetch_managed(campaign, by)
    check_not_closed(campaign)
    overlap = campaign.overlap if overlap is None else overlap
    strategy = strategy or campaign.strategy
    check_within(OVERLAP, overlap)
    check_within(SEED, seed)
    if strategy not in Strategy.values:
        raise Refused(f"The strategy must be one of {', '.join(Strategy.values)}, not “{strategy}”.")
    check_within(REPEAT_PERCENT, repeat_percent)
    check_within(REPEAT_GAP, repeat_gap)
    check_within(GOLD_PERCENT, gold_percent)
    check_within(GOLD_GAP, gold_gap)
    seed = campaign.seed if seed is None else seed
    return PlanOptions(overlap, str(strategy), seed, repeat_percent, repeat_gap, gold_percent, gold_gap)


def _check_target(source: Annotator, target: Annotator) -> None:
    if source.pk == target.pk or source.campaign_id != target.campaign_id:
        raise Refused("Choose another annotator of the same campaign.")
    if target.kind == AnnotatorKind.MACHINE or target.user_id is None:
        raise Refused(f"{target} has no account here, so nothing can be assigned to them.")
    if target.state != AnnotatorState.ACTIVE:
        raise Refused(f"{target} is {target.get_state_display()}. Resume them first, or choose somebody else.")
    if source.campaign.strategy == Strategy.QUEUE and not _pending(source).filter(queue__isnull=True).exists():
        raise Refused(
            "Items of an open queue are not assigned in advance. Withdraw them, and the next free annotators take them."
        )


def _check_capacity(target: Annotator, more: int) -> None:
    if target.capacity is None:
        return
    held = Assignment.objects.filter(annotator=target, repeat=0, slot__isnull=False).count()
    if held + more > target.capacity:
        raise Refused(
            f"{target} can take {max(0, target.capacity - held):,} more items (capacity"
            f" {target.capacity:,}), but {more:,} would be added. Hand over fewer, or raise the"
            " capacity."
        )


def lock_annotator(annotator: Annotator, by: User | None) -> Annotator:
    """The annotator as they are now. Every writer locks this row before their assignments."""
    locked = Annotator.objects.select_related("campaign__collection").select_for_update(of=("self",), no_key=True)
    annotator = locked.get(pk=annotator.pk)
    check_manager(annotator.campaign.collection, by)
    return annotator


def _record(annotator: Annotator, by: User | None, at: datetime, verb: str, **data: Any) -> None:
    campaign = annotator.campaign
    record_event(by=by, at=at, verb=verb, target=campaign, scope=campaign.collection, annotator=annotator.name, **data)

"""Planning who judges what: previewed or written, from the same inputs by the same seed."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import F, Max

from accounts.audit import record_event
from accounts.locks import briefly
from accounts.models import User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from annotation.assignment.hidden_gold import HiddenGold, mix_gold, offered_to_queue, read_gold
from annotation.assignment.plan_summary import PlanOptions, Summary, plan_summary, queue_summary
from annotation.assignment.queue_orders import current_ordering, note_filled, order_named
from annotation.assignment.workload import WITHDRAWN, Workload, read_workload
from annotation.models import (
    Annotator,
    Asked,
    Assignment,
    AssignmentRun,
    AssignmentState,
    Campaign,
    Order,
    QueueOrdering,
    Strategy,
)
from corpus.loading.constraints import checked_at_once
from engines.planning.mixing import Order as Shown
from engines.planning.order import order_by_aspect, order_by_document, schedule
from engines.planning.plan import free_slots, plan_assignments
from engines.planning.problem import CannotPlan, Ints, Plan

COPY = """
COPY annotation_assignment (item_id, queue_id, annotator_id, state, slot, repeat, position) FROM STDIN
"""
# A hidden repeat that was withdrawn with its first assignment comes back with it; so does a check.
REVIVE_REPEATS = """
UPDATE annotation_assignment a SET state = 'pending', position = n.position, finished_at = NULL
FROM unnest(%(items)s::bigint[], %(annotators)s::bigint[], %(positions)s::int[]) AS n(item, annotator, position)
WHERE a.item_id = n.item AND a.annotator_id = n.annotator AND a.repeat = %(asked)s AND a.state = 'withdrawn'
RETURNING a.item_id, a.annotator_id
"""
# Somebody who gave an item back gets the same assignment again: an annotator has one for each item.
REVIVE = """
UPDATE annotation_assignment a
SET state = 'pending', slot = n.slot, position = n.position,
  queue_id = NULL, lease_expires_at = NULL, held_by = NULL, finished_at = NULL
FROM unnest(%(ids)s::bigint[], %(slots)s::int[], %(positions)s::int[]) AS n(id, slot, position)
WHERE a.id = n.id AND a.state = 'withdrawn'
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan that can be written. `items` (n,) indexes the workload's, sorted; `people` (n,) its annotators, or -1.

    `positions` (n,) are the items' places in each person's order or in the queue. `repeated` (r,) indexes those of
    the n that are asked again, at the places `again` (r,). `checks` (c, 3): rows (index of item, of person or -1,
    place) of hidden gold.
    """

    workload: Workload
    items: Ints
    people: Ints
    positions: Ints
    repeated: Ints
    again: Ints
    checks: Ints
    summary: Summary


IN_QUEUE = "open queue"  # to whom its checks are given, in summaries
NO_INDEXES: Ints = np.zeros(0, dtype=np.int64)
NO_REPEATS_IN_QUEUE = (
    "Hidden repeats need items that are assigned in advance: an open queue has no personal order."
    " Assign in advance, or set the share to 0."
)


def draft_assignment(campaign: Campaign, options: PlanOptions, only: Sequence[int] | None = None) -> Draft:
    """Plan without writing; `only` these items (ids) get new judges. Errors: Refused where no plan is possible, with
    the reason."""
    campaign = Campaign.objects.get(pk=campaign.pk)
    workload = read_workload(campaign, overlap=options.overlap, strategy=options.strategy, only=only)
    _check_overlap(workload)
    if not len(workload.items):
        raise Refused("The campaign has no items yet. Add them first.")
    kind = campaign.kind_object
    if workload.strategy == Strategy.QUEUE and kind.no_queue:
        raise Refused(kind.no_queue)
    if options.repeat_percent and kind.no_repeats:
        raise Refused(kind.no_repeats)
    if workload.strategy == Strategy.QUEUE:
        return _draft_queue(workload, options)
    try:
        plan = plan_assignments(workload.people(), workload.work(), np.random.default_rng(options.seed))
    except CannotPlan as refusal:
        raise Refused(refusal.reason) from refusal
    gold = read_gold(workload, _groups(workload), options.gold_percent, options.gold_gap)
    positions, repeated, again, checks = _people_positions(workload, plan, options, gold)
    summary = plan_summary(workload, plan, options, gold, plan.people[repeated], checks[:, 1])
    return Draft(workload, plan.items, plan.people, positions, repeated, again, checks, summary)


def _draft_queue(workload: Workload, options: PlanOptions) -> Draft:
    if options.repeat_percent:
        raise Refused(NO_REPEATS_IN_QUEUE)
    items = np.repeat(np.arange(len(workload.items)), workload.demand)
    gold = read_gold(workload, _groups(workload), options.gold_percent, options.gold_gap)
    positions, checks = _queue_positions(workload, items, options.seed, gold)
    nobody = np.full(len(items), -1)
    summary = queue_summary(workload, items, options, *gold.facts)
    if gold.is_wanted:
        summary = replace(summary, gold={IN_QUEUE: len(checks)})
    return Draft(workload, items, nobody, positions, NO_INDEXES, NO_INDEXES, checks, summary)


@transaction.atomic
def write_assignment(
    campaign: Campaign,
    options: PlanOptions,
    *,
    confirms: str,
    by: User | None,
    at: datetime,
    only: Sequence[int] | None = None,
) -> Summary:
    """Plan and write. `confirms` is the hash of the preview that was agreed to, "" if none was asked for.

    Errors: Refused as for the draft; Conflict if the campaign has changed since the preview, or while writing.
    """
    with briefly("waiting for other work on this campaign"):
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    _drop_open_slots(campaign, options)
    draft = draft_assignment(campaign, options, only)
    if confirms and confirms != draft.summary.inputs_hash:
        raise Conflict(
            "The campaign has changed since the preview: items, annotators or assignments are no"
            " longer the same. Nothing was assigned. Preview the plan again."
        )
    try:
        with transaction.atomic(), checked_at_once():
            _write(draft)
    except IntegrityError as error:
        raise Conflict("Someone took or returned an item while the plan was being written. Plan again.") from error
    Campaign.objects.filter(pk=campaign.pk).update(overlap=options.overlap, strategy=options.strategy)
    note_filled(campaign)
    facts = {"items": draft.summary.items, "annotators": draft.summary.annotators}
    facts = asdict(options) | facts
    record_event(by=by, at=at, verb="assign_items", target=campaign, scope=campaign.collection, **facts)
    return draft.summary


def options_of(job: AssignmentRun) -> PlanOptions:
    repeats, gold = (job.repeat_percent, job.repeat_gap), (job.gold_percent, job.gold_gap)
    return PlanOptions(job.overlap, job.strategy, job.seed or 0, *repeats, *gold)


def order_positions(campaign: Campaign, items: Ints, rank: Ints, seed: int, start: int) -> Ints:
    """Positions from `start` on for items (n, 5) with the ranks (n,) of their aspects, shuffled by the seed."""
    positions = np.empty(len(items), dtype=np.int64)
    positions[_order(campaign, items, rank, seed)] = np.arange(start, start + len(items))
    return positions


def _order(campaign: Campaign, items: Ints, rank: Ints, seed: int) -> Ints:
    """Indexes of the items in the order to judge them."""
    rng = np.random.default_rng(seed)
    if campaign.order == Order.BY_DOCUMENT:
        return order_by_document(items[:, 1], items[:, 3], rank, rng)
    return order_by_aspect(_question_numbers(items), rng)


def queue_order(campaign: Campaign, items: Ints, rank: Ints, seed: int, ordering: QueueOrdering | None) -> Ints:
    """Indexes of the items (n, 5) in the order of the open queue: the one chosen, else as they are judged."""
    if ordering is None or order_named(ordering.order).is_planned:
        return _order(campaign, items, rank, seed)
    known = order_named(ordering.order).items(ordering)
    place = np.argsort(known)  # of the items by id
    return np.argsort(place[np.searchsorted(known[place], items[:, 0])])


def _question_numbers(items: Ints) -> Ints:
    """(n,): equal numbers where the same is asked: of one aspect, or of one topic without aspects."""
    numbers: Ints = np.where(items[:, 2] > 0, items[:, 2], -items[:, 1])
    return numbers


def _check_overlap(workload: Workload) -> None:
    taken = workload.taken
    beyond = taken[taken[:, 1] > workload.slots[taken[:, 0]], 0]
    if len(beyond):
        raise Refused(
            f"The overlap cannot be lowered to {workload.overlap}: {len(np.unique(beyond)):,} items"
            " have more judges. Withdraw unfinished assignments. Existing judgments are kept, so the"
            " overlap cannot be lower than they need."
        )


def _drop_open_slots(campaign: Campaign, options: PlanOptions) -> None:
    """Remove free slots of the queue: all of them for a plan, which gives them out, else those beyond the overlap."""
    free = Assignment.objects.filter(queue=campaign, state=AssignmentState.OPEN)
    if options.strategy == Strategy.QUEUE:
        free = free.filter(slot__gt=options.overlap + F("item__extra_overlap"))
    free.delete()


def _write(draft: Draft) -> None:
    work = draft.workload
    slots = free_slots(draft.items, work.slots, work.taken)
    queue = work.strategy == Strategy.QUEUE
    positions = draft.positions
    pks = np.array([each.pk for each in work.annotators] + [0], dtype=np.int64)[draft.people]
    items = work.items[draft.items, 0]
    revived = _revive(work, items, pks, slots, positions)
    new = np.flatnonzero(~revived)
    rows = zip(*(column[new].tolist() for column in (items, pks, slots, positions)), strict=True)
    campaign = work.campaign.pk
    checked, judge, places = draft.checks.T
    if queue:
        lines = [f"{i}\t{campaign}\t\\N\topen\t{s}\t0\t{n}\n" for i, _, s, n in rows]
        free = zip(work.items[checked, 0].tolist(), places.tolist(), strict=True)
        lines += [f"{i}\t{campaign}\t\\N\topen\t\\N\t{int(Asked.CHECK)}\t{n}\n" for i, n in free]
    else:
        lines = [f"{i}\t\\N\t{a}\tpending\t{s}\t0\t{n}\n" for i, a, s, n in rows]
        lines += _repeat_lines(items[draft.repeated], pks[draft.repeated], draft.again, Asked.AGAIN)
        people = np.array([each.pk for each in work.annotators], dtype=np.int64)
        lines += _repeat_lines(work.items[checked, 0], people[judge], places, Asked.CHECK)
    if not queue or len(checked):
        # In any order, for an id should not say which of two is the first time, nor what is asked in addition.
        np.random.default_rng(draft.summary.seed).shuffle(lines)
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        copy.write("".join(lines))


def _repeat_lines(items: Ints, pks: Ints, positions: Ints, asked: Asked) -> list[str]:
    """Lines for COPY of hidden repeats or checks; those that were withdrawn come back as they are instead."""
    if not len(items):
        return []
    named = {"items": items.tolist(), "annotators": pks.tolist(), "positions": positions.tolist()}
    back = set(execute(REVIVE_REPEATS, {**named, "asked": int(asked)}))
    rows = zip(*named.values(), strict=True)
    return [f"{i}\t\\N\t{a}\tpending\t\\N\t{int(asked)}\t{n}\n" for i, a, n in rows if (i, a) not in back]


def _revive(work: Workload, items: Ints, pks: Ints, slots: Ints, positions: Ints) -> np.ndarray:
    """Give withdrawn assignments back to those who had them; True for the new assignments this takes care of."""
    withdrawn = work.attempts[work.attempts[:, 5] == WITHDRAWN]
    known = {
        (item, annotator): pk
        for pk, item, annotator in zip(
            withdrawn[:, 0].tolist(), work.items[withdrawn[:, 1], 0].tolist(), withdrawn[:, 2].tolist(), strict=True
        )
    }
    ids = np.array(
        [known.get(pair, 0) for pair in zip(items.tolist(), pks.tolist(), strict=True)] if known else [0] * len(items),
        dtype=np.int64,
    )
    again = ids > 0
    if again.any():
        named = {"ids": ids[again], "slots": slots[again], "positions": positions[again]}
        execute(REVIVE, {name: values.tolist() for name, values in named.items()})
    return again


def _people_positions(
    work: Workload, plan: Plan, options: PlanOptions, gold: HiddenGold
) -> tuple[Ints, Ints, Ints, Ints]:
    """Each person's new items come after those they have, in their own order, with their repeats and checks in it.

    Returns `positions`, `repeated`, `again` and `checks` as a Draft has them.
    """
    positions = np.zeros(len(plan.items), dtype=np.int64)
    repeated, again, checks = [NO_INDEXES], [NO_INDEXES], [np.zeros((0, 3), dtype=np.int64)]
    units, groups = gold.units, gold.groups
    for person, annotator in enumerate(work.annotators):
        mine = np.flatnonzero(plan.people == person)
        chosen = plan.items[mine]
        items = work.items[chosen]
        own = work.attempts[work.attempts[:, 2] == annotator.pk]
        start = max(int(own[:, 4].max(initial=0)), _last_repeat(annotator)) + 1
        found = schedule(
            _order(work.campaign, items, work.rank[chosen], annotator.order_seed),
            units[chosen],
            groups[chosen],
            share=options.repeat_percent / 100,
            gap=options.repeat_gap,
            rng=np.random.default_rng([options.seed, annotator.order_seed]),
        )
        first, later = found.first, found.again
        if gold.is_wanted:
            walked = np.empty(len(first) + len(later), dtype=np.int64)
            walked[np.r_[first, later]] = np.r_[chosen, chosen[found.repeated]]
            offered = gold.offered_to(annotator.pk, np.r_[chosen, own[:, 1]])
            rng = np.random.default_rng([options.seed, annotator.order_seed, 1])
            shift, put = mix_gold(gold, Shown(units[walked], groups[walked]), offered, rng)
            first, later = first + shift[first], later + shift[later]
            checks.append(np.column_stack([put[:, 0], np.full(len(put), person), start + put[:, 1]]))
        positions[mine] = start + first
        repeated.append(mine[found.repeated])
        again.append(start + later)
    return positions, np.concatenate(repeated), np.concatenate(again), np.concatenate(checks)


def _groups(work: Workload) -> Ints:
    """(I,): equal numbers for items that are together in an order: of a topic, or of a question asked."""
    by_document = work.campaign.order == Order.BY_DOCUMENT
    return work.items[:, 1] if by_document else _question_numbers(work.items)


def _last_repeat(annotator: Annotator) -> int:
    """The place of the last hidden repeat in the annotator's order, 0 without any."""
    return annotator.assignments.filter(repeat__gt=0).aggregate(last=Max("position"))["last"] or 0


def _queue_positions(work: Workload, items: Ints, seed: int, gold: HiddenGold) -> tuple[Ints, Ints]:
    """All slots of an item stand at one position: the one it has in the queue already, or one after all others.

    Returns the positions, and the `checks` of a Draft: as many at one place as the item has slots.
    """
    in_queue = work.attempts[work.attempts[:, 6] == 1]
    place = np.zeros(len(work.items), dtype=np.int64)
    place[in_queue[:, 1]] = in_queue[:, 4]
    new = np.setdiff1d(items, in_queue[:, 1])
    last = Assignment.objects.filter(queue=work.campaign).aggregate(last=Max("position"))["last"] or 0
    start = max(last, int(place.max(initial=0))) + 1
    ordering = current_ordering(work.campaign)
    walk = new[queue_order(work.campaign, work.items[new], work.rank[new], seed, ordering)]
    place[walk] = np.arange(start, start + len(walk))
    if not gold.is_wanted:
        return place[items], np.zeros((0, 3), dtype=np.int64)
    walked, rng = new[np.argsort(place[new])], np.random.default_rng([seed, 1])
    order = Shown(gold.units[walked], gold.groups[walked])
    offered, after = offered_to_queue(gold, order, rng)
    shift, put = mix_gold(gold, order, offered, rng, after=after)
    place[walked] += shift
    many = np.repeat(put, work.slots[put[:, 0]], axis=0)
    return place[items], np.column_stack([many[:, 0], np.full(len(many), -1), start + many[:, 1]])

"""Planning and writing who judges what: previewed or written, from the same inputs by the same seed."""

from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import combinations

import numpy as np
from django.db import IntegrityError, connection, transaction
from django.db.models import F
from django.utils import timezone

from accounts.audit import record_event
from accounts.jobs import Progress, carry_out
from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.models import Assignment, AssignmentRun, AssignmentState, Campaign, Order, Strategy
from annotation.planning.order import order_by_aspect, order_by_document
from annotation.planning.plan import plan_assignments
from annotation.planning.problem import CannotPlan, Ints, Plan
from annotation.planning.slots import free_slots
from annotation.queries.workload import WITHDRAWN, Workload, read_workload
from annotation.runs.constraints import checked_at_once

COPY = """
COPY annotation_assignment (item_id, queue_id, annotator_id, state, slot, repeat, position) FROM STDIN
"""
# Somebody who gave an item back gets it again: an annotator has one go at an item.
REVIVE = """
UPDATE annotation_assignment a
SET state = 'pending', slot = n.slot, position = n.position,
  queue_id = NULL, lease_expires_at = NULL, finished_at = NULL
FROM unnest(%(ids)s::bigint[], %(slots)s::int[], %(positions)s::int[]) AS n(id, slot, position)
WHERE a.id = n.id AND a.state = 'withdrawn'
"""


@dataclass(frozen=True, slots=True)
class Summary:
    """What a plan gives out. `annotators` are new items, `loads` all items of each person afterwards.

    `items` get new judges, `judgments` is how many. `pairs` counts for each couple "a|b" the items both will have.
    In an open queue nobody is named: `judgments` are the slots that are made free to take.
    """

    items: int
    judgments: int
    annotators: dict[str, int]
    loads: dict[str, int]
    pairs: dict[str, int]
    seed: int
    strategy: str
    overlap: int
    inputs_hash: str


@dataclass(frozen=True, slots=True)
class Options:
    """What a plan is made with, beside the campaign itself."""

    overlap: int
    strategy: str
    seed: int


QUEUE_OF_PAPERS = "A paper is an hour's work: papers are assigned in advance, not taken from an open queue."


@dataclass(frozen=True, slots=True)
class Draft:
    """A plan that can be written. `items` (n,) indexes the workload's, sorted; `people` (n,) its annotators, or -1."""

    workload: Workload
    items: Ints
    people: Ints
    summary: Summary


def draft_assignment(campaign: Campaign, options: Options) -> Draft:
    """Plan without writing. Errors: Refused where no plan is possible, with the reason."""
    campaign = Campaign.objects.get(pk=campaign.pk)
    workload = read_workload(campaign, overlap=options.overlap, strategy=options.strategy)
    seed = options.seed
    _check_overlap(workload)
    if not len(workload.items):
        raise Refused("The campaign has no items yet. Build them first.")
    if workload.strategy == Strategy.QUEUE and not campaign.has_criteria:
        raise Refused(QUEUE_OF_PAPERS)
    if workload.strategy == Strategy.QUEUE:
        items = np.repeat(np.arange(len(workload.items)), workload.demand)
        return Draft(workload, items, np.full(len(items), -1), _queue_summary(workload, items, seed))
    try:
        plan = plan_assignments(workload.people(), workload.work(), np.random.default_rng(seed))
    except CannotPlan as refusal:
        raise Refused(refusal.reason) from refusal
    return Draft(workload, plan.items, plan.people, _summary(workload, plan, seed))


@transaction.atomic
def write_assignment(campaign: Campaign, options: Options, *, confirms: str, by: User | None, at: datetime) -> Summary:
    """Plan and write. `confirms` is the hash of the preview that was agreed to, "" if none was asked for.

    Errors: Refused as for the draft; Conflict if the campaign has changed since the preview, or while writing.
    """
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    _drop_open_slots(campaign, options)
    draft = draft_assignment(campaign, options)
    if confirms and confirms != draft.summary.inputs_hash:
        raise Conflict(
            "The campaign has changed since the preview: items, annotators or assignments are not the same any more."
            " Nothing was written. Look at a new preview."
        )
    try:
        with transaction.atomic(), checked_at_once():
            _write(draft)
    except IntegrityError as error:
        raise Conflict("Somebody took or gave back an item while the plan was written. Plan again.") from error
    Campaign.objects.filter(pk=campaign.pk).update(overlap=options.overlap, strategy=options.strategy)
    facts = {"items": draft.summary.items, "annotators": draft.summary.annotators}
    record_event(
        by=by,
        at=at,
        verb="assign_items",
        target=campaign,
        scope=campaign.collection,
        **asdict(options),
        **facts,
    )
    return draft.summary


def run_assignment_run(run_id: int) -> None:
    """The job: preview, or write what was previewed."""
    carry_out(AssignmentRun, run_id, _work)


def _work(job: AssignmentRun, progress: Progress) -> None:
    if job.summary:
        return  # it ended after its result was stored
    progress.report(0, 0, "planning")
    options = Options(job.overlap, job.strategy, job.seed or 0)
    with transaction.atomic():
        if job.dry_run:
            summary = draft_assignment(job.campaign, options).summary
        else:
            by, at = job.requested_by, timezone.now()
            summary = write_assignment(job.campaign, options, confirms=job.confirms, by=by, at=at)
        job.summary, job.inputs_hash = asdict(summary), summary.inputs_hash
        job.save(update_fields=["summary", "inputs_hash"])
        # The last moment at which cancelling still undoes everything.
        progress.report(summary.judgments, summary.judgments, "planned" if job.dry_run else "written")


def order_positions(campaign: Campaign, items: Ints, rank: Ints, seed: int, start: int) -> Ints:
    """Positions from `start` on for items (n, 5) with the ranks (n,) of their aspects, shuffled by the seed."""
    rng = np.random.default_rng(seed)
    if campaign.order == Order.BY_DOCUMENT:
        order = order_by_document(items[:, 1], items[:, 3], rank, rng)
    else:
        order = order_by_aspect(np.where(items[:, 2] > 0, items[:, 2], -items[:, 1]), rng)
    positions = np.empty(len(items), dtype=np.int64)
    positions[order] = np.arange(start, start + len(items))
    return positions


def _check_overlap(workload: Workload) -> None:
    taken = workload.taken
    beyond = taken[taken[:, 1] > workload.wanted[taken[:, 0]], 0]
    if len(beyond):
        raise Refused(
            f"The overlap cannot be lowered to {workload.overlap}: {len(np.unique(beyond)):,} items have more judges."
            " Withdraw assignments that are not done; judgments that are given stay, and so does the overlap they need."
        )


def _drop_open_slots(campaign: Campaign, options: Options) -> None:
    """Remove free slots of the queue: all of them for a plan, which gives them out, else those beyond the overlap."""
    free = Assignment.objects.filter(queue=campaign, state=AssignmentState.OPEN)
    if options.strategy == Strategy.QUEUE:
        free = free.filter(slot__gt=options.overlap + F("item__extra_overlap"))
    free.delete()


def _write(draft: Draft) -> None:
    work = draft.workload
    slots = free_slots(draft.items, work.wanted, work.taken)
    queue = work.strategy == Strategy.QUEUE
    positions = _queue_positions(draft) if queue else _people_positions(draft)
    pks = np.array([each.pk for each in work.annotators] + [0], dtype=np.int64)[draft.people]
    items = work.items[draft.items, 0]
    revived = _revive(work, items, pks, slots, positions)
    new = np.flatnonzero(~revived)
    rows = zip(*(column[new].tolist() for column in (items, pks, slots, positions)), strict=True)
    campaign = work.campaign.pk
    with connection.cursor() as cursor, cursor.copy(COPY) as copy:
        if queue:
            copy.write("".join(f"{i}\t{campaign}\t\\N\topen\t{s}\t0\t{n}\n" for i, _, s, n in rows))
        else:
            copy.write("".join(f"{i}\t\\N\t{a}\tpending\t{s}\t0\t{n}\n" for i, a, s, n in rows))


def _revive(work: Workload, items: Ints, pks: Ints, slots: Ints, positions: Ints) -> np.ndarray:
    """Give withdrawn assignments back to those who had them; True for the new assignments this takes care of."""
    withdrawn = work.goes[work.goes[:, 5] == WITHDRAWN]
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
        with connection.cursor() as cursor:
            named = {"ids": ids[again], "slots": slots[again], "positions": positions[again]}
            cursor.execute(REVIVE, {name: values.tolist() for name, values in named.items()})
    return again


def _people_positions(draft: Draft) -> Ints:
    """Each person's new items come after those they have, in an order of their own."""
    work = draft.workload
    positions = np.zeros(len(draft.items), dtype=np.int64)
    for person, annotator in enumerate(work.annotators):
        mine = np.flatnonzero(draft.people == person)
        own = work.goes[work.goes[:, 2] == annotator.pk]
        start = int(own[:, 4].max(initial=0)) + 1
        chosen = draft.items[mine]
        positions[mine] = order_positions(
            work.campaign, work.items[chosen], work.rank[chosen], annotator.order_seed, start
        )
    return positions


def _queue_positions(draft: Draft) -> Ints:
    """All slots of an item stand at one position: the one it has in the queue already, or one after all others."""
    work = draft.workload
    in_queue = work.goes[work.goes[:, 6] == 1]
    place = np.zeros(len(work.items), dtype=np.int64)
    place[in_queue[:, 1]] = in_queue[:, 4]
    new = np.setdiff1d(draft.items, in_queue[:, 1])
    start = int(place.max(initial=0)) + 1
    place[new] = order_positions(work.campaign, work.items[new], work.rank[new], draft.summary.seed, start)
    return place[draft.items]


def _summary(work: Workload, plan: Plan, seed: int) -> Summary:
    names = [each.name for each in work.annotators]
    new = np.bincount(plan.people, minlength=len(names)).tolist()
    return Summary(
        items=len(np.unique(plan.items)),
        judgments=len(plan.items),
        annotators=dict(zip(names, new, strict=True)),
        loads=dict(zip(names, plan.loads.tolist(), strict=True)),
        pairs={f"{names[a]}|{names[b]}": int(plan.couples[a, b]) for a, b in combinations(range(len(names)), 2)},
        seed=seed,
        strategy=str(work.strategy),
        overlap=work.overlap,
        inputs_hash=work.digest(seed),
    )


def _queue_summary(work: Workload, items: Ints, seed: int) -> Summary:
    return Summary(
        items=len(np.unique(items)),
        judgments=len(items),
        annotators={},
        loads={},
        pairs={},
        seed=seed,
        strategy=str(work.strategy),
        overlap=work.overlap,
        inputs_hash=work.digest(seed),
    )

"""Choosing what the open queue hands out next, and what the judged part of a campaign is a sample of.

The free places get new positions behind all old ones, some thousand at a time, so that people go on taking items
meanwhile. What somebody has in hand stays with them, and the sample of an audit stays in front.
"""

import itertools
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max

from accounts import jobs
from accounts.audit import record_event
from accounts.counting import counted, moment
from accounts.extensions import extensions
from accounts.jobs import Progress
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, Refused
from accounts.sql import execute
from annotation.assignment.planning import queue_order
from annotation.assignment.queue_orders import (
    FRONT,
    ORDERS,
    count_given,
    current_ordering,
    has_open_queue,
    note_front,
    order_named,
)
from annotation.assignment.workload import ITEMS, read_integers, tree_ranks
from annotation.campaigns.rules import check_not_closed, check_within, fetch_managed
from annotation.models import AnnotatorKind, Assignment, AssignmentState, Campaign, QueueOrdering, Strategy
from engines.definitions.settings import SEED

AT_ONCE = 5_000  # items between two commits: their free places are taken by nobody for that moment
# Free checks (hidden gold) come some way after the item that they are about.
MOVE = """
UPDATE annotation_assignment a SET position = CASE WHEN a.repeat = 0 THEN free.own ELSE free.later END FROM (
  SELECT o.id, n.own, n.later FROM unnest(%(items)s::bigint[], %(own)s::int[], %(later)s::int[]) AS n(item, own, later)
  JOIN annotation_assignment o ON o.item_id = n.item AND o.queue_id = %(campaign)s AND o.state = 'open'
  FOR NO KEY UPDATE OF o SKIP LOCKED
) free WHERE a.id = free.id AND a.state = 'open'
"""


@transaction.atomic
def order_queue(
    *,
    campaign: Campaign,
    order: str,
    runs: list[str] | None = None,
    seed: int | None = None,
    by: User | None,
    at: datetime,
    send: bool = True,
) -> QueueOrdering:
    """A job that puts the open queue into this order, also one that is filled later. Without a seed the campaign's.

    Errors: Refused for campaigns without an open queue, closed ones, unknown orders, and runs that do not exist or are
    missing; Conflict while another order is being stored.
    """
    campaign = fetch_managed(campaign, by, lock=True)
    check_not_closed(campaign)
    if not has_open_queue(campaign):
        raise Refused(
            "Only an open queue has an order to choose. Items assigned in advance are in each person's order."
        )
    if order not in ORDERS:
        raise Refused(f"The order must be one of {', '.join(ORDERS)}, not “{order}”.")
    check_within(SEED, seed)
    runs = _known_runs(campaign, runs or []) if ORDERS[order].needs_runs else []
    if campaign.queue_orderings.exclude(state__in=FINAL_STATES).exists():
        raise Conflict("Another order is being stored. Wait for it, or cancel it.")
    seed = campaign.seed if seed is None else seed
    facts: dict[str, Any] = {"order": order, "seed": seed}
    job = jobs.new_job(QueueOrdering, by=by, at=at, send=send, campaign=campaign, **facts, parameters={"runs": runs})
    record_event(by=by, at=at, verb="order_queue", target=campaign, scope=campaign.collection, **facts, runs=runs)
    return job


def _known_runs(campaign: Campaign, runs: list[str]) -> list[str]:
    known = set(campaign.collection.retrieval_runs.filter(name__in=runs).values_list("name", flat=True))
    if unknown := [name for name in runs if name not in known]:
        raise Refused(f"There is no run {unknown[0]}.")
    if not runs:
        raise Refused("Name the runs whose unjudged documents come first.")
    return runs


def store_order(job: QueueOrdering, progress: Progress) -> None:
    """Move the free places of the queue; done again it gives the same order. What is being taken keeps its place."""
    campaign = job.campaign
    items = read_integers(ITEMS, {"campaign": campaign.pk}, 5)
    order = queue_order(campaign, items, tree_ranks(campaign, items[:, 2]), job.seed or 0, job)
    front = _stay_in_front(campaign)
    order = order[np.argsort([front.get(item, len(front)) for item in items[order, 0].tolist()], kind="stable")]
    last = Assignment.objects.filter(queue=campaign).aggregate(last=Max("position"))["last"] or 0
    place = np.arange(len(order))
    own = last + 1 + 2 * place
    later = last + 2 + 2 * np.random.default_rng(job.seed).integers(place, len(order)) if len(order) else own
    for begin in range(0, len(order), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        arrays = {"items": items[order[part], 0], "own": own[part], "later": later[part]}
        execute(MOVE, {"campaign": campaign.pk, **{name: each.tolist() for name, each in arrays.items()}})
        progress.report(min(begin + AT_ONCE, len(order)), len(order), "ordering")
    job.given, job.items = count_given(campaign), len(items)
    job.save(update_fields=["given", "items"])
    if front:
        note_front(campaign.pk)


def _stay_in_front(campaign: Campaign) -> dict[int, int]:
    """{item: its place} of items with free places that come before all others, as apps above name them (`queue_fronts`:
    functions of the id of a campaign)."""
    named = [item for items_of in extensions("queue_fronts").values() for item in items_of(campaign.pk)]
    free = Assignment.objects.filter(queue=campaign, state=AssignmentState.OPEN, repeat=0, item__in=named)
    is_free = set(free.values_list("item", flat=True))
    return {item: place for place, item in enumerate(item for item in named if item in is_free)}


@dataclass(frozen=True)
class OrderedPart:
    """What was handed out under one order: `given` assignments since `since` (None: from the beginning)."""

    label: str
    since: datetime | None
    by: User | None
    seed: int | None
    runs: list[str]
    given: int
    is_random: bool


def handed_out(campaign: Campaign) -> list[OrderedPart]:
    """Under which orders how much was handed out, the oldest first; the last one is in force."""
    orderings = list(campaign.queue_orderings.filter(state="done").select_related("requested_by").order_by("pk"))
    bounds = [0, *(each.given for each in orderings), count_given(campaign)]
    counts = [after - before for before, after in itertools.pairwise(bounds)]
    first = OrderedPart(order_named("planned").label, None, None, None, [], counts[0], False)
    return [first] + [
        OrderedPart(
            label="with items of an audit first" if each.order == FRONT else ORDERS.label_of(each.order),
            since=each.finished_at,
            by=each.requested_by,
            seed=each.seed,
            runs=each.runs,
            given=given,
            is_random=order_named(each.order).is_random,
        )
        for each, given in zip(orderings, counts[1:], strict=True)
    ]


RANDOM = "the open queue handed them out in random order, and what was skipped is missing."


@dataclass(frozen=True)
class JudgedSample:
    """Whether the items that people have judged stand for the campaign: all of them, or a random sample; and why."""

    stands_for_all: bool
    judged: int
    items: int
    reason: str

    @property
    def sentence(self) -> str:
        """What to say with figures made of the judged items; "" where every item is judged."""
        if self.judged == self.items:
            return ""
        which = "a random sample" if self.stands_for_all else "no random sample"
        are = "item is" if self.judged == 1 else "items are"
        return f"The {self.judged:,} judged {are} {which} of the campaign’s {self.items:,}: {self.reason}"


def judged_sample(campaign: Campaign) -> JudgedSample:
    """Whether estimates for the whole campaign may be made of the items that people have judged so far."""
    items = campaign.items.count()
    done = Assignment.objects.filter(
        annotator__campaign=campaign, annotator__kind=AnnotatorKind.HUMAN, state=AssignmentState.DONE, repeat=0
    )
    judged = done.values("item").distinct().count()
    if judged == items:
        words = "every item is judged." if judged else "the campaign has no items."
        return JudgedSample(judged > 0, judged, items, words)
    imported = done.filter(imported_in__isnull=False).exists()
    reason = _why_not_random(campaign, items, is_imported=imported) if judged else "nothing is judged yet."
    return JudgedSample(not reason, judged, items, reason or RANDOM)


def _why_not_random(campaign: Campaign, items: int, *, is_imported: bool) -> str:
    """Why the judged items are no random sample; "" where they are one."""
    if is_imported:
        return "some labels were imported, and how their items were chosen is not known."
    if campaign.strategy != Strategy.QUEUE:
        return "items are assigned in advance and judged one question after another, so whole questions come first."
    used = [part for part in handed_out(campaign) if part.given]
    if biased := next((part for part in used if not part.is_random), None):
        since = f"since {moment(biased.since)}" if biased.since else "at first"
        return f"{since} the queue handed out {counted(biased.given, 'assignment')} {biased.label}."
    ordering = current_ordering(campaign)
    if len(used) > 1 or (ordering and ordering.items != items):
        return "items or another random order were added after people had begun."
    return ""

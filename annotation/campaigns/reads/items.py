"""Items: the parameters by which they are made, and finding those that exist."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.models import Assignment, AssignmentState, Campaign, Item, Split
from corpus.long_lists import KeyedPage, NumberedPage, Span, search_page, take_page

HELD_OUT = (Split.DEV, Split.TEST)
HELD_ELSEWHERE = """
SELECT count(*) FROM annotation_item mine
WHERE mine.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_item i
  WHERE coalesce(i.topic_id, 0) = coalesce(mine.topic_id, 0) AND coalesce(i.aspect_id, 0) = coalesce(mine.aspect_id, 0)
    AND coalesce(i.document_id, 0) = coalesce(mine.document_id, 0)
    AND coalesce(i.paper_id, 0) = coalesce(mine.paper_id, 0)
    AND i.campaign_id <> mine.campaign_id AND i.split IN ('dev', 'test'))
"""
BATCH = 1_000


def campaign_parameters(campaign: Campaign, *, sampled: bool = False) -> dict[str, Any]:
    """The parameters of SQL that finds and makes items of a campaign.

    A sample of a main campaign keeps away from development and test pairs, as those of each other: Anno-GPT compares
    the three. A main campaign of everything is of everything.
    """
    return {
        "collection": campaign.collection_id,
        "campaign": campaign.pk,
        "split": str(campaign.split),
        "held_out": sampled or campaign.split in HELD_OUT,
    }


@contextmanager
def whole_sets() -> Iterator[CursorWrapper]:
    """A cursor whose statements join whole sets, never row by row.

    Right after a large import the planner still believes that the tables are small, and its nested loops over pairs
    and items then take hours instead of a second.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_nestloop = off")
        yield cursor
        cursor.execute("SET LOCAL enable_nestloop = on")


def count_held_elsewhere(campaign: Campaign) -> int:
    """Items of the campaign that are also in another development or test campaign."""
    with whole_sets() as cursor:
        cursor.execute(HELD_ELSEWHERE, {"campaign": campaign.pk})
        return int(cursor.fetchone()[0])


STATES = {
    "complete": "done",
    "begun": "in progress",
    "untouched": "nobody has judged it",
    "unassigned": "not enough judges assigned",
    "skipped": "skipped by somebody",
    "stale": "taken from the queue, lease run out",
}


@dataclass(frozen=True, slots=True)
class ItemFilter:
    """Which items a list shows: of one topic, in one of STATES, that need so many more, skipped for a reason."""

    topic: int | None = None
    state: str = ""
    needs: int | None = None
    reason: str | None = None


def find_items(campaign: Campaign, chosen: ItemFilter, now: datetime, *, with_counts: bool = False) -> QuerySet[Any]:
    """The items the filter lets through, in the order they were made.

    Take their ids alone and give those that are shown to `describe_items`: counting the judges of all takes long, and
    is done here only `with_counts`, to order by them, or where the filter asks for it.
    """
    items = Item.objects.filter(campaign=campaign).order_by("pk")
    if chosen.topic is not None:
        items = items.filter(topic=chosen.topic)
    if chosen.reason is not None:
        items = items.filter(Exists(_skipped().filter(submissions__kind="skip", submissions__reason=chosen.reason)))
    if chosen.state == "skipped":
        items = items.filter(Exists(_skipped()))
    if chosen.state == "stale":
        leased = Assignment.objects.filter(item=OuterRef("pk"), state=AssignmentState.PENDING)
        items = items.filter(Exists(leased.filter(lease_expires_at__lt=now)))
    counted = _counted_condition(chosen)
    if counted is not None or with_counts:
        items = _with_counts(items)
    return items if counted is None else items.filter(counted)


def find_page(
    campaign: Campaign,
    chosen: ItemFilter,
    now: datetime,
    address: Mapping[str, str],
    per_page: int,
    *,
    ordered: QuerySet[Any, Any],
) -> NumberedPage | KeyedPage:
    """The page of the ids of these items that the `address` asks for; `ordered` are all of them, sorted."""
    if chosen == ItemFilter(topic=chosen.topic):
        return take_page(
            find_items(campaign, chosen, now).values_list("pk", flat=True), address, per_page, ordered=ordered
        )

    def find(span: Span | None) -> QuerySet[Any, Any]:
        items = find_items(campaign, chosen, now)
        return (items if span is None else items.filter(pk__gt=span[0], pk__lte=span[1])).values_list("pk", flat=True)

    among = find_items(campaign, ItemFilter(topic=chosen.topic), now)
    return search_page(find, among, address, per_page, ordered)


def describe_items(ids: Sequence[int]) -> list[Any]:
    """These items in this order with topic, aspect, document, paper, and `needed`, `done`, `slots` and `skips`."""
    items = Item.objects.filter(pk__in=ids).select_related("topic", "aspect", "document", "paper")
    found = {item.pk: item for item in _with_counts(items)}
    return [found[pk] for pk in ids if pk in found]


def describe_all(items: QuerySet[Any]) -> Iterator[Any]:
    """All items of the queryset as `describe_items` returns them, read in batches."""
    ids = items.values_list("pk", flat=True).iterator()
    while batch := list(islice(ids, BATCH)):
        yield from describe_items(batch)


def _counted_condition(chosen: ItemFilter) -> Q | None:
    """What the filter asks of the counts; None where it asks nothing and they need not be counted."""
    conditions = {
        "complete": Q(done__gte=F("needed")),
        "begun": Q(done__gt=0, done__lt=F("needed")),
        "untouched": Q(done=0),
        "unassigned": Q(slots__lt=F("needed")),
    }
    counted = conditions.get(chosen.state)
    if chosen.needs is not None:
        needed = Q(done=F("needed") - chosen.needs)
        counted = needed if counted is None else counted & needed
    return counted


def _with_counts(items: QuerySet[Item]) -> QuerySet[Any]:
    return items.annotate(
        needed=F("campaign__overlap") + F("extra_overlap"),
        done=Count("assignments", filter=Q(assignments__state=AssignmentState.DONE, assignments__slot__gt=0)),
        slots=Count("assignments", filter=Q(assignments__slot__gt=0)),
        skips=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
    )


def _skipped() -> QuerySet[Assignment]:
    return Assignment.objects.filter(item=OuterRef("pk"), state=AssignmentState.SKIPPED)

"""Items: what could be one, what is left of it, and finding those that exist."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.backends.utils import CursorWrapper
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet

from annotation.models import Assignment, AssignmentState, Campaign, CampaignKind, Item, Split

HELD_OUT = (Split.DEV, Split.TEST)

# Every pair that a campaign of the collection could judge: the distinct aspects in a topic's tree, or the topic itself
# where it has none, by the documents of its pool.
PAIRS = """
SELECT t.id AS topic_id, a.id AS aspect_id, p.document_id
FROM corpus_topic t
JOIN corpus_poolentry p ON p.topic_id = t.id
LEFT JOIN corpus_aspect a ON a.topic_id = t.id AND EXISTS (SELECT FROM corpus_aspectnode n WHERE n.aspect_id = a.id)
WHERE t.collection_id = %(collection)s
"""
# Those that the campaign may still take: not in it yet and, if it is held out, in no held-out campaign at all.
LEFT = f"""
SELECT pair.* FROM ({PAIRS}) pair
WHERE NOT EXISTS (
  SELECT FROM annotation_item i
  WHERE i.topic_id = pair.topic_id AND i.document_id = pair.document_id
    AND coalesce(i.aspect_id, 0) = coalesce(pair.aspect_id, 0)
    AND (i.campaign_id = %(campaign)s OR (%(held_out)s AND i.split IN ('dev', 'test')))
)
"""
HELD_ELSEWHERE = """
SELECT count(*) FROM annotation_item mine
WHERE mine.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_item i
  WHERE i.topic_id = mine.topic_id AND i.document_id = mine.document_id
    AND coalesce(i.aspect_id, 0) = coalesce(mine.aspect_id, 0)
    AND i.campaign_id <> mine.campaign_id AND i.split IN ('dev', 'test'))
"""
# The same for the papers of an extraction.
PAPERS_LEFT = """
SELECT p.id, p.key, p.position FROM corpus_paper p
WHERE p.collection_id = %(collection)s AND NOT EXISTS (
  SELECT FROM annotation_item i WHERE i.paper_id = p.id
    AND (i.campaign_id = %(campaign)s OR (%(held_out)s AND i.split IN ('dev', 'test')))
)
"""
PAPERS_HELD_ELSEWHERE = """
SELECT count(*) FROM annotation_item mine
WHERE mine.campaign_id = %(campaign)s AND EXISTS (
  SELECT FROM annotation_item i
  WHERE i.paper_id = mine.paper_id AND i.campaign_id <> mine.campaign_id AND i.split IN ('dev', 'test'))
"""


@dataclass(frozen=True, slots=True)
class Supply:
    """Pairs (or papers) of the collection: all there are, those the campaign has, and those it could still take."""

    pairs: int
    taken: int
    left: int

    @property
    def held_elsewhere(self) -> int:
        """Pairs that another development or test campaign keeps from this one."""
        return self.pairs - self.taken - self.left


def pair_parameters(campaign: Campaign, *, sampled: bool = False) -> dict[str, Any]:
    """What the SQL of this module needs to know about a campaign.

    A sample of a main campaign keeps away from development and test pairs, as those of each other: Anno-GPT compares
    the three. A main campaign of everything is of everything.
    """
    return {
        "collection": campaign.collection_id,
        "campaign": campaign.pk,
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


def fetch_supply(campaign: Campaign, *, sampled: bool = False) -> Supply:
    """How many pairs there are and are left for the campaign, or for a sample of it."""
    named = pair_parameters(campaign, sampled=sampled)
    if campaign.kind == CampaignKind.EXTRACTION:
        return _paper_supply(named)
    with whole_sets() as cursor:
        cursor.execute(f"SELECT (SELECT count(*) FROM ({PAIRS}) p), (SELECT count(*) FROM ({LEFT}) l)", named)
        pairs, left = cursor.fetchone()
        # Items whose pair has left its pool since are no longer among the pairs.
        cursor.execute(
            f"SELECT count(*) FROM ({PAIRS}) pair JOIN annotation_item i ON i.campaign_id = %(campaign)s"
            " AND i.topic_id = pair.topic_id AND i.document_id = pair.document_id"
            " AND coalesce(i.aspect_id, 0) = coalesce(pair.aspect_id, 0)",
            named,
        )
        taken = cursor.fetchone()[0]
    return Supply(pairs, taken, left)


def _paper_supply(named: dict[str, Any]) -> Supply:
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT (SELECT count(*) FROM corpus_paper WHERE collection_id = %(collection)s),
            (SELECT count(*) FROM annotation_item WHERE campaign_id = %(campaign)s),
            (SELECT count(*) FROM ({PAPERS_LEFT}) l)""",
            named,
        )
        return Supply(*cursor.fetchone())


def count_held_elsewhere(campaign: Campaign) -> int:
    """Items of the campaign whose pair is in another development or test campaign."""
    with whole_sets() as cursor:
        is_paper = campaign.kind == CampaignKind.EXTRACTION
        cursor.execute(PAPERS_HELD_ELSEWHERE if is_paper else HELD_ELSEWHERE, {"campaign": campaign.pk})
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


def find_items(campaign: Campaign, chosen: ItemFilter, now: datetime) -> QuerySet[Any]:
    """The ids of the items the filter lets through, in the order they were made.

    Ids alone, because counting judges is only done for those that are shown: see `describe_items`.
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
    if counted is not None:
        items = _with_counts(items).filter(counted)
    return items.values_list("pk", flat=True)


def describe_items(ids: Sequence[int]) -> list[Any]:
    """These items with topic, aspect and document, or paper, and their counts `wanted`, `done`, `slots` and `skips`."""
    items = Item.objects.filter(pk__in=ids).select_related("topic", "aspect", "document", "paper")
    return list(_with_counts(items).order_by("pk"))


def _counted_condition(chosen: ItemFilter) -> Q | None:
    """What the filter asks of the counts; None where it asks nothing and they need not be counted."""
    conditions = {
        "complete": Q(done__gte=F("wanted")),
        "begun": Q(done__gt=0, done__lt=F("wanted")),
        "untouched": Q(done=0),
        "unassigned": Q(slots__lt=F("wanted")),
    }
    counted = conditions.get(chosen.state)
    if chosen.needs is not None:
        needed = Q(done=F("wanted") - chosen.needs)
        counted = needed if counted is None else counted & needed
    return counted


def _with_counts(items: QuerySet[Item]) -> QuerySet[Any]:
    return items.annotate(
        wanted=F("campaign__overlap") + F("extra_overlap"),
        done=Count("assignments", filter=Q(assignments__state=AssignmentState.DONE, assignments__slot__gt=0)),
        slots=Count("assignments", filter=Q(assignments__slot__gt=0)),
        skips=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
    )


def _skipped() -> QuerySet[Assignment]:
    return Assignment.objects.filter(item=OuterRef("pk"), state=AssignmentState.SKIPPED)

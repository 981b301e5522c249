"""What the open queue hands out next: the orders that a manager chooses from, and their items in order.

An order is computed once, from what is stored then, and stored as positions; taking an item never sorts. Other packages
add orders under the entry points "litmus.queue_orders" (engines/plugins.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q
from django.utils import timezone

from accounts.models import JobState
from annotation.assignment.workload import read_integers
from annotation.models import AnnotatorKind, Assignment, AssignmentState, Campaign, Order, QueueOrdering, Strategy
from engines.planning.problem import Ints
from engines.plugins import Registry

# Equal keys are shuffled by the seed. Where an abstract is judged by all aspects at once, it is drawn as one.
ITEMS = r"""
SELECT i.id FROM annotation_item i {joins}
WHERE i.campaign_id = %(campaign)s
ORDER BY {key} md5(concat_ws('-', %(seed)s, i.topic_id, i.document_id, CASE WHEN NOT %(by_document)s THEN i.id END)),
  i.id
"""
POOLED_RANK = """LEFT JOIN (
  SELECT e.topic_id, e.document_id, min(s.rank) AS rank FROM corpus_poolentry e
  JOIN corpus_topic t ON t.id = e.topic_id AND t.collection_id = %(collection)s
  JOIN corpus_poolsource s ON s.entry_id = e.id GROUP BY 1, 2
) best ON best.topic_id = i.topic_id AND best.document_id = i.document_id"""
HOLES = """LEFT JOIN (
  SELECT r.topic_id, d.id AS document_id, min(top.rank) AS rank FROM corpus_retrievalrun run
  JOIN corpus_ranking r ON r.run_id = run.id
  CROSS JOIN LATERAL unnest(r.docnos) WITH ORDINALITY AS top(docno, rank)
  JOIN corpus_document d ON d.collection_id = run.collection_id AND d.docno = top.docno
  WHERE run.collection_id = %(collection)s AND run.name = ANY(%(runs)s) GROUP BY 1, 2
) best ON best.topic_id = i.topic_id AND best.document_id = i.document_id AND NOT EXISTS (
  SELECT FROM annotation_assignment a JOIN annotation_annotator n ON n.id = a.annotator_id AND n.kind = 'human'
  WHERE a.item_id = i.id AND a.state = 'done' AND a.repeat = 0)"""
LABELS = """
  SELECT a.item_id, n.kind, n.id AS annotator, j.criterion_id AS criterion, j.value FROM annotation_annotator n
  JOIN annotation_assignment a ON a.annotator_id = n.id AND a.state = 'done' AND a.repeat = 0
  JOIN annotation_judgment j ON j.assignment_id = a.id WHERE n.campaign_id = %(campaign)s"""
DISAGREEMENT = f"""LEFT JOIN (
  SELECT item_id, max(spread) AS spread FROM (
    SELECT item_id, max(value) - min(value) AS spread FROM ({LABELS}) label WHERE kind = 'human'
    GROUP BY item_id, criterion
  ) one GROUP BY 1
) labelled ON labelled.item_id = i.id"""
# How often people overturn each answer of each machine, smoothed: (differ + 1) / (both + 2), 1/2 where nobody has.
UNCERTAIN = f"""LEFT JOIN (
  WITH label AS ({LABELS}), overturned AS (
    SELECT m.annotator, m.criterion, m.value,
      (count(*) FILTER (WHERE h.value <> m.value) + 1.0) / (count(*) + 2) AS share
    FROM label m JOIN label h ON h.item_id = m.item_id AND h.criterion = m.criterion AND h.kind = 'human'
    WHERE m.kind = 'machine' GROUP BY 1, 2, 3
  )
  SELECT m.item_id, avg(coalesce(o.share, 0.5)) AS share FROM label m
  LEFT JOIN overturned o USING (annotator, criterion, value) WHERE m.kind = 'machine' GROUP BY 1
) unsure ON unsure.item_id = i.id"""


@dataclass(frozen=True)
class QueueOrder:
    """One order: `about` says what comes first, `joins` and `key` are SQL of it about the item i (see ITEMS).

    Without a key the items are shuffled. Only then is what is judged a random sample of the campaign.
    """

    name: str
    label: str
    about: str
    joins: str = ""
    key: str = ""
    needs_runs: bool = False
    is_planned: bool = False

    @property
    def is_random(self) -> bool:
        return not (self.key or self.is_planned)

    def items(self, ordering: QueueOrdering) -> Ints:
        """(I,): the ids of the campaign's items in this order."""
        campaign = ordering.campaign
        named: Mapping[str, Any] = {
            "campaign": campaign.pk,
            "collection": campaign.collection_id,
            "seed": ordering.seed,
            "by_document": campaign.order == Order.BY_DOCUMENT,
            "runs": ordering.runs,
        }
        return read_integers(ITEMS.format(joins=self.joins, key=self.key and f"{self.key} NULLS LAST,"), named, 1)[:, 0]


PLANNED = QueueOrder(
    "planned", "as planned", "one aspect or topic after another, in the order of the campaign", is_planned=True
)
ORDERS: Registry[QueueOrder] = Registry(
    "litmus.queue_orders",
    QueueOrder,
    PLANNED,
    QueueOrder("random", "random", "at any time the judged items are a random sample of the campaign"),
    QueueOrder(
        "pooled-rank",
        "by pooled rank",
        "documents that a method of the pool ranked high come first",
        POOLED_RANK,
        "best.rank",
    ),
    QueueOrder(
        "holes",
        "holes of runs first",
        "documents that the named runs rank high and no person has judged",
        HOLES,
        "best.rank",
        needs_runs=True,
    ),
    QueueOrder(
        "disagreement",
        "disagreement first",
        "items on which people are furthest apart",
        DISAGREEMENT,
        "labelled.spread DESC",
    ),
    QueueOrder(
        "machine-uncertainty",
        "uncertainty of machines against people first",
        "items with machine answers that people contradict most often on other items",
        UNCERTAIN,
        "unsure.share DESC",
    ),
)


# Not chosen but noted: items drawn for an audit came next, whatever the order (annotation/assignment/queue_front.py).
FRONT = "front"


def order_named(name: str) -> QueueOrder:
    """The order of this name; what came from a package that is gone hands out as planned."""
    return ORDERS.get(name, PLANNED)


def current_ordering(campaign: Campaign) -> QueueOrdering | None:
    """The order in force; None: as planned, from the beginning."""
    return campaign.queue_orderings.filter(state="done").exclude(order=FRONT).order_by("-pk").first()


def note_filled(campaign: Campaign) -> None:
    """Items that came before anybody had one are in the order from its beginning."""
    ordering = current_ordering(campaign)
    if ordering and not count_given(campaign):
        QueueOrdering.objects.filter(pk=ordering.pk).update(items=campaign.items.count())


def count_given(campaign: Campaign) -> int:
    """Assignments of people that were handed out, also those given back, and labels that were imported."""
    out = Q(queue__isnull=False) | Q(state=AssignmentState.DONE)
    return Assignment.objects.filter(
        out, annotator__campaign=campaign, annotator__kind=AnnotatorKind.HUMAN, repeat=0
    ).count()


def has_open_queue(campaign: Campaign) -> bool:
    """Whether people take the next free item. In practice everybody answers every item."""
    return campaign.strategy == Strategy.QUEUE and not campaign.for_what.is_practice


def count_left(campaign: Campaign) -> int:
    """Items that the open queue has still to hand out, to one person or several."""
    free = Assignment.objects.filter(queue=campaign, state=AssignmentState.OPEN)
    return free.values("item").distinct().count()


def note_front(campaign: int) -> None:
    """Note that from now on other items come first than the order says."""
    found, now = Campaign.objects.get(pk=campaign), timezone.now()
    noted = {"state": JobState.DONE, "requested_at": now, "finished_at": now, "given": count_given(found)}
    QueueOrdering.objects.create(campaign=found, order=FRONT, items=found.items.count(), **noted)

"""What the planner needs to know about a campaign, as arrays."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray
from psycopg import sql

from annotation.models import Annotator, AnnotatorKind, AnnotatorState, Campaign, Order, Strategy
from corpus.models import Membership, Role
from engines.planning.problem import UNLIMITED, Bools, Ints, People, Work

ITEMS = """
SELECT i.id, coalesce(i.topic_id, i.paper_id),
  coalesce(i.aspect_id, 0)::bigint, coalesce(i.document_id, 0)::bigint, i.extra_overlap::bigint
FROM annotation_item i WHERE i.campaign_id = %(campaign)s ORDER BY i.id
"""
# People's first assignments of the campaign's items: machines and hidden repeats need no slots. States are numbered as
# below. People who acted on an item's votes, or have it as hidden gold, do not get it, like those who skipped it.
ATTEMPTS = """
SELECT a.id, a.item_id, coalesce(a.annotator_id, 0)::bigint, coalesce(a.slot, 0)::bigint, a.position::bigint,
  array_position(ARRAY['open', 'pending', 'done', 'skipped', 'withdrawn'], a.state::text)::bigint,
  (a.queue_id IS NOT NULL)::int::bigint
FROM annotation_assignment a
JOIN annotation_item i ON i.id = a.item_id
LEFT JOIN annotation_annotator n ON n.id = a.annotator_id
WHERE i.campaign_id = %(campaign)s AND a.repeat = 0 AND (n.kind IS NULL OR n.kind = 'human')
UNION ALL
SELECT 0::bigint, s.item_id, n.id, 0::bigint, 0::bigint, 4::bigint, 0::bigint
FROM annotation_votesseen s
JOIN annotation_item i ON i.id = s.item_id AND i.campaign_id = %(campaign)s
JOIN annotation_annotator n ON n.campaign_id = i.campaign_id AND n.user_id = s.user_id
WHERE NOT EXISTS (SELECT FROM annotation_assignment a WHERE a.item_id = s.item_id AND a.annotator_id = n.id
  AND a.repeat = 0 AND a.state IN ('pending', 'done', 'skipped'))
UNION ALL
SELECT 0::bigint, a.item_id, a.annotator_id, 0::bigint, 0::bigint, 4::bigint, 0::bigint
FROM annotation_assignment a JOIN annotation_item i ON i.id = a.item_id AND i.campaign_id = %(campaign)s
WHERE a.repeat = 2 AND a.annotator_id IS NOT NULL AND a.state <> 'withdrawn'
ORDER BY 1, 2, 3
"""
OPEN, PENDING, DONE, SKIPPED, WITHDRAWN = range(1, 6)
# An aspect's place in its topic's tree: parents before their children; where it occurs twice, the first counts.
RANKS = """
SELECT n.aspect_id, row_number() OVER (ORDER BY n.topic_id, coalesce(p.position, n.position), coalesce(p.id, n.id),
  p.id IS NOT NULL, n.position, n.id)
FROM corpus_aspectnode n LEFT JOIN corpus_aspectnode p ON p.id = n.parent_id
WHERE n.aspect_id IN (SELECT DISTINCT aspect_id FROM annotation_item WHERE campaign_id = %(campaign)s)
"""
HEADER, TRAILER = 19, 2  # bytes around the rows of a binary COPY without extensions


@dataclass(frozen=True, slots=True)
class Workload:
    """A campaign's items (by id), earlier assignments of them, and who can be given work: what a plan is made from.

    `items` (I, 5): id, topic or paper, aspect or 0, document or 0, extra overlap. `rank` (I,): the aspect's place in
    the tree. `attempts` (G, 7): assignment, index of the item, annotator or 0, slot or 0, position, state code, whether
    of a queue; without the free slots that the plan would remove. `asked` (I,): whether new judges are wanted of it.
    """

    campaign: Campaign
    overlap: int
    strategy: Strategy
    annotators: list[Annotator]
    items: Ints
    rank: Ints
    attempts: Ints
    asked: Bools

    @property
    def slots(self) -> Ints:
        """(I,): slots of each item."""
        return self.overlap + self.items[:, 4]

    @property
    def taken(self) -> Ints:
        """(t, 2): rows (index of item, slot) that somebody holds, and for a queue also those that are free to take."""
        return self.attempts[self.attempts[:, 3] > 0][:, [1, 3]]

    @property
    def demand(self) -> Ints:
        """(I,): slots that are still to be given out."""
        taken = np.bincount(self.taken[:, 0], minlength=len(self.items))
        return np.where(self.asked, np.clip(self.slots - taken, 0, None), 0).astype(np.int64)

    def people(self) -> People:
        """The annotators, as the planner takes them."""
        return People(
            names=tuple(each.name for each in self.annotators),
            weights=np.array([each.weight for each in self.annotators], dtype=np.float64),
            capacities=np.array(
                [UNLIMITED if each.capacity is None else each.capacity for each in self.annotators], dtype=np.int64
            ),
        )

    def work(self) -> Work:
        """What the planner gives out, and who has or skipped which item, by indexes of items and annotators."""
        attempts, index = self.attempts, {each.pk: i for i, each in enumerate(self.annotators)}
        person = np.array([index.get(pk, -1) for pk in attempts[:, 2].tolist()], dtype=np.int64)
        pairs = np.column_stack([attempts[:, 1], person])
        assigned = (person >= 0) & np.isin(attempts[:, 5], (PENDING, DONE))
        return Work(self.demand, self.units(), pairs[assigned], pairs[(person >= 0) & (attempts[:, 5] == SKIPPED)])

    def units(self) -> Ints:
        """(I,): equal numbers go to the same people: all aspects of one abstract where that is the order."""
        if self.campaign.order == Order.BY_ASPECT:
            return np.arange(len(self.items))
        return np.unique(self.items[:, [1, 3]], axis=0, return_inverse=True)[1].ravel().astype(np.int64)

    def digest(self, seed: int, *options: int) -> str:
        """A hash of everything that the plan depends on: equal digests give the very same plan."""
        facts = [
            self.campaign.pk,
            str(self.campaign.order),
            str(self.strategy),
            self.overlap,
            seed,
            *options,
            settings.CODE_VERSION,
        ]
        facts += [(each.pk, each.weight, each.capacity, each.order_seed) for each in self.annotators]
        hashed = hashlib.sha256(repr(facts).encode())
        for array in (self.items, self.rank, self.attempts, self.asked):
            hashed.update(np.ascontiguousarray(array).tobytes())
        return hashed.hexdigest()


def read_workload(campaign: Campaign, *, overlap: int, strategy: str, only: Sequence[int] | None = None) -> Workload:
    """Read what a plan with this overlap and strategy would be made from. `only` these items (ids) get new judges."""
    named = {"campaign": campaign.pk}
    items = read_integers(ITEMS, named, 5)
    attempts = read_integers(ATTEMPTS, named, 7)
    attempts[:, 1] = np.searchsorted(items[:, 0], attempts[:, 1])
    most = overlap + items[attempts[:, 1], 4] if strategy == Strategy.QUEUE else 0
    attempts = attempts[(attempts[:, 5] != OPEN) | (attempts[:, 3] <= most)]
    return Workload(
        campaign=campaign,
        overlap=overlap,
        strategy=Strategy(strategy),
        annotators=assignable(campaign),
        items=items,
        rank=tree_ranks(campaign, items[:, 2]),
        attempts=attempts,
        asked=np.ones(len(items), dtype=np.bool_) if only is None else np.isin(items[:, 0], only),
    )


def assignable(campaign: Campaign) -> list[Annotator]:
    """Who can be given work: active people with an account who are members of the collection and not viewers, and those
    who are invited."""
    members = Membership.objects.filter(collection=campaign.collection_id, user=OuterRef("user"))
    people = campaign.annotators.filter(kind=AnnotatorKind.HUMAN, state=AnnotatorState.ACTIVE)
    can_judge = Q(Exists(members.exclude(role=Role.VIEWER))) | Q(invited__isnull=False)
    return list(people.filter(can_judge).order_by("pk"))


def tree_ranks(campaign: Campaign, aspects: Ints) -> Ints:
    """(n,): the place of each of these aspects (n,) in its topic's tree, to order them by; 0 where there is none."""
    ranks = read_integers(RANKS, {"campaign": campaign.pk}, 2)
    first = ranks[np.lexsort((ranks[:, 1], ranks[:, 0]))]
    known, start = np.unique(first[:, 0], return_index=True)
    place = np.concatenate([[0], first[start, 1]])
    at = np.searchsorted(known, aspects)
    found = np.append(known, -1)[at] == aspects
    rank: Ints = place[np.where(found, at + 1, 0)].astype(np.int64)
    return rank


def read_integers(query: str, named: Mapping[str, Any], columns: int) -> NDArray[np.int64]:
    """(n, columns): the rows of a query whose columns are all bigint and never null, a million in a second.

    `named` fills its %(name)s places as literals. Errors: ValueError where a column is null or of another type.
    """
    statement = _literal(query, named)
    with (
        connection.cursor() as cursor,
        cursor.copy(sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(statement)) as copy,
    ):
        data = b"".join(bytes(part) for part in copy)
    fields = [entry for i in range(columns) for entry in ((f"size{i}", ">i4"), (f"value{i}", ">i8"))]
    layout = np.dtype([("columns", ">i2"), *fields])
    body = memoryview(data)[HEADER:-TRAILER]
    if len(body) % layout.itemsize:
        raise ValueError("a column is null or not a bigint")
    rows = np.frombuffer(body, dtype=layout)
    if (rows["columns"] != columns).any() or any((rows[f"size{i}"] != 8).any() for i in range(columns)):
        raise ValueError("a column is null or not a bigint")
    return np.column_stack([rows[f"value{i}"].astype(np.int64) for i in range(columns)]).reshape(-1, columns)


def _literal(query: str, named: Mapping[str, Any]) -> sql.Composed:
    """The query with its parameters as literals, because COPY takes none."""
    marked = re.sub(r"%\((\w+)\)s", r"{\1}", query)
    return sql.SQL(cast(Any, marked)).format(**{name: sql.Literal(value) for name, value in named.items()})

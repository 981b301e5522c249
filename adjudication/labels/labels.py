"""The labels that count now, as arrays: read in one pass as packed bytes, never as model instances.

A label counts when it is the current judgment of a finished assignment that is not a hidden repeat. 825,720 labels
(165,144 items by five annotators) arrive in about the time PostgreSQL needs to join them.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np
import psycopg
from django.db import connection
from django.db.models import Exists, Max, OuterRef, QuerySet, Sum
from numpy.typing import NDArray

from accounts.refusals import Refused
from adjudication.models import Verdict, VoteRun
from annotation.campaigns.seals import check_not_sealed
from annotation.models import Annotator, Asked, Assignment, AssignmentState, Campaign, Criterion, Judgment, Submission
from corpus.collections.collections import collection_with
from engines.stats.results import BoolArray

IntArray = NDArray[np.int64]
Positions = NDArray[np.int16]

# Big-endian int8 columns, about a thousand items to a row: PostgreSQL packs what NumPy reads without a Python object.
_COUNTED = """
SELECT string_agg(
  int8send(a.item_id) || int8send(j.criterion_id) || int8send(a.annotator_id) || int8send(j.value::int8), ''::bytea)
FROM annotation_judgment j
JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_item i ON i.id = a.item_id
WHERE i.campaign_id = %(campaign)s AND a.state = 'done' AND a.repeat = %(repeat)s
GROUP BY a.item_id / 1024
"""
_TOPICS = """
SELECT string_agg(int8send(i.id) || int8send(coalesce(i.topic_id, -i.id)), ''::bytea) FROM annotation_item i
WHERE i.campaign_id = %(campaign)s GROUP BY i.id / 1024
"""


@dataclass(frozen=True)
class LabelTable:
    """Every label that counts in a campaign, one row each: (n,) ids and values, ordered by item and annotator."""

    items: IntArray
    criteria: IntArray
    annotators: IntArray
    values: IntArray

    @property
    def n_labels(self) -> int:
        return len(self.items)

    @cached_property
    def inputs_hash(self) -> str:
        """SHA-256 of all labels in canonical order: equal hashes are equal inputs."""
        digest = hashlib.sha256()
        for column in (self.items, self.criteria, self.annotators, self.values):
            digest.update(np.ascontiguousarray(column, dtype="<i8").tobytes())
        return digest.hexdigest()

    def of_criterion(self, criterion: int) -> "LabelTable":
        """The labels of one criterion, in the same order."""
        return self._where(self.criteria == criterion)

    def of_annotators(self, annotators: Sequence[int]) -> "LabelTable":
        """The labels of these annotators, in the same order."""
        return self._where(np.isin(self.annotators, annotators))

    def _where(self, kept: BoolArray) -> "LabelTable":
        """The labels in these rows; where that is all, no second copy of very many."""
        if kept.all():
            return self
        return LabelTable(self.items[kept], self.criteria[kept], self.annotators[kept], self.values[kept])

    def matrix(self, scale: list[int]) -> "LabelMatrix":
        """Labels of one criterion as items by annotators. Raises ValueError on a value that is no level."""
        items, row = np.unique(self.items, return_inverse=True)
        annotators, column = np.unique(self.annotators, return_inverse=True)
        levels = np.asarray(scale, dtype=np.int64)
        order = np.argsort(levels)
        place = np.searchsorted(levels, self.values, sorter=order).clip(max=len(levels) - 1)
        position = order[place] if len(self.values) else place
        if len(self.values) and (levels[position] != self.values).any():
            raise ValueError("a label is not a level of the criterion's scale")
        positions = np.full((len(items), len(annotators)), -1, dtype=np.int16)
        positions[row.reshape(-1), column.reshape(-1)] = position
        return LabelMatrix(items, annotators, positions)


@dataclass(frozen=True)
class LabelMatrix:
    """items (n,) and annotators (m,) are ids, rising; positions (n, m) lie on the scale, -1 where missing."""

    items: IntArray
    annotators: IntArray
    positions: Positions

    def columns(self, annotators: IntArray) -> "LabelMatrix":
        """Only these annotators (those that occur), without the items none of them labelled."""
        kept = np.isin(self.annotators, annotators)
        part = self.positions[:, kept]
        rows = (part >= 0).any(axis=1) if part.shape[1] else np.zeros(len(part), dtype=bool)
        return LabelMatrix(self.items[rows], self.annotators[kept], part[rows])


def campaign_with(slug: str, campaign: str) -> Campaign:
    """The campaign of this collection, by slug or by name, whose labels may be read; a refusal lists what there is.

    Errors: NotAllowed for a sealed test set.
    """
    collection = collection_with(slug)
    for field in ("slug", "name"):
        found = collection.campaigns.filter(**{field: campaign}).first()
        if found is not None:
            found.collection = collection
            check_not_sealed(found)
            return found
    known = ", ".join(collection.campaigns.order_by("slug").values_list("slug", flat=True))
    raise Refused(f"{slug} has no campaign {campaign!r}. " + (f"It has: {known}." if known else "It has none yet."))


def read_labels(campaign: Campaign) -> LabelTable:
    """Every label that counts in the campaign at this moment."""
    return _read_table(campaign, repeat=0)


def read_repeats(campaign: Campaign) -> LabelTable:
    """The answers to hidden repeats: the same annotator asked again about the same item."""
    return _read_table(campaign, repeat=1)


def read_topics(campaign: Campaign, items: IntArray) -> IntArray:
    """The topic id of each of these items (all of the campaign); a different negative number for each without one."""
    found = read_integers(_TOPICS, {"campaign": campaign.pk}, 2)
    order = np.argsort(found[:, 0])
    place = np.searchsorted(found[:, 0], items, sorter=order)
    return np.ascontiguousarray(found[order[place], 1]) if len(items) else np.zeros(0, dtype=np.int64)


def newest_submission() -> int:
    """The id of the newest answer anybody gave, in whatever campaign, 0 before the first.

    Answers after it are newer. Were it the newest of one campaign, every page that looks for newer ones would read all
    that was answered elsewhere before that moment.
    """
    found = Submission.objects.aggregate(newest=Max("pk"))
    return found["newest"] or 0


def count_changed(campaign: Campaign, since: datetime | None) -> int:
    """How many verdicts have got another value (or lost it) since that moment; 0 where nobody noted the moment."""
    if since is None:
        return 0
    changed = Verdict.objects.filter(criterion__campaign=campaign, changed_at__gt=since).count()
    cleared = VoteRun.objects.filter(campaign=campaign, finished_at__gt=since).aggregate(all=Sum("cleared"))
    return changed + (cleared["all"] or 0)


def counted_judgments(campaign: Campaign) -> QuerySet[Judgment]:
    """The judgments behind `read_labels`, as a queryset for pages that show a few of them."""
    return Judgment.objects.filter(
        assignment__item__campaign=campaign, assignment__state=AssignmentState.DONE, assignment__repeat=0
    )


def repeated_judgments(campaign: Campaign) -> QuerySet[Judgment]:
    """Counted judgments and the answers to hidden repeats, which count for self-consistency only. Neither
    hidden gold nor former judgments are among them."""
    rows = Judgment.objects.filter(assignment__item__campaign=campaign, assignment__state=AssignmentState.DONE)
    return rows.filter(assignment__repeat__lt=Asked.CHECK)


def judging_annotators(campaign: Campaign) -> QuerySet[Annotator]:
    """Annotators with at least one finished assignment, people first, each by name."""
    done = Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE)
    return campaign.annotators.filter(Exists(done)).order_by("kind", "name")


def scale_of(criterion: Criterion) -> list[int]:
    """The criterion's declared values, in rising order: position 0..K-1 of every statistic."""
    return [level.value for level in sorted(criterion.levels.all(), key=lambda level: level.value)]


def _read_table(campaign: Campaign, *, repeat: int) -> LabelTable:
    """Sorted part by part, each of a thousand items, so that very many labels are held twice at most."""
    parts = []
    for part in _packed(_COUNTED, {"campaign": campaign.pk, "repeat": repeat}, 4):
        parts.append(part[np.lexsort((part[:, 2], part[:, 1], part[:, 0]))].T)
    parts.sort(key=lambda part: int(part[0, 0]))
    columns = zip(*parts, strict=True) if parts else [[np.zeros(0, dtype=np.int64)]] * 4
    return LabelTable(*(np.concatenate(column) for column in columns))


def read_integers(query: str, parameters: dict[str, Any], width: int) -> IntArray:
    """The packed rows of a query as (n, width) integers."""
    parts = list(_packed(query, parameters, width))
    return np.concatenate(parts) if parts else np.zeros((0, width), dtype=np.int64)


def _packed(query: str, parameters: dict[str, Any], width: int) -> Iterator[IntArray]:
    """Each packed row as (n, width) integers."""
    connection.ensure_connection()
    # Django's own cursors bind on the client and then cannot receive binary values.
    with psycopg.Cursor(connection.connection) as cursor:
        for (packed,) in cursor.execute(query, parameters, binary=True):
            yield np.frombuffer(packed, dtype=">i8").astype(np.int64).reshape(-1, width)

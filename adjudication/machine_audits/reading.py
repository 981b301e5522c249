"""What an audit reads: the labels of the machine, and the values that people gave."""

from itertools import product
from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from adjudication.labels.inputs import given_in_sight
from adjudication.labels.labels import judging_annotators
from adjudication.machine_audits.strata import Labelled
from adjudication.models import AuditItem, MachineAudit, Method, Verdict
from annotation.assignment.workload import read_integers
from annotation.models import Annotator, AnnotatorKind, Assignment, AssignmentState, Campaign, Criterion, Judgment
from engines.stats.results import IntArray

# Every item that the machine labelled: its value, its topic, how many other machines differ, and how many there are.
LABELLED = """
SELECT own.item_id, max(given.value)::bigint, max(coalesce(i.topic_id, -i.id)),
  count(*) FILTER (WHERE other.value <> given.value), count(other.value)
FROM annotation_assignment own
JOIN annotation_judgment given ON given.assignment_id = own.id AND given.criterion_id = %(criterion)s
JOIN annotation_item i ON i.id = own.item_id
LEFT JOIN (
  SELECT a.item_id, j.value FROM annotation_assignment a
  JOIN annotation_annotator n ON n.id = a.annotator_id AND n.kind = 'machine' AND n.campaign_id = %(campaign)s
  JOIN annotation_judgment j ON j.assignment_id = a.id AND j.criterion_id = %(criterion)s
  WHERE n.id <> %(machine)s AND a.state = 'done' AND a.repeat = 0
) other ON other.item_id = own.item_id
WHERE own.annotator_id = %(machine)s AND own.state = 'done' AND own.repeat = 0
GROUP BY own.item_id ORDER BY 1
"""
# How many people gave each item each value.
PEOPLE = """
SELECT a.item_id, j.value::bigint, count(*)
FROM annotation_judgment j
JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_annotator n ON n.id = a.annotator_id
WHERE n.campaign_id = %(campaign)s AND j.criterion_id = %(criterion)s AND a.state = 'done' AND a.repeat = 0
  AND n.kind = 'human'
GROUP BY 1, 2 ORDER BY 1, 3 DESC
"""


def read_labelled(criterion: Criterion, machine: Annotator) -> Labelled:
    """What the machine labelled up to now."""
    named = {"campaign": criterion.campaign_id, "criterion": criterion.pk, "machine": machine.pk}
    items, values, topics, differing, others = read_integers(LABELLED, named, 5).T
    taken = np.isin(items, np.concatenate(read_people(criterion)[::2]))
    return Labelled(items, values, topics, differing / np.maximum(others, 1), taken)


def count_free(campaign: Campaign) -> list[tuple[Annotator, Criterion, int]]:
    """How many items each machine labelled and people did not, by criterion: what an audit can draw. Three queries."""
    done = Judgment.objects.filter(assignment__state=AssignmentState.DONE, assignment__repeat=0)
    people = done.filter(assignment__annotator__kind=AnnotatorKind.HUMAN, criterion=OuterRef("criterion"))
    machines = judging_annotators(campaign).filter(kind=AnnotatorKind.MACHINE)
    free = done.filter(~Exists(people.filter(assignment__item=OuterRef("assignment__item"))))
    free = free.filter(assignment__annotator__in=machines)
    rows = free.values_list("assignment__annotator", "criterion").annotate(Count("assignment__item", distinct=True))
    counts = {(machine, criterion): n for machine, criterion, n in rows}
    pairs = product(machines, campaign.criteria.all())
    return [(machine, criterion, counts.get((machine.pk, criterion.pk), 0)) for machine, criterion in pairs]


def read_people(criterion: Criterion) -> tuple[IntArray, IntArray, IntArray]:
    """(items that people have a value for, rising; these values; items that they labelled without one, as after a tie).

    The value is what most people say. A decision by hand replaces it, except one that corrects a machine's label:
    that was made in sight of the label.
    """
    rows = read_integers(PEOPLE, {"campaign": criterion.campaign_id, "criterion": criterion.pk}, 3)
    items, first, answers = np.unique(rows[:, 0], return_index=True, return_counts=True)
    second = rows[np.minimum(first + 1, len(rows) - 1), 2] if len(rows) else first
    is_tied = (answers > 1) & (rows[first, 2] == second)
    values = dict[Any, Any](zip(items[~is_tied].tolist(), rows[first[~is_tied], 1].tolist(), strict=True))
    decided = Verdict.objects.filter(criterion=criterion, method=Method.BY_HAND, value__isnull=False)
    decided = decided.exclude(Exists(given_in_sight()))
    judged = set(items.tolist())
    values |= {item: value for item, value in decided.values_list("item", "value") if item in judged}
    known = np.array(sorted(values), dtype=np.int64)
    found = np.array([values[item] for item in known.tolist()], dtype=np.int64)
    return known, found, np.setdiff1d(items[is_tied], known)


def drawn_items(campaign: int) -> list[int]:
    """The items of all samples, in the order in which people are to come to them."""
    return list(AuditItem.objects.filter(audit__campaign=campaign).order_by("pk").values_list("item", flat=True))


def audits_of(campaign: Campaign) -> QuerySet[MachineAudit]:
    """The audits of a campaign, the newest first, with `judged`: how many items of the sample a person has judged."""
    judged = Assignment.objects.filter(
        item=OuterRef("sample__item"), annotator__kind=AnnotatorKind.HUMAN, state=AssignmentState.DONE, repeat=0
    )
    found = MachineAudit.objects.filter(campaign=campaign).select_related("machine", "criterion", "drawn_by")
    return found.defer("frame").annotate(judged=Count("sample", filter=Exists(judged)))

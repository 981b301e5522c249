"""What an audit is made of: the labels of the machine, and the values that people gave."""

from typing import Any

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.refusals import Refused
from adjudication.labels.labels import judging_annotators
from adjudication.machine_audits.strata import Labelled
from adjudication.models import MachineAudit, Method, Verdict
from annotation.assignment.workload import read_integers
from annotation.models import Annotator, AnnotatorKind, Assignment, AssignmentState, Campaign, Criterion
from engines.stats.results import IntArray

# Every item that the machine labelled: its value, its topic, how many other machines say otherwise, and of how many.
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
PEOPLE = """
SELECT a.item_id, j.value::bigint
FROM annotation_judgment j
JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_annotator n ON n.id = a.annotator_id
JOIN annotation_item i ON i.id = a.item_id
WHERE i.campaign_id = %(campaign)s AND j.criterion_id = %(criterion)s AND a.state = 'done' AND a.repeat = 0
  AND n.kind = 'human'
"""


def read_labelled(campaign: Campaign, criterion: Criterion, machine: Annotator) -> Labelled:
    """What the machine labelled up to now."""
    named = {"campaign": campaign.pk, "criterion": criterion.pk, "machine": machine.pk}
    items, values, topics, differing, others = read_integers(LABELLED, named, 5).T
    known, _, tied = read_people(criterion)
    taken = np.isin(items, np.r_[known, tied])
    return Labelled(items, values, topics, differing / np.maximum(others, 1), taken)


def read_people(criterion: Criterion) -> tuple[IntArray, IntArray, IntArray]:
    """(items that people have a value for, rising; these values; items that people labelled without one, as after a
    tie). The value is what most of them say; an adjudicator's decision stands above it."""
    rows = read_integers(PEOPLE, {"campaign": criterion.campaign_id, "criterion": criterion.pk}, 2)
    pairs, votes = np.unique(rows, axis=0, return_counts=True)
    order = np.lexsort((-votes, pairs[:, 0]))
    items, first, answers = np.unique(pairs[order, 0], return_index=True, return_counts=True)
    best, second = votes[order][first], votes[order][np.minimum(first + 1, len(order) - 1)] if len(order) else first
    is_tied = (answers > 1) & (best == second)
    values = dict(zip(items[~is_tied].tolist(), pairs[order, 1][first][~is_tied].tolist(), strict=True))
    decided = Verdict.objects.filter(criterion=criterion, method=Method.BY_HAND, value__isnull=False)
    values |= dict[Any, Any](decided.values_list("item", "value"))
    known = np.array(sorted(values), dtype=np.int64)
    found = np.array([values[item] for item in known.tolist()], dtype=np.int64)
    return known, found, np.setdiff1d(items[is_tied], known)


def audits_of(campaign: Campaign) -> QuerySet[MachineAudit]:
    """The audits of a campaign, the newest first, with `judged`: how many items of the sample a person has judged."""
    judged = Assignment.objects.filter(
        item=OuterRef("sample__item"), annotator__kind=AnnotatorKind.HUMAN, state=AssignmentState.DONE, repeat=0
    )
    found = MachineAudit.objects.filter(campaign=campaign).select_related("machine", "criterion", "drawn_by")
    return found.defer("frame").annotate(judged=Count("sample", filter=Exists(judged)))


def machine_of(campaign: Campaign, name: str) -> Annotator:
    """The machine of this name, or the only one that labelled. Errors: Refused, with those that there are."""
    machines = {one.name: one for one in judging_annotators(campaign).filter(kind=AnnotatorKind.MACHINE)}
    if not machines:
        raise Refused(f"No machine has labelled items of {campaign}. Run one, or import its labels.")
    found = machines.get(name) if name or len(machines) > 1 else next(iter(machines.values()))
    if found is None:
        raise Refused(f"Name the machine. {campaign} has: {', '.join(machines)}.")
    return found


def criterion_with(campaign: Campaign, key: str) -> Criterion:
    """The criterion of this key, or the only one. Errors: Refused, with the keys that there are."""
    criteria = {one.key: one for one in campaign.criteria.prefetch_related("levels")}
    found = criteria.get(key) if key or len(criteria) != 1 else next(iter(criteria.values()))
    if found is None:
        raise Refused(f"Name the criterion. {campaign} has: {', '.join(criteria) or 'none'}.")
    return found

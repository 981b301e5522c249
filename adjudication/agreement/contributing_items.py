"""The items that entered a figure, found again in the labels that count now.

Which pairs of annotators a figure was made of is read from its row and its run; the items are found as sets in SQL.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

from django.db import connection

from adjudication.models import AgreementResult, AgreementRun
from annotation.models import AnnotatorKind, Criterion
from engines.stats.blocks import ADJUDICATED
from engines.stats.reasons import Flag

Pair = frozenset[int | str]  # of annotators, or of one and the verdict

_LABELS = """
SELECT a.item_id, a.annotator_id, j.value
FROM annotation_judgment j
JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_item i ON i.id = a.item_id
WHERE i.campaign_id = %s AND j.criterion_id = %s AND a.state = 'done' AND a.repeat = 0
"""
_LABELLED = (
    f"SELECT item_id FROM (SELECT item_id, array_agg(annotator_id) AS who FROM ({_LABELS}) label GROUP BY 1) all_"
)
_BY_PAIR = """
EXISTS (SELECT FROM unnest(%s::bigint[], %s::bigint[]) pair (one, other) WHERE one = ANY(who) AND other = ANY(who))
"""
_FIT = "((SELECT count(*) FROM unnest(who) one WHERE one = ANY(%s::bigint[])) >= 2 AND who @> %s::bigint[])"
_WITH_VERDICT = f"""
SELECT label.item_id FROM ({_LABELS}) label
JOIN adjudication_verdict v ON v.item_id = label.item_id
WHERE v.value IS NOT NULL AND v.criterion_id = %s AND label.annotator_id = ANY(%s::bigint[])
"""
# The vote of the others: take one's own vote away and see whether one value is still ahead of all others. Once for each
# distinct ballot: there are few of them, however many items.
_WITH_OTHERS = f"""
SELECT item_id FROM (
  WITH item AS MATERIALIZED (
    SELECT item_id, array_agg(value ORDER BY value) FILTER (WHERE annotator_id = ANY(%s::bigint[])) AS owns,
      array_agg(value ORDER BY value) FILTER (WHERE annotator_id = ANY(%s::bigint[])) AS ballot
    FROM ({_LABELS}) label GROUP BY item_id),
  pattern AS MATERIALIZED (SELECT DISTINCT owns, ballot FROM item)
  SELECT item_id FROM item WHERE (owns, ballot) IN (
    SELECT owns, ballot FROM pattern WHERE EXISTS (
      SELECT FROM unnest(owns) own, LATERAL (
        SELECT array_agg(votes ORDER BY votes DESC) AS votes FROM (
          SELECT count(*) - (value = own)::int AS votes FROM unnest(ballot) value GROUP BY value) level) counts
      WHERE votes[1] > coalesce(votes[2], 0)))) others
"""


@dataclass(frozen=True)
class ContributingItems:
    """What an item needs to enter a figure: both labels of one of `pairs`, or one that is set against a verdict.

    All are ids of annotators. `against_verdict` need a label and a verdict; `against_others` a label and one value
    ahead among the labels of the other `voters`. With `fit` (people, runs of a machine) the item also needs two labels
    of these people and one of every run; `unfit` turns that round: the labelled items that lack them.
    """

    criterion: Criterion
    pairs: tuple[tuple[int, int], ...] = ()
    against_verdict: tuple[int, ...] = ()
    against_others: tuple[int, ...] = ()
    voters: tuple[int, ...] = ()
    fit: tuple[tuple[int, ...], tuple[int, ...]] | None = None
    unfit: bool = False

    def items(self) -> list[int]:
        """The ids of the items.

        Asked once and not as a subquery of a list: with stale statistics the planner would group all labels again for
        each row of the list.
        """
        parts = self._parts()
        parameters = [each for _, part in parts for each in part]
        with connection.cursor() as cursor:
            cursor.execute(" UNION ".join(query for query, _ in parts), parameters)
            return [row[0] for row in cursor.fetchall()]

    def _parts(self) -> list[tuple[str, list[Any]]]:
        """Queries with their parameters; an item that any of them finds enters."""
        labels = [self.criterion.campaign_id, self.criterion.pk]
        by_pair = [[one for one, _ in self.pairs], [other for _, other in self.pairs]]
        if self.fit:
            fit = [list(ids) for ids in self.fit]
            if self.unfit:
                return [(f"{_LABELLED} WHERE NOT {_FIT}", [*labels, *fit])]
            return [(f"{_LABELLED} WHERE {_BY_PAIR} AND {_FIT}", [*labels, *by_pair, *fit])]
        parts: list[tuple[str, list[Any]]] = [(f"{_LABELLED} WHERE {_BY_PAIR}", [*labels, *by_pair])]
        if self.against_verdict:
            parts.append((_WITH_VERDICT, [*labels, self.criterion.pk, list(self.against_verdict)]))
        if self.against_others:
            parts.append((_WITH_OTHERS, [list(self.against_others), list(self.voters), *labels]))
        return parts


def contributing_to_figure(result: AgreementResult, criterion: Criterion) -> ContributingItems:
    """The items that entered a stored figure (for an undefined one: those that would have)."""
    detail = result.run.detail[result.criterion]
    pairs = _without_excluded(_pairs(result, detail), result.extra.get("excluded_pairs", ()), _ids(detail))
    found = ContributingItems(criterion, tuple(_of_annotators(pairs)))
    compared = tuple(one for pair in pairs if ADJUDICATED in pair for one in pair if isinstance(one, int))
    if not compared:
        return found
    voters = detail.get("voters") or [one["id"] for one in detail["annotators"] if one["kind"] == AnnotatorKind.HUMAN]
    has_others = Flag.LEAVE_ONE_OUT in result.extra.get("flags", ())
    others = tuple(one for one in compared if has_others and one in voters)
    apart = tuple(one for one in compared if one not in others)
    return replace(found, against_verdict=apart, against_others=others, voters=tuple(voters))


def contributing_to_difference(
    run: AgreementRun, criterion: Criterion, statistic: str, model: str, *, unfit: bool = False
) -> ContributingItems | None:
    """The items on which people and a machine were compared, or those left out as `unfit`; None without such a test."""
    detail = run.detail[criterion.key]
    found = (one for one in detail.get("comparisons", ()) if (one["statistic"], one["model"]) == (statistic, model))
    if (test := next(found, None)) is None:
        return None
    ids, kinds = _ids(detail), {one["id"]: one["kind"] for one in detail["annotators"]}
    named = [ids[name] for name in test["annotators"]]
    people = tuple(one for one in named if kinds[one] == AnnotatorKind.HUMAN)
    runs = tuple(one for one in named if one not in people)
    all_pairs = [frozenset[int | str](pair) for pair in (*combinations(people, 2), *product(people, runs))]
    pairs = _without_excluded(all_pairs, test.get("excluded_pairs", ()), ids)
    return ContributingItems(criterion, tuple(_of_annotators(pairs)), fit=(people, runs), unfit=unfit)


def _ids(detail: dict[str, Any]) -> dict[str, int]:
    return {one["name"]: one["id"] for one in detail["annotators"]}


def _pairs(result: AgreementResult, detail: dict[str, Any]) -> list[Pair]:
    """The pairs that the figure is about, before any was left out."""
    ids = _ids(detail)
    kinds = {one["id"]: one["kind"] for one in detail["annotators"]}
    named: list[int | str] = [ids.get(name, name) for name in result.annotators]
    if ADJUDICATED in named:
        return [frozenset((one, ADJUDICATED)) for one in named if one != ADJUDICATED]
    pairs = [frozenset(pair) for pair in combinations(named, 2)]
    if result.block == "GH":
        return [pair for pair in pairs if len({kinds[int(one)] for one in pair}) == 2]
    return pairs


def _without_excluded(pairs: list[Pair], excluded: Iterable[dict[str, Any]], ids: dict[str, int]) -> list[Pair]:
    """The pairs without those left out by name; all of them where none would be left."""
    excluded_pairs = {frozenset(ids.get(name, ADJUDICATED) for name in one["annotators"]) for one in excluded}
    return [pair for pair in pairs if pair not in excluded_pairs] or pairs


def _of_annotators(pairs: list[Pair]) -> Iterable[tuple[int, int]]:
    for pair in pairs:
        ids = sorted(one for one in pair if isinstance(one, int))
        if len(ids) == 2:
            yield ids[0], ids[1]

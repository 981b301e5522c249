"""What people's answers show, person by person: counted from all labels of a criterion at once, by the job of the work.

Labels of people alone; imported ones are compared with, but are no work of the person who is looked at.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np

from adjudication.following.people import LEAST
from adjudication.labels.labels import IntArray, Positions, read_integers, read_topics, scale_of
from annotation.models import Campaign, Criterion
from engines.stats.dawid_skene import UNUSED, bootstrap_right, fit
from engines.stats.intervals import FEWEST
from engines.stats.quality import (
    Bounded,
    chance_of_run,
    change_over_topics,
    excess_of_pair,
    longest_run,
    mean_over_topics,
)
from engines.stats.reasons import Reason

RESAMPLES = 200
MOST_CELLS = 20_000  # distinct patterns of answers times people: beyond that a resample takes too long

_ANSWERS = """
SELECT string_agg(
  int8send(a.item_id) || int8send(a.annotator_id) || int8send(j.value::int8) || int8send(a.repeat::int8)
  || int8send((a.imported_in_id IS NOT NULL)::int::int8) || int8send(coalesce(g.version, 0)::int8)
  || int8send((extract(epoch FROM a.finished_at) * 1000000)::int8) || int8send(a.position::int8) || int8send(a.id),
  ''::bytea)
FROM annotation_judgment j JOIN annotation_assignment a ON a.id = j.assignment_id
JOIN annotation_submission s ON s.id = j.submission_id LEFT JOIN annotation_guideline g ON g.id = s.guideline_id
WHERE a.annotator_id = ANY(%(people)s) AND j.criterion_id = %(criterion)s AND a.state = 'done' AND a.repeat IN (0, 1)
GROUP BY a.item_id / 1024
"""
ITEM, WHO, VALUE, REPEAT, IMPORTED, VERSION, MOMENT, PLACE, ID = range(9)


@dataclass(frozen=True)
class Answers:
    """The labels of one criterion. `table` (n, 9) in order of time; `matrix` (items, people) of positions on the scale,
    -1 missing, from first answers alone; `counts` (items, K) of the same; `topics` (items,)."""

    table: IntArray
    items: IntArray
    people: tuple[int, ...]
    matrix: Positions
    counts: IntArray
    topics: IntArray

    @property
    def levels(self) -> int:
        return self.counts.shape[1]

    def of(self, person: int, *, again: bool = False) -> IntArray:
        """The person's own answers in order of time: first ones, or those to hidden repeats."""
        table = self.table
        return table[(table[:, WHO] == person) & (table[:, REPEAT] == again) & (table[:, IMPORTED] == 0)]

    def rows(self, table: IntArray) -> IntArray:
        """The row of the matrix of each of these answers."""
        return np.searchsorted(self.items, table[:, ITEM])


def read_answers(campaign: Campaign, criterion: Criterion, people: Sequence[int]) -> Answers:
    """One pass over the labels of people."""
    table = read_integers(_ANSWERS, {"people": list(people), "criterion": criterion.pk}, 9)
    table = table[np.lexsort((table[:, ID], table[:, PLACE], table[:, MOMENT]))]
    scale = np.asarray(scale_of(criterion))
    table[:, VALUE] = np.searchsorted(scale, table[:, VALUE])
    first = table[table[:, REPEAT] == 0]
    items, row = np.unique(first[:, ITEM], return_inverse=True)
    who = np.asarray(people, dtype=np.int64)
    order = np.argsort(who)
    matrix = np.full((len(items), len(who)), -1, dtype=np.int16)
    column = order[np.searchsorted(who, first[:, WHO], sorter=order)] if len(first) else row
    matrix[row.reshape(-1), column] = first[:, VALUE]
    counts = np.stack([(matrix == level).sum(axis=1) for level in range(len(scale))], axis=1).astype(np.int64)
    return Answers(table, items, tuple(people), matrix, counts, read_topics(campaign, items))


def answers_of_people(
    campaign: Campaign, people: Sequence[int], reported: Callable[[], None] = lambda: None
) -> dict[int, dict[str, Any]]:
    """By person and key of the criterion: what `_person` counts, with `confusion` and `pair`."""
    newest = campaign.guidelines.values_list("version", flat=True).first() or 0
    found: dict[int, dict[str, Any]] = {pk: {} for pk in people}
    for criterion in campaign.criteria.prefetch_related("levels"):
        answers = read_answers(campaign, criterion, people)
        reported()
        confusion = _confusion(answers, campaign.seed)
        pairs = _pairs(answers)
        for column, pk in enumerate(people):
            if len(answers.of(pk)):
                own = {"confusion": _row(confusion, column), "pair": _nearest(pairs, pk)}
                found[pk][criterion.key] = _person(answers, pk, column, newest, scale_of(criterion)) | own
        reported()
    return found


def _person(answers: Answers, person: int, column: int, newest: int, scale: Sequence[int]) -> dict[str, Any]:
    """Answers by quarter, agreement with the others, before and after the newest guideline, longest run, repeats."""
    own = answers.of(person)
    rows, values = answers.rows(own), own[:, VALUE]
    total = answers.counts[rows].sum(axis=1)
    shared = total > 1
    same = answers.counts[rows, values][shared] - 1
    agreed = same / (total[shared] - 1)
    topics, version = answers.topics[rows][shared], own[shared, VERSION]
    again = answers.of(person, again=True)
    again = again[np.isin(again[:, ITEM], own[:, ITEM])]
    equal = answers.matrix[answers.rows(again), column] == again[:, VALUE]
    return {
        "n": len(own),
        "parts": _parts(values, shared, agreed, scale),
        "last": [int(each) for each in np.array_split(own[:, MOMENT], 4)[3][[0, -1]]] if len(own) > 3 else None,
        "others": asdict(mean_over_topics(agreed, topics)),
        "guideline": {"version": newest} | asdict(_since_guideline(agreed, topics, version, newest)),
        "repeats": [int(equal.sum()), len(again)],
        "run": _run(own, answers.counts[rows], scale),
    }


def _parts(values: IntArray, shared: Any, agreed: Any, scale: Sequence[int]) -> list[list[float]]:
    """[quarter of the work, level, answers, of them shared, agreement added up, its squares], quarters by NTILE."""
    share = np.zeros(len(values))
    share[shared] = agreed
    found = []
    for quarter, rows in enumerate(np.array_split(np.arange(len(values)), 4), start=1):
        for level in np.unique(values[rows]):
            here = rows[values[rows] == level]
            sums = (shared[here].sum(), share[here].sum(), (share[here] ** 2).sum())
            found.append([quarter, scale[level], len(here), int(sums[0]), float(sums[1]), float(sums[2])])
    return found


def _since_guideline(agreed: Any, topics: IntArray, version: IntArray, newest: int) -> Bounded:
    known = version > 0
    is_after = version[known] == newest
    n_after, n = int(is_after.sum()), int(known.sum())
    if newest < 2:
        return Bounded(None, None, None, n, "the guideline has one version only")
    if min(n_after, n - n_after) < LEAST:
        few = (
            f"{n_after:,} shared items judged by version {newest} and {n - n_after:,} by earlier ones: {LEAST} of each"
        )
        return Bounded(None, None, None, n, f"{few} are needed")
    return change_over_topics(agreed[known], topics[known], is_after)


def _run(own: IntArray, counts: IntArray, scale: Sequence[int]) -> dict[str, Any]:
    """The longest run, its chance by the person's own shares of levels and by the others' on the same items, and how
    often the others gave its level on its own items. `counts` (n, K) are the labels of everybody on each item."""
    values = own[:, VALUE]
    others = counts - np.eye(len(scale), dtype=np.int64)[values]
    length, at = longest_run(values)
    run, level = slice(at, at + length), int(values[at])
    shares = np.bincount(values, minlength=len(scale)) / len(values)
    return {
        "length": length,
        "value": scale[level],
        "from": int(own[at, MOMENT]),
        "until": int(own[at + length - 1, MOMENT]),
        "chance": chance_of_run(shares.tolist(), len(values), length),
        "usual": chance_of_run((others.sum(axis=0) / others.sum()).tolist(), len(values), length)
        if others.any()
        else None,
        "fits": float(others[run, level].sum() / others[run].sum()) if others[run].any() else None,
    }


def _pairs(answers: Answers) -> dict[tuple[int, int], Bounded]:
    """Each pair on the items that a third person judged too, and on which most of the others gave one level."""
    found = {}
    for one, other in combinations(range(len(answers.people)), 2):
        mine = answers.matrix[:, [one, other]]
        rows = np.flatnonzero((mine >= 0).all(axis=1))
        rest = answers.counts[rows].copy()
        for column in (0, 1):
            rest[np.arange(len(rows)), mine[rows, column]] -= 1
        most = rest.max(axis=1, initial=0)
        rows, rest = (each[(most > 0) & ((rest == most[:, None]).sum(axis=1) == 1)] for each in (rows, rest))
        if len(rows) >= LEAST:
            pair = (answers.people[one], answers.people[other])
            sides = (mine[rows, 0].astype(np.int64), mine[rows, 1].astype(np.int64))
            found[pair] = excess_of_pair(*sides, rest.argmax(axis=1), answers.topics[rows], answers.levels)
    return found


def _nearest(pairs: dict[tuple[int, int], Bounded], person: int) -> dict[str, Any] | None:
    """The person's pair with the largest excess, and the median of the pairs of other people; None for no pair."""
    mine = {pair: one for pair, one in pairs.items() if person in pair}
    if not mine:
        return None
    pair, figure = max(mine.items(), key=lambda each: (each[1].value or 0.0, each[0]))
    usual = [one.value for each, one in pairs.items() if not set(each) & set(pair) and one.value is not None]
    return {"with": sum(pair) - person, "usual": median(usual) if usual else None} | asdict(figure)


def _confusion(answers: Answers, seed: int) -> dict[str, Any]:
    """Dawid and Skene's model of everybody: arrays by person, or `reason` why there is none."""
    active = (answers.matrix >= 0).any(axis=0)
    labels = answers.counts.sum(axis=1)
    if active.sum() < 3:
        return {"reason": "fewer than three people have judged"}
    if (labels > 1).sum() < LEAST:
        return {"reason": f"fewer than {LEAST} items have two labels"}
    model = fit(answers.matrix, answers.levels)
    if model.label_switching_suspected:
        return {"reason": "people agree too little for the model to tell right from wrong"}
    found: dict[str, Any] = {"errors": model.errors, "prior": model.prior, "why": "", "seed": seed}
    patterns = len(np.unique(answers.matrix, axis=0)) * len(answers.people)
    if len(np.unique(answers.topics)) < FEWEST["topic"] or patterns > MOST_CELLS:
        many = "too many different patterns of answers for an interval"
        return found | {"why": many if patterns > MOST_CELLS else str(Reason.TOO_FEW_QUERIES)}
    drawn = bootstrap_right(answers.matrix, answers.levels, answers.topics, resamples=RESAMPLES, seed=seed)
    return found | {"drawn": drawn}


def _row(model: dict[str, Any], column: int) -> dict[str, Any]:
    """One person of `_confusion`, JSON-safe: rows by true level, the share right of all and by level as [value, low,
    high]; levels that are nowhere true have no value."""
    if "reason" in model:
        return {"reason": model["reason"]}
    errors, prior = model["errors"][column], model["prior"]
    right = np.append(np.where(prior > UNUSED, np.diag(errors), np.nan), prior @ np.diag(errors))
    drawn = model["drawn"][:, column] if "drawn" in model else np.full((1, len(right)), np.nan)
    *levels, overall = (_ends(float(value), drawn[:, place]) for place, value in enumerate(right))
    rows = [[round(float(each), 6) for each in row] for row in errors]
    return {"right": overall, "levels": levels, "rows": rows, "why": model["why"], "seed": model["seed"]}


def _ends(value: float, drawn: Any) -> list[float | None]:
    """The value with the 95% percentile interval of its resamples; without one where over 5% have no value."""
    known = drawn[np.isfinite(drawn)]
    if not np.isfinite(value):
        return [None, None, None]
    if len(known) < 0.95 * len(drawn):
        return [value, None, None]
    return [value, *(float(each) for each in np.quantile(known, [0.025, 0.975]))]

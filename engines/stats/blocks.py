"""Which annotator pairs make up which figure: pairs, their mean, and the blocks of DORIS-MAE's Table 1.

H are people, G the runs of one machine model, A the adjudicated label. A voter, person or machine, is compared
with A only through the vote of the other voters, since their own label is part of A; a voter without others is flagged
(statistics.md 2.3, 3.2).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from engines.stats.labels import Kind, Labels, Positions
from engines.stats.pair_features import Pair
from engines.stats.reasons import Flag
from engines.stats.votes import leave_one_out

ADJUDICATED = "adjudicated"


@dataclass(frozen=True)
class Row:
    """One figure to be made from pairs: the mean over `plus`, less the mean over `minus` where there is one.

    `plus` and `minus` are indices into the list of pairs; scope and block are the words of the JSON report.
    """

    scope: str
    annotators: tuple[str, ...]
    block: str | None
    plus: tuple[int, ...]
    minus: tuple[int, ...] = ()
    model: str | None = None
    flags: tuple[Flag, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Columns, pairs of columns and rows of the report.

    `matrix` (n, m') holds the annotators, then the adjudicated label if there is one. `voters` are the columns whose
    leave-one-out votes follow after those, in this order (made from the cells, not from the items).
    """

    matrix: Positions
    levels: int
    voters: tuple[int, ...]
    pairs: tuple[Pair, ...]
    rows: tuple[Row, ...]

    def extend(self, patterns: Positions) -> Positions:
        """Patterns (P, m') with the leave-one-out votes appended."""
        if not self.voters:
            return patterns
        panel = patterns[:, list(self.voters)]
        votes = [leave_one_out(panel, self.levels, index) for index in range(len(self.voters))]
        return np.column_stack([patterns, *votes])


def plan(labels: Labels, *, with_pairs: bool = True, compared: tuple[str, ...] = ()) -> Plan:
    """Every row that the labels allow. `compared` names the models to test against the people (rows "HH-GH")."""
    pairs: list[Pair] = list(combinations(range(len(labels.annotators)), 2))
    rows = _pair_rows(labels, pairs) if with_pairs else []
    counted = set(labels.independent())
    everybody = tuple(index for index, pair in enumerate(pairs) if counted.issuperset(pair))
    rows.append(Row("mean", _names(labels, labels.independent()), None, everybody))
    rows += _block_rows(labels, pairs, compared)
    matrix = labels.positions
    voters: tuple[int, ...] = ()
    if labels.adjudicated is not None:
        matrix = np.column_stack([labels.positions, labels.adjudicated])
        voters = labels.voting if len(labels.voting) > 1 else ()
        rows += _adjudicated_rows(labels, pairs, voters, with_pairs)
    return Plan(matrix, labels.levels, voters, tuple(pairs), tuple(rows))


def block_of(labels: Labels, first: int, second: int) -> str | None:
    """HH, GH or GG for two annotators; None for two machines of different models."""
    one, two = labels.annotators[first], labels.annotators[second]
    if one.kind is not two.kind:
        return "GH"
    if one.kind is Kind.HUMAN:
        return "HH"
    return "GG" if one.group == two.group else None


def _names(labels: Labels, columns: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(labels.annotators[column].name for column in columns)


def _pair_rows(labels: Labels, pairs: list[Pair]) -> list[Row]:
    return [
        Row("pair", _names(labels, pair), block_of(labels, *pair), (index,), model=_model_of(labels, pair))
        for index, pair in enumerate(pairs)
    ]


def _model_of(labels: Labels, pair: Pair) -> str | None:
    groups = {labels.annotators[column].group for column in pair if labels.annotators[column].kind is Kind.MACHINE}
    return groups.pop() if len(groups) == 1 else None


def _block_rows(labels: Labels, pairs: list[Pair], compared: tuple[str, ...]) -> list[Row]:
    people = labels.columns_of(Kind.HUMAN)
    place = {pair: index for index, pair in enumerate(pairs)}
    among_people = tuple(place[pair] for pair in combinations(people, 2))
    rows = [Row("block", _names(labels, people), "HH", among_people)] if people else []
    for model, runs in labels.models().items():
        crossed = tuple(place[min(pair), max(pair)] for pair in product(runs, people))
        if people:
            rows.append(Row("block", _names(labels, runs + people), "GH", crossed, model=model))
        repeated = tuple(place[pair] for pair in combinations(runs, 2))
        rows.append(Row("block", _names(labels, runs), "GG", repeated, model=model))
        if model in compared:
            rows.append(Row("difference", _names(labels, runs + people), "HH-GH", among_people, crossed, model))
    return rows


def _adjudicated_rows(labels: Labels, pairs: list[Pair], voters: tuple[int, ...], with_pairs: bool) -> list[Row]:
    """GA per model and HA, each run or person alone and as a block mean. Appends the pairs they need."""
    verdict = len(labels.annotators)
    others = {column: verdict + 1 + place for place, column in enumerate(voters)}
    blocks: list[tuple[str, str | None, tuple[int, ...]]] = [("GA", *model) for model in labels.models().items()]
    if people := labels.columns_of(Kind.HUMAN):
        blocks.append(("HA", None, people))
    rows: list[Row] = []
    for block, model, columns in blocks:
        start = len(pairs)
        pairs += [(column, others.get(column, verdict)) for column in columns]
        alone = [
            Row(
                "pair",
                (name, ADJUDICATED),
                block,
                (start + place,),
                model=model,
                flags=_part_of(labels, column, others),
            )
            for place, (name, column) in enumerate(zip(_names(labels, columns), columns, strict=True))
        ]
        flags = tuple(dict.fromkeys(flag for row in alone for flag in row.flags))
        indices = tuple(range(start, len(pairs)))
        rows.append(Row("block", (*_names(labels, columns), ADJUDICATED), block, indices, model=model, flags=flags))
        rows += alone if with_pairs else []
    return rows


def _part_of(labels: Labels, column: int, others: Mapping[int, int]) -> tuple[Flag, ...]:
    """How the annotator stands to the verdict: apart from it, compared with the other voters, or its only voter."""
    if column in others:
        return (Flag.LEAVE_ONE_OUT,)
    return (Flag.PART_WHOLE,) if column in labels.voting else ()

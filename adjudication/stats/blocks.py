"""Which annotator pairs make up which figure: pairs, their mean, and the blocks of DORIS-MAE's Table 1.

H are people, G the runs of one machine model, A the adjudicated label. A person is compared with A only through the
vote of the others, since their own label is part of A (statistics.md 2.3, 3.2).
"""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from adjudication.stats.labels import Kind, Labels, Positions
from adjudication.stats.pair_features import Pair
from adjudication.stats.results import Flag
from adjudication.stats.votes import leave_one_out

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
    people = labels.columns_of(Kind.HUMAN)
    pairs: list[Pair] = list(combinations(range(len(labels.annotators)), 2))
    rows = _pair_rows(labels, pairs) if with_pairs else []
    names = tuple(annotator.name for annotator in labels.annotators)
    rows.append(Row("mean", names, None, tuple(range(len(pairs)))))
    rows += _block_rows(labels, pairs, compared)
    matrix = labels.positions
    voters: tuple[int, ...] = ()
    if labels.adjudicated is not None:
        matrix = np.column_stack([labels.positions, labels.adjudicated])
        voters = people
        rows += _adjudicated_rows(labels, pairs, with_pairs)
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


def _adjudicated_rows(labels: Labels, pairs: list[Pair], with_pairs: bool) -> list[Row]:
    """GA per model and HA, each run or person alone and as a block mean. Appends the pairs they need."""
    verdict = len(labels.annotators)
    rows: list[Row] = []
    for model, runs in labels.models().items():
        start = len(pairs)
        pairs += [(run, verdict) for run in runs]
        rows += _compared_rows(labels, runs, start, Row("", (), "GA", (), model=model), with_pairs)
    people = labels.columns_of(Kind.HUMAN)
    if people:
        start = len(pairs)
        pairs += [(person, verdict + 1 + index) for index, person in enumerate(people)]
        rows += _compared_rows(labels, people, start, Row("", (), "HA", (), flags=(Flag.LEAVE_ONE_OUT,)), with_pairs)
    return rows


def _compared_rows(labels: Labels, columns: tuple[int, ...], start: int, like: Row, with_pairs: bool) -> list[Row]:
    indices = tuple(range(start, start + len(columns)))
    names = _names(labels, columns)
    rows = [Row("block", (*names, ADJUDICATED), like.block, indices, model=like.model, flags=like.flags)]
    for name, index in zip(names, indices, strict=True) if with_pairs else ():
        rows.append(Row("pair", (name, ADJUDICATED), like.block, (index,), model=like.model, flags=like.flags))
    return rows

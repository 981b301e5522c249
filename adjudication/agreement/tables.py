"""Small tables next to the agreement figures: confusion per pair, figures per topic, answers to hidden repeats."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from adjudication.labels.labels import IntArray, LabelMatrix, LabelTable, Positions
from engines.stats.figures import pair_figure, topic_table
from engines.stats.labels import MISSING, Kind, Labels, make_labels
from engines.stats.pairwise import confusion, tabulate
from engines.stats.reasons import Flag
from engines.stats.results import Estimate

FEWEST_IN_TOPIC = 2  # items with two labels; below that a topic has no figure
MOST_TOPICS = 5000  # those with the most items; more make no picture
REPEATED = ("accuracy", "cohen_kappa")


def confusion_tables(labels: Labels) -> list[dict[str, Any]]:
    """K x K counts for each pair of columns with an item in common: rows are the first annotator's levels.

    Machines are also set against the verdict, column -1, and so are people who did not vote. A machine that voted is
    flagged part_whole, since the verdict is partly its own; people who voted are left out.
    `agreement` is that on each level, the F1 of the class; None where neither used it.
    """
    columns = range(len(labels.annotators))
    found = [_table(labels, pair, labels.positions[:, pair[1]]) for pair in combinations(columns, 2)]
    if labels.adjudicated is not None:
        found += [_against_verdict(labels, column, labels.adjudicated) for column in columns]
    return [table for table in found if table is not None]


def _against_verdict(labels: Labels, column: int, verdict: Positions) -> dict[str, Any] | None:
    voted = column in labels.voting
    if voted and labels.annotators[column].kind is Kind.HUMAN:
        return None
    table = _table(labels, (column, -1), verdict)
    return {**table, "flags": [Flag.PART_WHOLE.value]} if table is not None and voted else table


def _table(labels: Labels, pair: tuple[int, int], second: Positions) -> dict[str, Any] | None:
    table = confusion(tabulate(labels.positions[:, pair[0]], second, labels.levels))
    if not table.n_items:
        return None
    counts = [list(row) for row in table.counts]
    return {"pair": list(pair), "counts": counts, "agreement": list(table.class_agreement)}


def topic_figures(labels: Labels, topics: Sequence[tuple[int, str]], statistics: Sequence[str]) -> list[dict[str, Any]]:
    """For each topic: its items with two labels, and a value or the reason why there is none for each statistic.

    `topics` are (id, number) in the order of `labels.topics`. A topic with one such item has no figure: the reason
    is too_few_items. Means of pairs for pairwise statistics, else of all annotators at once.
    """
    if labels.topics is None or not labels.n_items:
        return []
    paired = np.bincount(labels.topics[(labels.positions >= 0).sum(axis=1) >= 2], minlength=len(topics))
    chosen = np.sort(np.argsort(-paired, kind="stable")[:MOST_TOPICS])
    kept = chosen[paired[chosen] >= FEWEST_IN_TOPIC]
    table: dict[str, tuple[Estimate, ...]] = {}
    if len(kept):
        table = topic_table(labels.take(np.isin(labels.topics, kept)), statistics)
    place = {int(topic): index for index, topic in enumerate(kept)}
    return [_topic_row(topics[index], int(paired[index]), place.get(int(index)), table) for index in chosen]


def topic_tables(
    labels: Labels, topics: Sequence[tuple[int, str]], statistics: Sequence[str]
) -> dict[str, list[dict[str, Any]]]:
    """`topics`: figures of each topic over all annotators; `topics_people` over people alone, as in the block HH.

    The latter only where it differs: two people, and also a machine.
    """
    found = {"topics": topic_figures(labels, topics, statistics)}
    people = list(labels.columns_of(Kind.HUMAN))
    if labels.topics is None or not 2 <= len(people) < len(labels.annotators):
        return found
    seen = (labels.positions[:, people] >= 0).any(axis=1)
    there = np.unique(labels.topics[seen]).tolist()
    who = [labels.annotators[column] for column in people]
    alone = make_labels(labels.positions[seen][:, people], labels.scale, who, topics=labels.topics[seen])
    return {**found, "topics_people": topic_figures(alone, [topics[place] for place in there], statistics)}


def _topic_row(
    topic: tuple[int, str], n_items: int, place: int | None, table: dict[str, tuple[Estimate, ...]]
) -> dict[str, Any]:
    row: dict[str, Any] = {"topic": topic[0], "number": topic[1], "n_items": n_items, "values": {}, "reasons": {}}
    if place is None:
        return {**row, "reason": "too_few_items" if n_items else "no_item_with_two_labels"}
    for name, estimates in table.items():
        found = estimates[place]
        if found.value is None:
            row["reasons"][name] = str(found.reason)
        else:
            row["values"][name] = found.value
    return row


def self_consistency(matrix: LabelMatrix, repeats: LabelTable, scale: list[int]) -> list[dict[str, Any]]:
    """For each annotator asked again, unseen: on how many items, how many answers were the same, agreement and kappa.

    The first answer is compared with the second; each figure is a value or the reason why there is none.
    """
    if not repeats.n_labels:
        return []
    again = repeats.matrix(scale)
    shared = np.intersect1d(matrix.items, again.items)
    first = matrix.positions[np.searchsorted(matrix.items, shared)]
    second = again.positions[np.searchsorted(again.items, shared)]
    found = []
    for column, annotator in enumerate(again.annotators.tolist()):
        own = np.flatnonzero(matrix.annotators == annotator)
        answers = first[:, own[0]] if len(own) else np.full(len(shared), MISSING, dtype=np.int16)
        figures = {name: pair_figure(answers, second[:, column], len(scale), name) for name in REPEATED}
        if figures["accuracy"].n_items:
            found.append(_consistency(annotator, answers, second[:, column], figures))
    return found


def _consistency(
    annotator: int, first: Positions | IntArray, second: Positions | IntArray, figures: dict[str, Estimate]
) -> dict[str, Any]:
    return {
        "id": annotator,
        "n_items": figures["accuracy"].n_items,
        "n_equal": int(((first == second) & (first >= 0)).sum()),
        **{name: figure.value for name, figure in figures.items()},
        "reasons": {name: str(figure.reason) for name, figure in figures.items() if figure.value is None},
    }

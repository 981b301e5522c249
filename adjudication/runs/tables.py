"""Small tables beside the agreement figures: confusion per pair, figures per topic, answers to hidden repeats."""

from itertools import combinations
from typing import Any

import numpy as np

from adjudication.queries.labels import Matrix, Positions, Table
from adjudication.stats import coincidence
from adjudication.stats.cells import reduce_rows, sum_by_topic
from adjudication.stats.group_analysis import level_counts
from adjudication.stats.labels import Labels
from adjudication.stats.pairwise import tabulate

FEWEST_IN_TOPIC = 2  # items with two labels; below that a topic has no figure


def confusion_tables(positions: Positions, levels: int) -> list[dict[str, Any]]:
    """K x K counts for each pair of columns with an item in common: rows are the first annotator's levels."""
    found = []
    for first, second in combinations(range(positions.shape[1]), 2):
        table = tabulate(positions[:, first], positions[:, second], levels)
        if table.sum():
            found.append({"pair": [first, second], "counts": table.astype(int).tolist()})
    return found


def topic_figures(labels: Labels, topics: list[tuple[int, str]]) -> list[dict[str, Any]]:
    """For each topic: items with two labels, the share of equal pairs of labels, ordinal alpha; None where undefined.

    `topics` are (id, number) in the order of `labels.topics`.
    """
    if labels.topics is None or not labels.n_items:
        return []
    counts = level_counts(labels.positions, labels.levels)
    cells = reduce_rows(counts, int(counts.max(initial=0)) + 2)
    sums = sum_by_topic(cells, labels.topics, coincidence.features(cells.patterns))
    parts = coincidence.split(sums.T, labels.levels)
    alphas = coincidence.coefficient(parts, "alpha_ordinal")
    equal = np.trace(parts.agreements, axis1=0, axis2=1)
    figures = []
    for index, (pk, number) in enumerate(topics):
        items = int(parts.paired[index])
        enough = items >= FEWEST_IN_TOPIC
        figures.append(
            {
                "topic": pk,
                "number": number,
                "n_items": items,
                "agreement": float(equal[index] / items) if enough else None,
                "alpha_ordinal": float(alphas[index]) if enough and np.isfinite(alphas[index]) else None,
            }
        )
    return figures


def self_consistency(matrix: Matrix, repeats: Table, scale: list[int]) -> list[dict[str, Any]]:
    """For each annotator asked again, unseen: how many items, and on how many the answer was the same."""
    if not repeats.n_labels:
        return []
    row = {int(item): index for index, item in enumerate(matrix.items)}
    column = {int(annotator): index for index, annotator in enumerate(matrix.annotators)}
    position = {value: index for index, value in enumerate(scale)}
    tally: dict[int, list[int]] = {}
    for item, annotator, value in zip(repeats.items, repeats.annotators, repeats.values, strict=True):
        place = (row.get(int(item)), column.get(int(annotator)))
        if None in place or matrix.positions[place] < 0:
            continue
        seen = tally.setdefault(int(annotator), [0, 0])
        seen[0] += 1
        seen[1] += int(matrix.positions[place] == position[int(value)])
    return [{"id": annotator, "n_items": asked, "n_equal": equal} for annotator, (asked, equal) in tally.items()]

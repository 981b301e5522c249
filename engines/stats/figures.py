"""Figures without intervals: of two columns, or of each topic of a heat map."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engines.stats import coincidence
from engines.stats.cells import reduce_rows, sum_by_topic
from engines.stats.group_analysis import group_values, level_counts
from engines.stats.labels import Labels
from engines.stats.pair_analysis import pair_values
from engines.stats.pair_features import pair_features, sum_pairs_by_topic
from engines.stats.pairwise import Tables, tabulate
from engines.stats.reasons import Reason
from engines.stats.results import Estimate, FloatArray, undefined
from engines.stats.statistics import statistic


def pair_figure(first: NDArray[np.integer], second: NDArray[np.integer], levels: int, name: str) -> Estimate:
    """A statistic of two columns of positions (n,), -1 missing, over the items labelled by both.

    Serves annotator against verdict and self-consistency (first against repeated label) as well.
    """
    table = tabulate(first, second, levels)
    value, n_items = float(pair_values(statistic(name), Tables(table))), int(table.sum())
    if np.isnan(value):
        return undefined(statistic(name).why_undefined(n_items), n_items=n_items, n_pairs=1)
    return Estimate(value, None, n_items, 1)


def topic_table(labels: Labels, statistics: Sequence[str]) -> dict[str, tuple[Estimate, ...]]:
    """{statistic: a figure for each topic number of the labels}, for the heat map; one pass over the labels.

    Pairwise statistics: the mean over annotator pairs defined on the topic; alpha, Fleiss, Gwet: of all annotators.
    Raises ValueError when the labels have no topics.
    """
    if labels.topics is None:
        raise ValueError("these labels have no topics")
    found: dict[str, tuple[Estimate, ...]] = {}
    if joint := [name for name in statistics if not statistic(name).is_averaged]:
        found |= _group_topics(labels, labels.topics, joint)
    pairwise = [name for name in statistics if statistic(name).is_averaged]
    columns = range(len(labels.annotators))
    pairs = [(first, second) for first in columns for second in columns if first < second]
    if not pairs:
        alone = tuple(undefined(Reason.FEWER_THAN_TWO_ANNOTATORS) for _ in np.unique(labels.topics))
        return found | dict.fromkeys(pairwise, alone)
    if pairwise:
        cells = reduce_rows(labels.positions, labels.levels + 1)
        features = pair_features(cells.patterns, pairs, labels.levels)
        sums = sum_pairs_by_topic(features, cells.inverse, labels.topics)
        tables = Tables(sums.T.reshape(labels.levels, labels.levels, len(pairs), -1))
        for name in pairwise:
            found[name] = _topic_means(name, pair_values(statistic(name), tables), tables.total)
    return {name: found[name] for name in statistics}


def _topic_means(name: str, values: FloatArray, totals: FloatArray) -> tuple[Estimate, ...]:
    """The mean over the pairs of (pairs, topics); `n_items` is the largest number of items a pair shares."""
    defined = ~np.isnan(values)
    counts = defined.sum(axis=0)
    means = np.where(defined, values, 0.0).sum(axis=0) / np.maximum(counts, 1)
    most = totals.max(axis=0).astype(np.int64)
    return tuple(
        Estimate(mean, None, n_items, n_pairs)
        if n_pairs
        else undefined(statistic(name).why_undefined(n_items), n_items=n_items)
        for mean, n_items, n_pairs in zip(means.tolist(), most.tolist(), counts.tolist(), strict=True)
    )


def _group_topics(
    labels: Labels, topics: NDArray[np.int64], statistics: Sequence[str]
) -> dict[str, tuple[Estimate, ...]]:
    cells = reduce_rows(level_counts(labels.positions, labels.levels), len(labels.annotators) + 2)
    sums = coincidence.split(sum_by_topic(cells, topics, coincidence.features(cells.patterns)).T, labels.levels)
    count = len(labels.annotators)
    return {
        name: tuple(
            undefined(coincidence.undefined_reason(count, paired), n_items=int(paired))
            if count < 2 or np.isnan(value)
            else Estimate(value, None, int(paired))
            for value, paired in zip(group_values(statistic(name), sums).tolist(), sums.paired.tolist(), strict=True)
        )
        for name in statistics
    }

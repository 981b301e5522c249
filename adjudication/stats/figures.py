"""Single figures without intervals: two columns, a panel, or each topic of a heat map."""

import numpy as np
from numpy.typing import NDArray

from adjudication.stats import coincidence
from adjudication.stats.cells import reduce_rows, sum_by_topic
from adjudication.stats.coincidence import GROUP_STATISTICS
from adjudication.stats.group_analysis import level_counts
from adjudication.stats.labels import Labels
from adjudication.stats.pair_features import pair_features
from adjudication.stats.pairwise import PAIR_ALPHAS, PAIR_STATISTICS, Tables, tabulate, undefined_reason
from adjudication.stats.results import Estimate, FloatArray, Reason, undefined

PAIRWISE = {**PAIR_STATISTICS, **PAIR_ALPHAS}


def pair_figure(first: NDArray[np.integer], second: NDArray[np.integer], levels: int, statistic: str) -> Estimate:
    """A statistic of two columns of positions (n,), -1 missing, over the items labelled by both.

    Serves annotator against verdict and self-consistency (first against repeated label) as well.
    """
    table = tabulate(first, second, levels)
    value, n_items = float(PAIRWISE[statistic](Tables(table))), int(table.sum())
    if np.isnan(value):
        return undefined(undefined_reason(statistic, n_items), n_items=n_items, n_pairs=1)
    return Estimate(value, None, n_items, 1)


def group_figure(positions: NDArray[np.integer], levels: int, statistic: str) -> Estimate:
    """Alpha, Fleiss' kappa or Gwet's coefficient of all columns of (n, m) positions, -1 missing."""
    cells = reduce_rows(level_counts(positions.astype(np.int16), levels), positions.shape[1] + 2)
    sums = coincidence.split(cells.counts @ coincidence.features(cells.patterns), levels)
    value, n_items = float(coincidence.coefficient(sums, statistic)), int(sums.paired)
    if positions.shape[1] < 2 or np.isnan(value):
        return undefined(coincidence.undefined_reason(positions.shape[1], n_items), n_items=n_items)
    return Estimate(value, None, n_items)


def topic_figures(labels: Labels, statistic: str) -> tuple[Estimate, ...]:
    """One figure for each topic number of the labels, for the heat map.

    Pairwise statistics: the mean over annotator pairs defined on the topic; alpha, Fleiss, Gwet: of all annotators.
    Raises ValueError when the labels have no topics.
    """
    if labels.topics is None:
        raise ValueError("these labels have no topics")
    if statistic in GROUP_STATISTICS:
        return _group_topics(labels, labels.topics, statistic)
    columns = range(len(labels.annotators))
    pairs = [(first, second) for first in columns for second in columns if first < second]
    if not pairs:
        return tuple(undefined(Reason.FEWER_THAN_TWO_ANNOTATORS) for _ in np.unique(labels.topics))
    cells = reduce_rows(labels.positions, labels.levels + 1)
    sums = pair_features(cells.patterns, pairs, labels.levels).by_topic(cells.inverse, labels.topics)
    tables = Tables(sums.T.reshape(labels.levels, labels.levels, len(pairs), -1))
    return tuple(
        _topic_mean(statistic, *one) for one in zip(PAIRWISE[statistic](tables).T, tables.total.T, strict=True)
    )


def _topic_mean(statistic: str, values: FloatArray, totals: FloatArray) -> Estimate:
    """The mean over the pairs (pairs,) of one topic; `n_items` is the largest number of items a pair shares."""
    defined = ~np.isnan(values)
    n_items = int(totals.max())
    if not defined.any():
        return undefined(undefined_reason(statistic, n_items), n_items=n_items)
    return Estimate(float(values[defined].mean()), None, n_items, int(defined.sum()))


def _group_topics(labels: Labels, topics: NDArray[np.int64], statistic: str) -> tuple[Estimate, ...]:
    cells = reduce_rows(level_counts(labels.positions, labels.levels), len(labels.annotators) + 2)
    sums = coincidence.split(sum_by_topic(cells, topics, coincidence.features(cells.patterns)).T, labels.levels)
    found = []
    for value, paired in zip(coincidence.coefficient(sums, statistic), sums.paired, strict=True):
        if np.isnan(value):
            reason = coincidence.undefined_reason(len(labels.annotators), float(paired))
            found.append(undefined(reason, n_items=int(paired)))
        else:
            found.append(Estimate(float(value), None, int(paired)))
    return tuple(found)

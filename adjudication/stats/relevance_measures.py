"""Measures that ask only whether a document is relevant: precision, recall, AP and their kin (statistics.md 5)."""

import numpy as np

from adjudication.stats.measure import (
    Cut,
    Parameters,
    count_relevant,
    divide,
    inverse,
    is_relevant,
    is_within,
    precisions_at_hits,
    where_relevant,
)
from adjudication.stats.rankings import View, ordinals
from adjudication.stats.results import FloatArray


def precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    found = seen.total(is_relevant(seen, parameters) & is_within(seen, cut)) / np.asarray(cut)
    return where_relevant(found, seen, parameters)


def recall(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    return divide(seen.total(is_relevant(seen, parameters) & is_within(seen, cut)), count_relevant(seen, parameters))


def r_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return recall(seen, count_relevant(seen, parameters), parameters)


def success(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    found = seen.total(is_relevant(seen, parameters) & is_within(seen, cut)) > 0
    return where_relevant(found.astype(np.float64), seen, parameters)


def reciprocal_rank(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    hits = is_relevant(seen, parameters)
    hits[hits] = ordinals(seen.topic[hits]) == 0
    return where_relevant(seen.total(hits & is_within(seen, cut), inverse(seen.rank)), seen, parameters)


def average_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    hits, at_rank = precisions_at_hits(seen, parameters)
    return divide(seen.total(hits & is_within(seen, cut), at_rank), count_relevant(seen, parameters))


def interpolated_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """The highest precision at any rank where the recall is reached (trec_eval: int(r * relevant + 0.9) documents)."""
    n_relevant = count_relevant(seen, parameters)
    needed = np.floor(float(np.asarray(cut)) * n_relevant + 0.9)
    hits, at_rank = precisions_at_hits(seen, parameters)
    reached = hits.copy()
    reached[hits] = ordinals(seen.topic[hits]) + 1 >= needed[seen.topic[hits]]
    found = np.zeros(len(seen.length))
    np.maximum.at(found, seen.topic[reached], at_rank[reached])
    return where_relevant(found, seen, parameters)


def judged(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    deep = seen.length if cut is None else np.minimum(seen.length, cut)
    return np.nan_to_num(divide(seen.total(is_within(seen, cut)), deep.astype(np.float64)))


def bpref(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    seen = seen.condensed
    hits = is_relevant(seen, parameters)
    n_relevant = count_relevant(seen, parameters)
    least = np.minimum(n_relevant, seen.n_sure() - n_relevant)[seen.topic]
    before = ordinals(seen.topic).astype(np.float64)
    before[hits] -= ordinals(seen.topic[hits])
    lost = np.divide(np.minimum(before, n_relevant[seen.topic]), least, out=np.zeros(len(hits)), where=least > 0)
    return divide(seen.total(hits, 1.0 - lost), n_relevant)


def rank_biased_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    patience = float(parameters["p"])
    found = (1 - patience) * seen.total(
        is_relevant(seen, parameters) & is_within(seen, cut), np.power(patience, seen.rank - 1.0)
    )
    return where_relevant(found, seen, parameters)


def set_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    found = np.nan_to_num(divide(seen.total(is_relevant(seen, parameters)), seen.length.astype(np.float64)))
    return where_relevant(found, seen, parameters)


def set_f(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    one, two = set_precision(seen, cut, parameters), recall(seen, None, parameters)
    beta = float(parameters["beta"])
    return where_relevant(np.nan_to_num(divide((beta + 1) * one * two, beta * one + two)), seen, parameters)


def set_ap(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    return set_precision(seen, cut, parameters) * recall(seen, None, parameters)


def n_retrieved(seen: View, _cut: Cut, _: Parameters) -> FloatArray:
    return seen.length.astype(np.float64)


def n_relevant_retrieved(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return seen.total(is_relevant(seen, parameters))


def n_relevant_judged(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return count_relevant(seen, parameters)

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
    """(T,) relevant documents up to the cut over the cut (trec_eval P); shorter rankings lose the rest."""
    found = seen.total(is_relevant(seen, parameters) & is_within(seen, cut)) / np.asarray(cut)
    return where_relevant(found, seen, parameters)


def recall(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the share of the relevant documents that stands up to the cut (trec_eval recall)."""
    return divide(seen.total(is_relevant(seen, parameters) & is_within(seen, cut)), count_relevant(seen, parameters))


def r_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) precision, and so recall, at the number of relevant documents (trec_eval Rprec)."""
    return recall(seen, count_relevant(seen, parameters), parameters)


def success(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) 1 where a relevant document stands up to the cut, else 0 (trec_eval success)."""
    found = seen.total(is_relevant(seen, parameters) & is_within(seen, cut)) > 0
    return where_relevant(found.astype(np.float64), seen, parameters)


def reciprocal_rank(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) 1 / rank of the first relevant document, 0 where none stands up to the cut (trec_eval recip_rank)."""
    hits = is_relevant(seen, parameters)
    hits[hits] = ordinals(seen.topic[hits]) == 0
    return where_relevant(seen.total(hits & is_within(seen, cut), inverse(seen.rank)), seen, parameters)


def average_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) precision at each relevant document up to the cut, over all relevant documents (trec_eval map, map_cut)."""
    hits, at_rank = precisions_at_hits(seen, parameters)
    return divide(seen.total(hits & is_within(seen, cut), at_rank), count_relevant(seen, parameters))


def interpolated_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the highest precision at any rank where the recall is reached.

    The cut is a level of recall, 0 to 1; it is reached with int(r * relevant + 0.9) documents (trec_eval).
    """
    n_relevant = count_relevant(seen, parameters)
    needed = np.floor(float(np.asarray(cut)) * n_relevant + 0.9)
    hits, at_rank = precisions_at_hits(seen, parameters)
    reached = hits.copy()
    reached[hits] = ordinals(seen.topic[hits]) + 1 >= needed[seen.topic[hits]]
    found = np.zeros(len(seen.length))
    np.maximum.at(found, seen.topic[reached], at_rank[reached])
    return where_relevant(found, seen, parameters)


def judged(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) the share of the documents up to the cut that is judged; 0 for an empty ranking. Defined for every topic."""
    deep = seen.length if cut is None else np.minimum(seen.length, cut)
    return np.nan_to_num(divide(seen.total(is_within(seen, cut)), deep.astype(np.float64)))


def bpref(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) relevant documents before which few judged non-relevant ones stand (Buckley & Voorhees 2004; trec_eval)."""
    seen = seen.condensed
    hits = is_relevant(seen, parameters)
    n_relevant = count_relevant(seen, parameters)
    least = np.minimum(n_relevant, seen.n_sure() - n_relevant)[seen.topic]
    before = ordinals(seen.topic).astype(np.float64)
    before[hits] -= ordinals(seen.topic[hits])
    lost = np.divide(np.minimum(before, n_relevant[seen.topic]), least, out=np.zeros(len(hits)), where=least > 0)
    return divide(seen.total(hits, 1.0 - lost), n_relevant)


def rank_biased_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) relevant documents weighted by (1 - p) p^(rank - 1) (Moffat & Zobel 2008); `p` is the patience, 0 to 1."""
    patience = float(parameters["p"])
    found = (1 - patience) * seen.total(
        is_relevant(seen, parameters) & is_within(seen, cut), np.power(patience, seen.rank - 1.0)
    )
    return where_relevant(found, seen, parameters)


def set_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the share of the documents returned that is relevant, whatever their order; 0 for an empty ranking."""
    found = np.nan_to_num(divide(seen.total(is_relevant(seen, parameters)), seen.length.astype(np.float64)))
    return where_relevant(found, seen, parameters)


def set_f(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) F of the set's precision and recall, with trec_eval's beta: (beta + 1) P R / (beta P + R)."""
    one, two = set_precision(seen, cut, parameters), recall(seen, None, parameters)
    beta = float(parameters["beta"])
    return where_relevant(np.nan_to_num(divide((beta + 1) * one * two, beta * one + two)), seen, parameters)


def set_ap(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the set's precision times its recall (trec_eval set_map)."""
    return set_precision(seen, cut, parameters) * recall(seen, None, parameters)


def n_retrieved(seen: View, _cut: Cut, _: Parameters) -> FloatArray:
    """(T,) how many documents the run returns."""
    return seen.length.astype(np.float64)


def n_relevant_retrieved(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) how many relevant documents the run returns."""
    return seen.total(is_relevant(seen, parameters))


def n_relevant_judged(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) how many relevant documents the gold has."""
    return count_relevant(seen, parameters)

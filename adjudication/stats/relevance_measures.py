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


def precision(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) relevant documents up to the cut over the cut (trec_eval P); shorter rankings lose the rest."""
    found = view.total(is_relevant(view, parameters) & is_within(view, cut)) / np.asarray(cut)
    return where_relevant(found, view, parameters)


def recall(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the share of the relevant documents that stands up to the cut (trec_eval recall)."""
    return divide(view.total(is_relevant(view, parameters) & is_within(view, cut)), count_relevant(view, parameters))


def r_precision(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) precision, and so recall, at the number of relevant documents (trec_eval Rprec)."""
    return recall(view, count_relevant(view, parameters), parameters)


def success(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) 1 where a relevant document stands up to the cut, else 0 (trec_eval success)."""
    found = view.total(is_relevant(view, parameters) & is_within(view, cut)) > 0
    return where_relevant(found.astype(np.float64), view, parameters)


def reciprocal_rank(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) 1 / rank of the first relevant document, 0 where none stands up to the cut (trec_eval recip_rank)."""
    hits = is_relevant(view, parameters)
    hits[hits] = ordinals(view.topic[hits]) == 0
    return where_relevant(view.total(hits & is_within(view, cut), inverse(view.rank)), view, parameters)


def average_precision(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) precision at each relevant document up to the cut, over all relevant documents (trec_eval map, map_cut)."""
    hits, at_rank = precisions_at_hits(view, parameters)
    return divide(view.total(hits & is_within(view, cut), at_rank), count_relevant(view, parameters))


def interpolated_precision(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the highest precision at any rank where the recall is reached.

    The cut is a level of recall, 0 to 1; it is reached with int(r * relevant + 0.9) documents (trec_eval).
    """
    n_relevant = count_relevant(view, parameters)
    needed = np.floor(float(np.asarray(cut)) * n_relevant + 0.9)
    hits, at_rank = precisions_at_hits(view, parameters)
    reached = hits.copy()
    reached[hits] = ordinals(view.topic[hits]) + 1 >= needed[view.topic[hits]]
    found = np.zeros(len(view.length))
    np.maximum.at(found, view.topic[reached], at_rank[reached])
    return where_relevant(found, view, parameters)


def judged(view: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) the share of the documents up to the cut that is judged; 0 for an empty ranking. Defined for every topic."""
    deep = view.length if cut is None else np.minimum(view.length, cut)
    return np.nan_to_num(divide(view.total(is_within(view, cut)), deep.astype(np.float64)))


def bpref(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) relevant documents before which few judged non-relevant ones stand (Buckley & Voorhees 2004; trec_eval)."""
    view = view.condensed
    hits = is_relevant(view, parameters)
    n_relevant = count_relevant(view, parameters)
    least = np.minimum(n_relevant, view.n_sure() - n_relevant)[view.topic]
    before = ordinals(view.topic).astype(np.float64)
    before[hits] -= ordinals(view.topic[hits])
    lost = np.divide(np.minimum(before, n_relevant[view.topic]), least, out=np.zeros(len(hits)), where=least > 0)
    return divide(view.total(hits, 1.0 - lost), n_relevant)


def rank_biased_precision(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) relevant documents weighted by (1 - p) p^(rank - 1) (Moffat & Zobel 2008); `p` is the patience, 0 to 1."""
    patience = float(parameters["p"])
    found = (1 - patience) * view.total(
        is_relevant(view, parameters) & is_within(view, cut), np.power(patience, view.rank - 1.0)
    )
    return where_relevant(found, view, parameters)


def set_precision(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the share of the documents returned that is relevant, whatever their order; 0 for an empty ranking."""
    found = np.nan_to_num(divide(view.total(is_relevant(view, parameters)), view.length.astype(np.float64)))
    return where_relevant(found, view, parameters)


def set_f(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) F of the set's precision and recall, with trec_eval's beta: (beta + 1) P R / (beta P + R)."""
    one, two = set_precision(view, cut, parameters), recall(view, None, parameters)
    beta = float(parameters["beta"])
    return where_relevant(np.nan_to_num(divide((beta + 1) * one * two, beta * one + two)), view, parameters)


def set_ap(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) the set's precision times its recall (trec_eval set_map)."""
    return set_precision(view, cut, parameters) * recall(view, None, parameters)


def n_retrieved(view: View, _cut: Cut, _: Parameters) -> FloatArray:
    """(T,) how many documents the run returns."""
    return view.length.astype(np.float64)


def n_relevant_retrieved(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) how many relevant documents the run returns."""
    return view.total(is_relevant(view, parameters))


def n_relevant_judged(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) how many relevant documents the gold has."""
    return count_relevant(view, parameters)

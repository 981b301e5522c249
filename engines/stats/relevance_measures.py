"""Measures that ask only whether a document is relevant: precision, recall, AP and their kin (statistics.md 5)."""

from dataclasses import replace

import numpy as np

from engines.stats.measure import Ranked, divide, quotient
from engines.stats.rankings import ordinals
from engines.stats.results import FloatArray


def precision(ranked: Ranked) -> FloatArray:
    """(T,) relevant documents up to the cut over the cut (trec_eval P); shorter rankings lose the rest."""
    return ranked.if_relevant(ranked.view.total(ranked.found) / np.asarray(ranked.cut))


def recall(ranked: Ranked) -> FloatArray:
    """(T,) the share of the relevant documents that stands up to the cut (trec_eval recall)."""
    return divide(ranked.view.total(ranked.found), ranked.n_relevant)


def r_precision(ranked: Ranked) -> FloatArray:
    """(T,) precision, and so recall, at the number of relevant documents (trec_eval Rprec)."""
    return recall(replace(ranked, cut=ranked.n_relevant))


def success(ranked: Ranked) -> FloatArray:
    """(T,) 1 where a relevant document stands up to the cut, else 0 (trec_eval success)."""
    return ranked.if_relevant((ranked.view.total(ranked.found) > 0).astype(np.float64))


def reciprocal_rank(ranked: Ranked) -> FloatArray:
    """(T,) 1 / rank of the first relevant document, 0 where none stands up to the cut (trec_eval recip_rank)."""
    hits = ranked.relevant
    hits[hits] = ordinals(ranked.view.topic[hits]) == 0
    return ranked.if_relevant(ranked.view.total(hits & ranked.within, ranked.inverse_ranks))


def average_precision(ranked: Ranked) -> FloatArray:
    """(T,) precision at each relevant document up to the cut, over all relevant documents (trec_eval map, map_cut)."""
    hits, at_rank = ranked.precisions
    return divide(ranked.view.total(hits & ranked.within, at_rank), ranked.n_relevant)


def interpolated_precision(ranked: Ranked) -> FloatArray:
    """(T,) the highest precision at any rank where the recall is reached.

    The cut is a level of recall, 0 to 1; it is reached with int(r * relevant + 0.9) documents (trec_eval).
    """
    topic = ranked.view.topic
    needed = np.floor(float(np.asarray(ranked.cut)) * ranked.n_relevant + 0.9)
    hits, at_rank = ranked.precisions
    reached = hits.copy()
    reached[hits] = ordinals(topic[hits]) + 1 >= needed[topic[hits]]
    found = np.zeros(len(ranked.view.length))
    np.maximum.at(found, topic[reached], at_rank[reached])
    return ranked.if_relevant(found)


def judged(ranked: Ranked) -> FloatArray:
    """(T,) the share of the documents up to the cut that is judged; 0 for an empty ranking. Defined for every topic."""
    length = ranked.view.length
    deep = length if ranked.cut is None else np.minimum(length, ranked.cut)
    return quotient(ranked.view.total(ranked.within), deep.astype(np.float64))


def bpref(ranked: Ranked) -> FloatArray:
    """(T,) relevant documents before which few judged non-relevant ones stand (Buckley & Voorhees 2004; trec_eval)."""
    ranked = replace(ranked, view=ranked.view.condensed)
    hits, topic, n_relevant = ranked.relevant, ranked.view.topic, ranked.n_relevant
    least = np.minimum(n_relevant, ranked.view.n_sure() - n_relevant)[topic]
    before = ordinals(topic).astype(np.float64)
    before[hits] -= ordinals(topic[hits])
    lost = np.divide(np.minimum(before, n_relevant[topic]), least, out=np.zeros(len(hits)), where=least > 0)
    return divide(ranked.view.total(hits, 1.0 - lost), n_relevant)


def rank_biased_precision(ranked: Ranked) -> FloatArray:
    """(T,) relevant documents weighted by (1 - p) p^(rank - 1) (Moffat & Zobel 2008); `p` is the patience, 0 to 1."""
    patience = float(ranked.parameters["p"])
    weights = np.power(patience, ranked.view.rank - 1.0)
    return ranked.if_relevant((1 - patience) * ranked.view.total(ranked.found, weights))


def set_precision(ranked: Ranked) -> FloatArray:
    """(T,) the share of the documents returned that is relevant, whatever their order; 0 for an empty ranking."""
    n_found = ranked.view.total(ranked.relevant)
    return ranked.if_relevant(quotient(n_found, ranked.view.length.astype(np.float64)))


def set_f(ranked: Ranked) -> FloatArray:
    """(T,) F of the set's precision and recall, with trec_eval's beta: (beta + 1) P R / (beta P + R)."""
    one, two = set_precision(ranked), recall(replace(ranked, cut=None))
    beta = float(ranked.parameters["beta"])
    return ranked.if_relevant(quotient((beta + 1) * one * two, beta * one + two))


def set_ap(ranked: Ranked) -> FloatArray:
    """(T,) the set's precision times its recall (trec_eval set_map)."""
    return set_precision(ranked) * recall(replace(ranked, cut=None))


def n_retrieved(ranked: Ranked) -> FloatArray:
    """(T,) how many documents the run returns."""
    return ranked.view.length.astype(np.float64)


def n_relevant_retrieved(ranked: Ranked) -> FloatArray:
    """(T,) how many relevant documents the run returns."""
    return ranked.view.total(ranked.relevant)


def n_relevant_judged(ranked: Ranked) -> FloatArray:
    """(T,) how many relevant documents the gold has."""
    return ranked.n_relevant

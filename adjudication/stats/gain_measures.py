"""Measures that ask how relevant a document is (nDCG), and those of DORIS-MAE and CSFCube (statistics.md 5, 10)."""

from collections.abc import Callable

import numpy as np

from adjudication.stats.measure import (
    Cut,
    Parameters,
    UnjudgedError,
    divide,
    inverse,
    is_relevant,
    is_within,
    precisions_at_hits,
    where_relevant,
)
from adjudication.stats.rankings import View, best_order, ordinals
from adjudication.stats.relevance_measures import precision
from adjudication.stats.results import BoolArray, FloatArray, IntArray


def log2_discount(ranks: IntArray) -> FloatArray:
    """(H,) 1 / log2(rank + 1) (Järvelin & Kekäläinen 2002), ranks from 1."""
    return np.asarray(1 / np.log2(ranks + 1.0))


def discount_from_3(ranks: IntArray) -> FloatArray:
    """(H,) 1, 1, 1/log2(3), …: the first two ranks count in full."""
    return np.asarray(1 / np.log2(np.maximum(ranks, 2)))


def _linear(gain: FloatArray) -> FloatArray:
    return np.maximum(gain, 0.0)


GAINS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "log2": _linear,
    "exp-log2": lambda gain: np.exp2(np.maximum(gain, 0.0)) - 1,
}
Discount = Callable[[IntArray], FloatArray]


def _dcg(
    hits: tuple[IntArray, IntArray, FloatArray], cut: Cut, topics: int, discount: Discount = log2_discount
) -> FloatArray:
    """(T,) discounted gains of hits (topic, rank, gain) up to the cut."""
    topic, ranks, gain = hits
    if cut is not None:
        within = ranks <= (cut[topic] if isinstance(cut, np.ndarray) else cut)
        topic, ranks, gain = topic[within], ranks[within], gain[within]
    return np.bincount(topic, gain * discount(ranks), topics).astype(np.float64)


def ndcg(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) discounted gain up to the cut over that of the best order of all judged documents (trec_eval ndcg_cut).

    The gain is the grade, below 0 counted as 0, or 2**grade - 1 with dcg="exp-log2"; NaN where nothing gains.
    """
    gains = GAINS[str(parameters["dcg"])]
    topic, ranks, gain = view.ideal
    best = _dcg((topic, ranks, gains(gain)), cut, len(view.length))
    return divide(_dcg((view.topic, view.rank, gains(view.gain)), cut, len(view.length)), best)


def _check_judged(view: View) -> None:
    topic = view.first_unjudged()
    if topic is not None:
        raise UnjudgedError(f"topic {topic} has unjudged documents in its ranking; this measure re-ranks a judged pool")


def _over_ranked(
    view: View, gain: FloatArray, cut: Cut, findable: BoolArray, discount: Discount = log2_discount
) -> FloatArray:
    """Discounted gains over those of the best order of the documents ranked.

    0 where the ranking holds nothing of what the gold has; undefined where that is nothing, or the cut lets nothing in.
    """
    best = _dcg(best_order(view.topic, gain), cut, len(view.length), discount)
    found = divide(_dcg((view.topic, view.rank, gain), cut, len(view.length), discount), best)
    is_cut_off = (view.length > 0) & (np.asarray(np.inf if cut is None else cut) < 1)
    return np.where(findable & ~is_cut_off, np.nan_to_num(found), np.nan)


def ndcg_of_pool(view: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) nDCG of a re-ranked pool: the ideal is the best order of the documents ranked.

    Errors: UnjudgedError for a ranking with an unjudged document.
    """
    _check_judged(view)
    return _over_ranked(view, _linear(view.gain), cut, view.has_gain)


def ndcg_exp_of_pool(view: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) DORIS-MAE's nDCG_exp: gain 2**grade, so that grade 0 gains 1 (Wang et al. 2023, Table 2).

    Computed relative to the top grade, so that large sums stay finite. Errors: UnjudgedError as above.
    """
    _check_judged(view)
    top = np.full(len(view.length), -np.inf)
    np.maximum.at(top, view.topic, view.gain)
    gain = np.exp2(view.gain - top[view.topic])
    return _over_ranked(view, gain, cut, view.n_judged() > 0)


def doris_reciprocal_rank(view: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) DORIS-MAE's MRR: relevant are the documents tied at the topic's top grade (Wang et al. 2023, Table 2).

    Keeps the published code's quirk: when every grade is the same, the last document judged does not count.
    """
    topics = len(view.length)
    top, low = np.full(topics, -np.inf), np.full(topics, np.inf)
    np.maximum.at(top, view.judged_topic, view.judged_gain)
    np.minimum.at(low, view.judged_topic, view.judged_gain)
    hits = np.asarray(view.gain == top[view.topic])
    hits &= ~((top == low)[view.topic] & view.is_last)
    hits[hits] = ordinals(view.topic[hits]) == 0
    found = view.total(hits & is_within(view, cut), inverse(view.rank))
    return np.where(view.n_judged() > 0, found, np.nan)


def csfcube_ndcg(view: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) CSFCube's nDCG (Mysore et al. 2021): ranks 1 and 2 without discount, the ideal over the documents ranked."""
    return _over_ranked(view, _linear(view.gain), cut, view.has_gain, discount_from_3)


def _of_ranked(found: FloatArray, view: View, parameters: Parameters) -> FloatArray:
    """Over the relevant documents that a ranking holds: all that CSFCube's script knows of. 0 where it holds none."""
    ranked = view.total(is_relevant(view, parameters))
    return where_relevant(np.nan_to_num(divide(found, ranked)), view, parameters)


def csfcube_recall(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's recall: of the relevant documents that the ranking holds, the share up to the cut."""
    return _of_ranked(view.total(is_relevant(view, parameters) & is_within(view, cut)), view, parameters)


def csfcube_f1(view: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's F1: the harmonic mean of precision and its recall at the cut."""
    one, two = precision(view, cut, parameters), csfcube_recall(view, cut, parameters)
    return where_relevant(np.nan_to_num(divide(2 * one * two, one + two)), view, parameters)


def csfcube_average_precision(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's average precision: over the relevant documents that the ranking holds."""
    hits, at_rank = precisions_at_hits(view, parameters)
    return _of_ranked(view.total(hits, at_rank), view, parameters)


def csfcube_r_precision(view: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's R-precision: the precision at the rank of the last relevant document found."""
    hits, at_rank = precisions_at_hits(view, parameters)
    found = np.zeros(len(view.length))
    found[view.topic[hits]] = at_rank[hits]  # hits stand by rank: the last one stays
    return where_relevant(found, view, parameters)

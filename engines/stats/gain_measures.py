"""Measures that ask how relevant a document is (nDCG), and those of DORIS-MAE and CSFCube (statistics.md 5, 10)."""

from collections.abc import Callable

import numpy as np

from engines.stats.measure import Ranked, UnjudgedError, divide, quotient
from engines.stats.rankings import best_order, ordinals
from engines.stats.relevance_measures import precision
from engines.stats.results import BoolArray, FloatArray, IntArray


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


def _dcg(ranked: Ranked, hits: tuple[IntArray, IntArray, FloatArray], discount: Discount = log2_discount) -> FloatArray:
    """(T,) discounted gains of hits (topic, rank, gain) up to the cut."""
    topic, ranks, gain = hits
    within = ranked.is_within(topic, ranks)
    weights = gain[within] * discount(ranks[within])
    return np.bincount(topic[within], weights, len(ranked.view.length)).astype(np.float64)


def ndcg(ranked: Ranked) -> FloatArray:
    """(T,) discounted gain up to the cut over that of the best order of all judged documents (trec_eval ndcg_cut).

    The gain is the grade, below 0 counted as 0, or 2**grade - 1 with dcg="exp-log2"; NaN where nothing gains.
    """
    view, gains = ranked.view, GAINS[str(ranked.parameters["dcg"])]
    topic, ranks, gain = view.ideal
    best = _dcg(ranked, (topic, ranks, gains(gain)))
    return divide(_dcg(ranked, (view.topic, view.rank, gains(view.gain))), best)


def _check_judged(ranked: Ranked) -> None:
    topic = ranked.view.first_unjudged()
    if topic is not None:
        raise UnjudgedError(f"topic {topic} has unjudged documents in its ranking; this measure re-ranks a judged pool")


def _over_ranked(
    ranked: Ranked, gain: FloatArray, findable: BoolArray, discount: Discount = log2_discount
) -> FloatArray:
    """Discounted gains over those of the best order of the documents ranked.

    0 where the ranking holds nothing of what the gold has; undefined where that is nothing, or the cut lets nothing in.
    """
    view, cut = ranked.view, np.asarray(np.inf if ranked.cut is None else ranked.cut)
    best = _dcg(ranked, best_order(view.topic, gain), discount)
    found = quotient(_dcg(ranked, (view.topic, view.rank, gain), discount), best)
    is_cut_off = (view.length > 0) & (cut < 1)
    return np.where(findable & ~is_cut_off, found, np.nan)


def ndcg_of_pool(ranked: Ranked) -> FloatArray:
    """(T,) nDCG of a re-ranked pool: the ideal is the best order of the documents ranked.

    Errors: UnjudgedError for a ranking with an unjudged document.
    """
    _check_judged(ranked)
    return _over_ranked(ranked, _linear(ranked.view.gain), ranked.view.has_gain)


def ndcg_exp_of_pool(ranked: Ranked) -> FloatArray:
    """(T,) DORIS-MAE's nDCG_exp: gain 2**grade, so that grade 0 gains 1 (Wang et al. 2023, Table 2).

    Computed relative to the top grade, so that large sums stay finite. Errors: UnjudgedError as above.
    """
    _check_judged(ranked)
    view = ranked.view
    top = np.full(len(view.length), -np.inf)
    np.maximum.at(top, view.topic, view.gain)
    return _over_ranked(ranked, np.exp2(view.gain - top[view.topic]), view.n_judged() > 0)


def doris_reciprocal_rank(ranked: Ranked) -> FloatArray:
    """(T,) DORIS-MAE's MRR: relevant are the documents tied at the topic's top grade (Wang et al. 2023, Table 2).

    Keeps the published code's quirk: when every grade is the same, the last document judged does not count.
    """
    view, topics = ranked.view, len(ranked.view.length)
    top, low = np.full(topics, -np.inf), np.full(topics, np.inf)
    np.maximum.at(top, view.judged_topic, view.judged_gain)
    np.minimum.at(low, view.judged_topic, view.judged_gain)
    hits = np.asarray(view.gain == top[view.topic])
    hits &= ~((top == low)[view.topic] & view.is_last)
    hits[hits] = ordinals(view.topic[hits]) == 0
    found = view.total(hits & ranked.within, ranked.inverse_ranks)
    return np.where(view.n_judged() > 0, found, np.nan)


def litsearch_ndcg(ranked: Ranked) -> FloatArray:
    """(T,) what LitSearch's code calls nDCG (`calculate_ndcg`): relevant documents discounted by 1/rank up to the cut.

    The ideal has all relevant documents first, however many there are: the cut does not shorten it.
    """
    found = ranked.view.total(ranked.found, ranked.inverse_ranks)
    most = int(ranked.n_relevant.max(initial=0))
    best = np.r_[0.0, np.cumsum(1 / np.arange(1.0, most + 1))]
    return divide(found, best[ranked.n_relevant.astype(np.int64)])


def csfcube_ndcg(ranked: Ranked) -> FloatArray:
    """(T,) CSFCube's nDCG (Mysore et al. 2021): ranks 1 and 2 without discount, the ideal over the documents ranked."""
    return _over_ranked(ranked, _linear(ranked.view.gain), ranked.view.has_gain, discount_from_3)


def _of_ranked(found: FloatArray, ranked: Ranked) -> FloatArray:
    """Over the relevant documents that a ranking holds: all that CSFCube's script knows of. 0 where it holds none."""
    return ranked.if_relevant(quotient(found, ranked.view.total(ranked.relevant)))


def csfcube_recall(ranked: Ranked) -> FloatArray:
    """(T,) CSFCube's recall: of the relevant documents that the ranking holds, the share up to the cut."""
    return _of_ranked(ranked.view.total(ranked.found), ranked)


def csfcube_f1(ranked: Ranked) -> FloatArray:
    """(T,) CSFCube's F1: the harmonic mean of precision and its recall at the cut."""
    one, two = precision(ranked), csfcube_recall(ranked)
    return ranked.if_relevant(quotient(2 * one * two, one + two))


def csfcube_average_precision(ranked: Ranked) -> FloatArray:
    """(T,) CSFCube's average precision: over the relevant documents that the ranking holds."""
    hits, at_rank = ranked.precisions
    return _of_ranked(ranked.view.total(hits, at_rank), ranked)


def csfcube_r_precision(ranked: Ranked) -> FloatArray:
    """(T,) CSFCube's R-precision: the precision at the rank of the last relevant document found."""
    hits, at_rank = ranked.precisions
    found = np.zeros(len(ranked.view.length))
    found[ranked.view.topic[hits]] = at_rank[hits]  # hits stand by rank: the last one stays
    return ranked.if_relevant(found)

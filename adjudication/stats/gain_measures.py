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


def ndcg(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) discounted gain up to the cut over that of the best order of all judged documents (trec_eval ndcg_cut).

    The gain is the grade, below 0 counted as 0, or 2**grade - 1 with dcg="exp-log2"; NaN where nothing gains.
    """
    gains = GAINS[str(parameters["dcg"])]
    topic, ranks, gain = seen.ideal
    best = _dcg((topic, ranks, gains(gain)), cut, len(seen.length))
    return divide(_dcg((seen.topic, seen.rank, gains(seen.gain)), cut, len(seen.length)), best)


def _check_judged(seen: View) -> None:
    topic = seen.first_unjudged()
    if topic is not None:
        raise UnjudgedError(f"topic {topic} has unjudged documents in its ranking; this measure re-ranks a judged pool")


def _over_ranked(
    seen: View, gain: FloatArray, cut: Cut, findable: BoolArray, discount: Discount = log2_discount
) -> FloatArray:
    """Discounted gains over those of the best order of the documents ranked.

    0 where the ranking holds nothing of what the gold has; undefined where that is nothing, or the cut lets nothing in.
    """
    best = _dcg(best_order(seen.topic, gain), cut, len(seen.length), discount)
    found = divide(_dcg((seen.topic, seen.rank, gain), cut, len(seen.length), discount), best)
    is_cut_off = (seen.length > 0) & (np.asarray(np.inf if cut is None else cut) < 1)
    return np.where(findable & ~is_cut_off, np.nan_to_num(found), np.nan)


def ndcg_of_pool(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) nDCG of a re-ranked pool: the ideal is the best order of the documents ranked.

    Errors: UnjudgedError for a ranking with an unjudged document.
    """
    _check_judged(seen)
    return _over_ranked(seen, _linear(seen.gain), cut, seen.has_gain)


def ndcg_exp_of_pool(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) DORIS-MAE's nDCG_exp: gain 2**grade, so that grade 0 gains 1 (Wang et al. 2023, Table 2).

    Computed relative to the top grade, so that large sums stay finite. Errors: UnjudgedError as above.
    """
    _check_judged(seen)
    top = np.full(len(seen.length), -np.inf)
    np.maximum.at(top, seen.topic, seen.gain)
    gain = np.exp2(seen.gain - top[seen.topic])
    return _over_ranked(seen, gain, cut, seen.n_judged() > 0)


def doris_reciprocal_rank(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) DORIS-MAE's MRR: relevant are the documents tied at the topic's top grade (Wang et al. 2023, Table 2).

    Keeps the published code's quirk: when every grade is the same, the last document judged does not count.
    """
    topics = len(seen.length)
    top, low = np.full(topics, -np.inf), np.full(topics, np.inf)
    np.maximum.at(top, seen.judged_topic, seen.judged_gain)
    np.minimum.at(low, seen.judged_topic, seen.judged_gain)
    hits = np.asarray(seen.gain == top[seen.topic])
    hits &= ~((top == low)[seen.topic] & seen.is_last)
    hits[hits] = ordinals(seen.topic[hits]) == 0
    found = seen.total(hits & is_within(seen, cut), inverse(seen.rank))
    return np.where(seen.n_judged() > 0, found, np.nan)


def csfcube_ndcg(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """(T,) CSFCube's nDCG (Mysore et al. 2021): ranks 1 and 2 without discount, the ideal over the documents ranked."""
    return _over_ranked(seen, _linear(seen.gain), cut, seen.has_gain, discount_from_3)


def _of_ranked(found: FloatArray, seen: View, parameters: Parameters) -> FloatArray:
    """Over the relevant documents that a ranking holds: all that CSFCube's script knows of. 0 where it holds none."""
    ranked = seen.total(is_relevant(seen, parameters))
    return where_relevant(np.nan_to_num(divide(found, ranked)), seen, parameters)


def csfcube_recall(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's recall: of the relevant documents that the ranking holds, the share up to the cut."""
    return _of_ranked(seen.total(is_relevant(seen, parameters) & is_within(seen, cut)), seen, parameters)


def csfcube_f1(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's F1: the harmonic mean of precision and its recall at the cut."""
    one, two = precision(seen, cut, parameters), csfcube_recall(seen, cut, parameters)
    return where_relevant(np.nan_to_num(divide(2 * one * two, one + two)), seen, parameters)


def csfcube_average_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's average precision: over the relevant documents that the ranking holds."""
    hits, at_rank = precisions_at_hits(seen, parameters)
    return _of_ranked(seen.total(hits, at_rank), seen, parameters)


def csfcube_r_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """(T,) CSFCube's R-precision: the precision at the rank of the last relevant document found."""
    hits, at_rank = precisions_at_hits(seen, parameters)
    found = np.zeros(len(seen.length))
    found[seen.topic[hits]] = at_rank[hits]  # hits stand by rank: the last one stays
    return where_relevant(found, seen, parameters)

"""Retrieval measures of one ranking against graded judgments (statistics.md 5).

A ranking is a list of document ids, best first, made by `canonical_ranking`; grades map judged documents to whole
numbers. A measure is None where it is undefined (no relevant document; a cut of length 0), never NaN.
"""

import math
from collections.abc import Callable, Mapping, Sequence

Grades = Mapping[str, int]
Ranking = Sequence[str]
Threshold = float | Mapping[str, float]  # the lowest relevant grade, of all documents or of each judged one


class UnjudgedError(ValueError):
    """A ranking holds a document that is not judged, for a measure that re-ranks a judged pool."""


def canonical_ranking(scores: Mapping[str, float]) -> list[str]:
    """Documents by falling score, ties by document id descending (trec_eval's order), scores in double precision.

    Raises ValueError on NaN, which has no place in an order.
    """
    for docno, score in scores.items():
        if math.isnan(score):
            raise ValueError(f"the score of {docno!r} is not a number")
    return sorted(sorted(scores, reverse=True), key=lambda docno: -scores[docno])


def ties_at(scores: Mapping[str, float], ranking: Ranking, cut: int) -> int:
    """How many documents share the score that stands at the cut-off, counted only if the tie straddles it."""
    if cut >= len(ranking) or scores[ranking[cut - 1]] != scores[ranking[cut]]:
        return 0
    return sum(score == scores[ranking[cut]] for score in scores.values())


def relevant_documents(grades: Grades, threshold: Threshold = 1) -> set[str]:
    """Documents whose grade reaches the threshold. With sums over aspects, pass the number of aspects."""
    if isinstance(threshold, Mapping):
        return {docno for docno, grade in grades.items() if grade >= threshold[docno]}
    return {docno for docno, grade in grades.items() if grade >= threshold}


def recall(ranking: Ranking, relevant: set[str], k: int) -> float | None:
    """R@k: share of the relevant documents among the first k."""
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else None


def precision(ranking: Ranking, relevant: set[str], k: int) -> float | None:
    """P@k: relevant documents among the first k, over k even if fewer were retrieved."""
    return len(relevant.intersection(ranking[:k])) / k if relevant else None


def r_precision(ranking: Ranking, relevant: set[str]) -> float | None:
    """Precision after as many documents as are relevant."""
    return recall(ranking, relevant, len(relevant))


def reciprocal_rank(ranking: Ranking, relevant: set[str], k: int | None = None) -> float | None:
    """1 / rank of the first relevant document, 0 when it does not come up to rank k."""
    if not relevant:
        return None
    for rank, docno in enumerate(ranking[:k], start=1):
        if docno in relevant:
            return 1 / rank
    return 0.0


def average_precision(ranking: Ranking, relevant: set[str]) -> float | None:
    """Mean over all relevant documents of the precision at their rank; those not retrieved count 0."""
    if not relevant:
        return None
    found, total = 0, 0.0
    for rank, docno in enumerate(ranking, start=1):
        if docno in relevant:
            found += 1
            total += found / rank
    return total / len(relevant)


def _discounted(gains: Sequence[float]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def ndcg(ranking: Ranking, grades: Grades, k: int | None = None) -> float | None:
    """nDCG@k with linear gain and the ideal from all judged documents; unjudged and negative grades gain nothing."""
    gains = [max(grades.get(docno, 0), 0) for docno in ranking[:k]]
    ideal = sorted((max(grade, 0) for grade in grades.values()), reverse=True)[:k]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else None


def _pool_cut(ranking: Ranking, grades: Grades, share: float) -> int:
    """Length of the top `share` of a re-ranked pool. Raises UnjudgedError on an unjudged document."""
    missing = next((docno for docno in ranking if docno not in grades), None)
    if missing is not None:
        raise UnjudgedError(f"{missing!r} is not judged; this measure re-ranks a judged pool")
    return int(share * len(ranking))


def ndcg_share(ranking: Ranking, grades: Grades, share: float = 0.1) -> float | None:
    """DORIS-MAE's nDCG over the top share of the ranking, linear gain; None when the cut is empty or gains nothing."""
    cut = _pool_cut(ranking, grades, share)
    best = _discounted(sorted(grades.values(), reverse=True)[:cut])
    return _discounted([grades[docno] for docno in ranking[:cut]]) / best if best else None


def ndcg_exp_share(ranking: Ranking, grades: Grades, share: float = 0.1) -> float | None:
    """DORIS-MAE's nDCG with gain 2**grade (grade 0 gains 1), ideal from the top grades at the same cut."""
    cut = _pool_cut(ranking, grades, share)
    if not cut:
        return None
    top = max(grades.values())  # relative to the top grade, so that large sums stay in range
    best = _discounted([2.0 ** (grade - top) for grade in sorted(grades.values(), reverse=True)[:cut]])
    return _discounted([2.0 ** (grades[docno] - top) for docno in ranking[:cut]]) / best


def doris_reciprocal_rank(ranking: Ranking, grades: Grades, k: int = 10) -> float | None:
    """DORIS-MAE's MRR@10 for one query: relevant are the documents tied at the query's top grade.

    Keeps the published code's quirk: when every grade is the same, the last document judged does not count.
    """
    if not grades:
        return None
    top = max(grades.values())
    relevant = [docno for docno, grade in grades.items() if grade == top]
    if len(relevant) == len(grades):
        relevant.pop()
    return reciprocal_rank(ranking, set(relevant), k) or 0.0


def measure(name: str) -> "Measure":
    """The measure called `name`, as a function of ranking, grades and relevance threshold.

    Names are those of `measure_names`, in capitals or not, so that ir-measures' are read too (nDCG@10, RR@10, AP).
    Raises ValueError on any other.
    """
    kind, _, size = name.casefold().partition("@")
    k = cut_off(name)
    if size and k is not None and kind in CUT_MEASURES:
        return CUT_MEASURES[kind](k)
    if not size and kind in WHOLE_MEASURES:
        return WHOLE_MEASURES[kind]
    raise ValueError(f"unknown measure {name!r}; there are {', '.join(measure_names())}")


def measure_names() -> list[str]:
    """What `measure` knows; K stands for a whole number from 1."""
    return [*(f"{kind}@K" for kind in CUT_MEASURES), *WHOLE_MEASURES]


def cut_off(name: str) -> int | None:
    """K of a measure named "kind@K"; None without one. Raises ValueError unless K is a whole number from 1."""
    _, at, size = name.partition("@")
    if not at:
        return None
    if not size.isdecimal() or int(size) < 1:
        raise ValueError(f"measure {name!r} needs a whole number from 1 after @, such as {name.partition('@')[0]}@10")
    return int(size)


Measure = Callable[[Ranking, Grades, Threshold], float | None]

CUT_MEASURES: dict[str, Callable[[int], Measure]] = {
    "r": lambda k: lambda ranking, grades, least: recall(ranking, relevant_documents(grades, least), k),
    "p": lambda k: lambda ranking, grades, least: precision(ranking, relevant_documents(grades, least), k),
    "rr": lambda k: lambda ranking, grades, least: reciprocal_rank(ranking, relevant_documents(grades, least), k),
    "ndcg": lambda k: lambda ranking, grades, _least: ndcg(ranking, grades, k),
    "doris_mrr": lambda k: lambda ranking, grades, _least: doris_reciprocal_rank(ranking, grades, k),
}
WHOLE_MEASURES: dict[str, Measure] = {
    "rprec": lambda ranking, grades, least: r_precision(ranking, relevant_documents(grades, least)),
    "ap": lambda ranking, grades, least: average_precision(ranking, relevant_documents(grades, least)),
    "rr": lambda ranking, grades, least: reciprocal_rank(ranking, relevant_documents(grades, least)),
    "ndcg": lambda ranking, grades, _least: ndcg(ranking, grades),
    "ndcg_10pct": lambda ranking, grades, _least: ndcg_share(ranking, grades),
    "ndcg_exp_10pct": lambda ranking, grades, _least: ndcg_exp_share(ranking, grades),
}

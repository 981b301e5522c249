"""Retrieval measures by name, in ir-measures' spelling, over whole runs at once (statistics.md 5).

A measure is a record in `MEASURES`; `parse_measure` reads `nDCG@10`, `P(rel=2)@5` or `AP(judged_only=True)`. It gives a
value for each topic, NaN inside this package where it is undefined (nothing relevant, a cut of length 0).
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from adjudication.stats.rankings import View, best_order, ordinals
from adjudication.stats.results import BoolArray, FloatArray, IntArray

Parameter = float | bool | str
Parameters = Mapping[str, Parameter]


class UnjudgedError(ValueError):
    """A ranking holds a document that is not judged, for a measure that re-ranks a judged pool."""


@dataclass(frozen=True, eq=False)
class Definition:
    """One kind of measure. `cut` says what may follow @: nothing, a rank ("rank", "rank?"), a share of the ranking
    ("share"), either or nothing ("any?"), or a level of recall ("recall"). `parameters` have their defaults; `bounds`
    is the range of its values. `by_ranks` says that the ranks of relevant documents are all it rests on: where unjudged
    documents count as not relevant it is the least that it can be, and the most is known, too."""

    name: str
    about: str
    function: "Function"
    cut: str = ""
    parameters: Parameters = field(default_factory=dict)
    bounds: tuple[float, float] = (0.0, 1.0)
    by_ranks: bool = False

    @property
    def spelling(self) -> str:
        """How it is written: k is a rank, x% a share of the ranking, r a level of recall."""
        at = {"": "", "rank": "@k", "rank?": "[@k]", "share": "@x%", "any?": "[@k or x%]", "recall": "@r"}[self.cut]
        return f"{self.name}{at}"


@dataclass(frozen=True)
class Measure:
    """A measure as somebody asked for it. `cut` is a rank, a share from 0 to 1 where `is_share`, or None."""

    definition: Definition
    cut: float | None = None
    is_share: bool = False
    given: tuple[tuple[str, Parameter], ...] = ()
    condensed: bool = False  # asked of all measures at once, so it is not in the name

    @property
    def name(self) -> str:
        """As ir-measures writes it."""
        inside = ",".join(f"{key}={value!r}" for key, value in self.given)
        return f"{self.definition.name}{f'({inside})' if inside else ''}{self._at}"

    @property
    def _at(self) -> str:
        if self.cut is None:
            return ""
        if self.is_share:
            return f"@{100 * self.cut:g}%"
        return f"@{self.cut}" if self.definition.cut == "recall" else f"@{self.cut:.0f}"

    @property
    def rank(self) -> int | None:
        """The rank at which it cuts every ranking off."""
        return None if self.cut is None or self.is_share or self.definition.cut == "recall" else int(self.cut)

    def values(self, seen: View) -> FloatArray:
        """(T,) its value for each topic, NaN where undefined. Errors: UnjudgedError."""
        parameters = {**self.definition.parameters, **dict(self.given)}
        if parameters.get("rel") is None:
            parameters["rel"] = seen.relevance
        if self._leaves_unjudged_out:
            seen = seen.condensed
        cut = np.floor(self.cut * seen.length + 1e-9) if self.is_share and self.cut is not None else self.cut
        return self.definition.function(seen, cut, parameters)

    @property
    def _leaves_unjudged_out(self) -> bool:
        parameters = {**self.definition.parameters, **dict(self.given)}
        return bool(parameters.get("judged_only") or (self.condensed and "judged_only" in parameters))

    def highest(self, seen: View) -> FloatArray | None:
        """(T,) its value if every unjudged document that is ranked were relevant.

        None for measures that also ask how many relevant documents there are, which nobody knows then, and for those
        that leave unjudged documents out.
        """
        if not self.definition.by_ranks or self._leaves_unjudged_out:
            return None
        return self.values(seen.hopeful(self.rank))


Cut = float | FloatArray | None  # the last rank that counts: one for all topics, or (T,)
Function = Callable[[View, Cut, Parameters], FloatArray]


def divide(above: FloatArray, below: FloatArray | float) -> FloatArray:
    """The quotient, NaN where there is nothing to divide by."""
    below = np.broadcast_to(np.asarray(below, dtype=np.float64), above.shape)
    return np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)


def _level(parameters: Parameters) -> float:
    return float(parameters["rel"])


def _relevant(seen: View, parameters: Parameters) -> BoolArray:
    return np.asarray(seen.level >= _level(parameters))


def _n_relevant(seen: View, parameters: Parameters) -> FloatArray:
    return seen.n_relevant(_level(parameters))


def _within(seen: View, cut: Cut) -> BoolArray:
    """(H,) whether a hit stands before the cut."""
    if cut is None:
        return np.ones(len(seen.rank), dtype=bool)
    return np.asarray(seen.rank <= (cut[seen.topic] if isinstance(cut, np.ndarray) else cut))


def _where_relevant(found: FloatArray, seen: View, parameters: Parameters) -> FloatArray:
    return np.where(_n_relevant(seen, parameters) > 0, found, np.nan)


def precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    found = seen.total(_relevant(seen, parameters) & _within(seen, cut)) / np.asarray(cut)
    return _where_relevant(found, seen, parameters)


def recall(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    return divide(seen.total(_relevant(seen, parameters) & _within(seen, cut)), _n_relevant(seen, parameters))


def r_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return recall(seen, _n_relevant(seen, parameters), parameters)


def success(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    found = seen.total(_relevant(seen, parameters) & _within(seen, cut)) > 0
    return _where_relevant(found.astype(np.float64), seen, parameters)


def reciprocal_rank(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    hits = _relevant(seen, parameters)
    hits[hits] = ordinals(seen.topic[hits]) == 0
    return _where_relevant(seen.total(hits & _within(seen, cut), _inverse(seen.rank)), seen, parameters)


def _inverse(ranks: IntArray) -> FloatArray:
    return np.asarray(1.0 / ranks, dtype=np.float64)


def _precisions(seen: View, parameters: Parameters) -> tuple[BoolArray, FloatArray]:
    """(H,) the relevant hits, and at each of them the precision at its rank."""
    hits = _relevant(seen, parameters)
    found = np.zeros(len(hits))
    found[hits] = (ordinals(seen.topic[hits]) + 1) / seen.rank[hits]
    return hits, found


def average_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    hits, at_rank = _precisions(seen, parameters)
    return divide(seen.total(hits & _within(seen, cut), at_rank), _n_relevant(seen, parameters))


def interpolated_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    """The highest precision at any rank where the recall is reached (trec_eval: int(r * relevant + 0.9) documents)."""
    n_relevant = _n_relevant(seen, parameters)
    needed = np.floor(float(np.asarray(cut)) * n_relevant + 0.9)
    hits, at_rank = _precisions(seen, parameters)
    reached = hits.copy()
    reached[hits] = ordinals(seen.topic[hits]) + 1 >= needed[seen.topic[hits]]
    found = np.zeros(len(seen.length))
    np.maximum.at(found, seen.topic[reached], at_rank[reached])
    return _where_relevant(found, seen, parameters)


def judged(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    deep = seen.length if cut is None else np.minimum(seen.length, cut)
    return np.nan_to_num(divide(seen.total(_within(seen, cut)), deep.astype(np.float64)))


def bpref(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    seen = seen.condensed
    hits = _relevant(seen, parameters)
    n_relevant = _n_relevant(seen, parameters)
    least = np.minimum(n_relevant, seen.n_sure() - n_relevant)[seen.topic]
    before = ordinals(seen.topic).astype(np.float64)
    before[hits] -= ordinals(seen.topic[hits])
    lost = np.divide(np.minimum(before, n_relevant[seen.topic]), least, out=np.zeros(len(hits)), where=least > 0)
    return divide(seen.total(hits, 1.0 - lost), n_relevant)


def rank_biased_precision(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    patience = float(parameters["p"])
    found = (1 - patience) * seen.total(
        _relevant(seen, parameters) & _within(seen, cut), np.power(patience, seen.rank - 1.0)
    )
    return _where_relevant(found, seen, parameters)


def set_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    found = np.nan_to_num(divide(seen.total(_relevant(seen, parameters)), seen.length.astype(np.float64)))
    return _where_relevant(found, seen, parameters)


def set_f(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    one, two = set_precision(seen, cut, parameters), recall(seen, None, parameters)
    beta = float(parameters["beta"])
    return _where_relevant(np.nan_to_num(divide((beta + 1) * one * two, beta * one + two)), seen, parameters)


def set_ap(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    return set_precision(seen, cut, parameters) * recall(seen, None, parameters)


def n_retrieved(seen: View, _cut: Cut, _: Parameters) -> FloatArray:
    return seen.length.astype(np.float64)


def n_relevant_retrieved(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return seen.total(_relevant(seen, parameters))


def n_relevant_judged(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    return _n_relevant(seen, parameters)


# --- gains ------------------------------------------------------------------------------------------------------------


def log2_discount(ranks: IntArray) -> FloatArray:
    return np.asarray(1 / np.log2(ranks + 1.0))


def discount_from_3(ranks: IntArray) -> FloatArray:
    """1, 1, 1/log2(3), …: the first two ranks count in full."""
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
    """nDCG of a re-ranked pool: the ideal is the best order of the documents ranked."""
    _check_judged(seen)
    return _over_ranked(seen, _linear(seen.gain), cut, seen.has_gain)


def ndcg_exp_of_pool(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """DORIS-MAE's: gain 2**grade, so that grade 0 gains 1. Relative to the top grade: large sums stay finite."""
    _check_judged(seen)
    top = np.full(len(seen.length), -np.inf)
    np.maximum.at(top, seen.topic, seen.gain)
    gain = np.exp2(seen.gain - top[seen.topic])
    return _over_ranked(seen, gain, cut, seen.n_judged() > 0)


def doris_reciprocal_rank(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """DORIS-MAE's MRR: relevant are the documents tied at the topic's top grade.

    Keeps the published code's quirk: when every grade is the same, the last document judged does not count.
    """
    topics = len(seen.length)
    top, low = np.full(topics, -np.inf), np.full(topics, np.inf)
    np.maximum.at(top, seen.judged_topic, seen.judged_gain)
    np.minimum.at(low, seen.judged_topic, seen.judged_gain)
    hits = np.asarray(seen.gain == top[seen.topic])
    hits &= ~((top == low)[seen.topic] & seen.is_last)
    hits[hits] = ordinals(seen.topic[hits]) == 0
    found = seen.total(hits & _within(seen, cut), _inverse(seen.rank))
    return np.where(seen.n_judged() > 0, found, np.nan)


def csfcube_ndcg(seen: View, cut: Cut, _: Parameters) -> FloatArray:
    """CSFCube's: ranks 1 and 2 without discount, the ideal over the documents ranked."""
    return _over_ranked(seen, _linear(seen.gain), cut, seen.has_gain, discount_from_3)


def _of_ranked(found: FloatArray, seen: View, parameters: Parameters) -> FloatArray:
    """Over the relevant documents that a ranking holds: all that CSFCube's script knows of. 0 where it holds none."""
    ranked = seen.total(_relevant(seen, parameters))
    return _where_relevant(np.nan_to_num(divide(found, ranked)), seen, parameters)


def csfcube_recall(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    return _of_ranked(seen.total(_relevant(seen, parameters) & _within(seen, cut)), seen, parameters)


def csfcube_f1(seen: View, cut: Cut, parameters: Parameters) -> FloatArray:
    one, two = precision(seen, cut, parameters), csfcube_recall(seen, cut, parameters)
    return _where_relevant(np.nan_to_num(divide(2 * one * two, one + two)), seen, parameters)


def csfcube_average_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    hits, at_rank = _precisions(seen, parameters)
    return _of_ranked(seen.total(hits, at_rank), seen, parameters)


def csfcube_r_precision(seen: View, _cut: Cut, parameters: Parameters) -> FloatArray:
    """CSFCube's: the precision at the rank of the last relevant document found."""
    hits, at_rank = _precisions(seen, parameters)
    found = np.zeros(len(seen.length))
    found[seen.topic[hits]] = at_rank[hits]  # hits stand by rank: the last one stays
    return _where_relevant(found, seen, parameters)


# --- by name ----------------------------------------------------------------------------------------------------------

_REL: Parameters = {"rel": None}  # type: ignore[dict-item] # the gold's own level
_JUDGED: Parameters = {**_REL, "judged_only": False}
_RBP: Parameters = {**_JUDGED, "p": 0.8}
UNBOUNDED = (0.0, float("inf"))
DEEPEST = 1_000_000_000  # rank of a cut: deeper than any ranking, and a number that PostgreSQL counts with
MEASURES: dict[str, Definition] = {
    each.name: each
    for each in (
        Definition("P", "relevant documents among the first k, over k", precision, "rank", _JUDGED, by_ranks=True),
        Definition("R", "share of the relevant documents among the first k", recall, "rank", _JUDGED),
        Definition("Rprec", "precision after as many documents as are relevant", r_precision, "", _JUDGED),
        Definition(
            "AP", "mean over the relevant documents of the precision there", average_precision, "rank?", _JUDGED
        ),
        Definition("RR", "1 / rank of the first relevant document", reciprocal_rank, "rank?", _JUDGED, by_ranks=True),
        Definition(
            "nDCG",
            "discounted gain over that of the best order of all judged documents",
            ndcg,
            "rank?",
            {"dcg": "log2", "judged_only": False},
        ),
        Definition("Success", "1 with a relevant document among the first k", success, "rank", _JUDGED, by_ranks=True),
        Definition("Judged", "share of the first k documents that are judged", judged, "rank?"),
        Definition("Bpref", "how seldom judged non-relevant documents stand before relevant ones", bpref, "", _REL),
        Definition(
            "RBP",
            "rank-biased precision, patience p",
            rank_biased_precision,
            "rank?",
            {**_JUDGED, "p": 0.8},
            by_ranks=True,
        ),
        Definition("IPrec", "highest precision at a recall of r or more", interpolated_precision, "recall", _JUDGED),
        Definition("SetP", "share of the retrieved documents that are relevant", set_precision, "", _JUDGED),
        Definition("SetR", "share of the relevant documents that are retrieved", recall, "", _REL),
        Definition("SetF", "F of SetP and SetR", set_f, "", {**_JUDGED, "beta": 1.0}),
        Definition("SetAP", "SetP times SetR", set_ap, "", _JUDGED),
        Definition("NumRet", "documents retrieved", n_retrieved, "", {}, UNBOUNDED),
        Definition("NumRel", "relevant documents", n_relevant_judged, "", _REL, UNBOUNDED),
        Definition("NumRelRet", "relevant documents retrieved", n_relevant_retrieved, "", _REL, UNBOUNDED),
        Definition(
            "nDCG_pool",
            "DORIS-MAE: nDCG of a re-ranked pool over its top share",
            ndcg_of_pool,
            "share",
            {"judged_only": False},
        ),
        Definition(
            "nDCG_exp", "DORIS-MAE: the same with gain 2^grade", ndcg_exp_of_pool, "share", {"judged_only": False}
        ),
        Definition(
            "DORIS_RR",
            "DORIS-MAE: reciprocal rank of the documents with the topic's top grade",
            doris_reciprocal_rank,
            "rank",
            {"judged_only": False},
        ),
        Definition(
            "CSFCube_Rprec", "CSFCube: precision at the last relevant document", csfcube_r_precision, "", _JUDGED
        ),
        Definition("CSFCube_R", "CSFCube: recall of the relevant documents ranked", csfcube_recall, "rank", _JUDGED),
        Definition("CSFCube_F1", "CSFCube: F1 of P@k and CSFCube_R@k", csfcube_f1, "rank", _JUDGED),
        Definition(
            "CSFCube_AP", "CSFCube: AP over the relevant documents ranked", csfcube_average_precision, "", _JUDGED
        ),
        Definition(
            "CSFCube_nDCG", "CSFCube: nDCG with ranks 1 and 2 in full", csfcube_ndcg, "any?", {"judged_only": False}
        ),
    )
}
ALIASES = {"MAP": "AP", "NDCG": "nDCG", "MRR": "RR", "Precision": "P", "Recall": "R", "RPrec": "Rprec"}
_BY_NAME = {name.casefold(): definition for name, definition in MEASURES.items()}
_BY_NAME |= {alias.casefold(): MEASURES[name] for alias, name in ALIASES.items()}
_SPELLING = re.compile(r"([A-Za-z][A-Za-z_0-9]*)(?:\((.*)\))?(?:@([0-9.]+)(%?))?").fullmatch


def measure_names() -> list[str]:
    """How measures are written, for messages and help."""
    return [definition.spelling for definition in MEASURES.values()]


@lru_cache(maxsize=256)
def parse_measure(text: str) -> Measure:
    """The measure written so, in capitals or not. Raises ValueError for any other, listing what there is."""
    found = _SPELLING(text.strip().replace(" ", ""))
    definition = _BY_NAME.get(found[1].casefold()) if found else None
    if found is None or definition is None:
        raise ValueError(f"unknown measure {text!r}; there are {', '.join(measure_names())}")
    cut, is_share = _cut_of(definition, text, found[3], bool(found[4]))
    given = sorted(_parameter(definition, each) for each in filter(None, (found[2] or "").split(",")))
    if len(dict(given)) < len(given):
        raise ValueError(f"measure {text!r} has a parameter twice")
    return Measure(definition, cut, is_share, tuple(given))


def _cut_of(definition: Definition, text: str, number: str | None, is_share: bool) -> tuple[float | None, bool]:
    """(the cut, whether it is a share). Raises ValueError where it is missing, too much, or no such number."""
    kind = definition.cut
    if number is None:
        if kind in ("", "rank?", "any?"):
            return None, False
        raise ValueError(f"measure {text!r} needs what follows @, such as {_example(definition)}")
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    allowed = {"share": is_share, "any?": True, "recall": not is_share}.get(kind, bool(kind) and not is_share)
    is_rank = value == int(value) and 1 <= value <= DEEPEST
    fits = 0 < value <= 100 if is_share else 0 <= value <= 1 if kind == "recall" else is_rank
    if not allowed or not fits:
        raise ValueError(f"measure {text!r} cannot be cut so; write {_example(definition)}")
    return (value / 100 if is_share else value), is_share


def _example(definition: Definition) -> str:
    at = {"": "", "share": "@10%", "recall": "@0.1"}.get(definition.cut, "@10")
    return f"{definition.name}{at}"


def _parameter(definition: Definition, text: str) -> tuple[str, Parameter]:
    name, _, value = text.partition("=")
    if name not in definition.parameters:
        known = ", ".join(definition.parameters) or "none"
        raise ValueError(f"{definition.name} has no parameter {name!r}; it has {known}")
    if name == "judged_only" and value in ("True", "False"):
        return name, value == "True"
    if name == "dcg" and value.strip("'\"") in GAINS:
        return name, value.strip("'\"")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    fits = {"p": 0 < number < 1, "beta": 0 <= number <= 1_000_000, "rel": abs(number) <= 1_000_000}
    if not fits.get(name, False):
        raise ValueError(f"{definition.name} cannot take {text!r}")
    return name, int(number) if name == "rel" and number == int(number) else number


def with_condensed(measures: Sequence[Measure]) -> list[Measure]:
    """The same measures on condensed lists, where they know such; their names stay."""
    return [replace(each, condensed=True) for each in measures]

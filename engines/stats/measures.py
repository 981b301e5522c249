"""Retrieval measures by name, in ir-measures' spelling, over whole runs at once (statistics.md 5).

A measure is a record in `MEASURES`; `parse_measure` reads `nDCG@10`, `P(rel=2)@5` or `AP(judged_only=True)`. It gives a
value for each topic, NaN inside this package where it is undefined (nothing relevant, a cut of length 0).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from engines.stats import gain_measures as gains
from engines.stats import relevance_measures as relevance
from engines.stats.measure import Definition, Measure, Parameter, Parameters

_REL: Parameters = {"rel": None}  # type: ignore[dict-item] # the gold's own level
_JUDGED: Parameters = {**_REL, "judged_only": False}
UNBOUNDED = (0.0, float("inf"))
DEEPEST = 1_000_000_000  # rank of a cut: deeper than any ranking, and a number that PostgreSQL counts with
MEASURES: dict[str, Definition] = {
    each.name: each
    for each in (
        Definition(
            "P", "relevant documents among the first k, over k", relevance.precision, "rank", _JUDGED, by_ranks=True
        ),
        Definition("R", "share of the relevant documents among the first k", relevance.recall, "rank", _JUDGED),
        Definition("Rprec", "precision after as many documents as are relevant", relevance.r_precision, "", _JUDGED),
        Definition(
            "AP",
            "mean over the relevant documents of the precision there",
            relevance.average_precision,
            "rank?",
            _JUDGED,
        ),
        Definition(
            "RR", "1 / rank of the first relevant document", relevance.reciprocal_rank, "rank?", _JUDGED, by_ranks=True
        ),
        Definition(
            "nDCG",
            "discounted gain over that of the best order of all judged documents",
            gains.ndcg,
            "rank?",
            {"dcg": "log2", "judged_only": False},
        ),
        Definition(
            "Success", "1 with a relevant document among the first k", relevance.success, "rank", _JUDGED, by_ranks=True
        ),
        Definition("Judged", "share of the first k documents that are judged", relevance.judged, "rank?"),
        Definition(
            "Bpref", "how rarely judged non-relevant documents rank above relevant ones", relevance.bpref, "", _REL
        ),
        Definition(
            "RBP",
            "rank-biased precision, patience p",
            relevance.rank_biased_precision,
            "rank?",
            {**_JUDGED, "p": 0.8},
            by_ranks=True,
        ),
        Definition(
            "IPrec", "highest precision at a recall of r or more", relevance.interpolated_precision, "recall", _JUDGED
        ),
        Definition("SetP", "share of the retrieved documents that are relevant", relevance.set_precision, "", _JUDGED),
        Definition("SetR", "share of the relevant documents that are retrieved", relevance.recall, "", _REL),
        Definition("SetF", "F of SetP and SetR", relevance.set_f, "", {**_JUDGED, "beta": 1.0}),
        Definition("SetAP", "SetP times SetR", relevance.set_ap, "", _JUDGED),
        Definition("NumRet", "documents retrieved", relevance.n_retrieved, "", {}, UNBOUNDED),
        Definition("NumRel", "relevant documents", relevance.n_relevant_judged, "", _REL, UNBOUNDED),
        Definition("NumRelRet", "relevant documents retrieved", relevance.n_relevant_retrieved, "", _REL, UNBOUNDED),
        Definition(
            "nDCG_pool",
            "DORIS-MAE: nDCG of a re-ranked pool over its top share",
            gains.ndcg_of_pool,
            "share",
            {"judged_only": False},
        ),
        Definition(
            "nDCG_exp", "DORIS-MAE: the same with gain 2^grade", gains.ndcg_exp_of_pool, "share", {"judged_only": False}
        ),
        Definition(
            "DORIS_RR",
            "DORIS-MAE: reciprocal rank of the documents with the topic's top grade",
            gains.doris_reciprocal_rank,
            "rank",
            {"judged_only": False},
        ),
        Definition(
            "LitSearch_nDCG",
            "LitSearch's code: discounted by 1/rank, over the best order of all relevant documents",
            gains.litsearch_ndcg,
            "rank?",
            _JUDGED,
        ),
        Definition(
            "CSFCube_Rprec", "CSFCube: precision at the last relevant document", gains.csfcube_r_precision, "", _JUDGED
        ),
        Definition(
            "CSFCube_R", "CSFCube: recall of the relevant documents ranked", gains.csfcube_recall, "rank", _JUDGED
        ),
        Definition("CSFCube_F1", "CSFCube: F1 of P@k and CSFCube_R@k", gains.csfcube_f1, "rank", _JUDGED),
        Definition(
            "CSFCube_AP", "CSFCube: AP over the relevant documents ranked", gains.csfcube_average_precision, "", _JUDGED
        ),
        Definition(
            "CSFCube_nDCG",
            "CSFCube: nDCG with ranks 1 and 2 in full",
            gains.csfcube_ndcg,
            "any?",
            {"judged_only": False},
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
    options = sorted(_parameter(definition, each) for each in filter(None, (found[2] or "").split(",")))
    if len(dict(options)) < len(options):
        raise ValueError(f"measure {text!r} has a parameter twice")
    return Measure(definition, cut, is_share, tuple(options))


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
    if name == "dcg" and value.strip("'\"") in gains.GAINS:
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
    """The measures on condensed lists, where a measure has that variant; their names stay."""
    return [replace(each, condensed=True) for each in measures]

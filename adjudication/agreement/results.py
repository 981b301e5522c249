"""The newest agreement figures of a campaign, as JSON and as the tables of its page."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from adjudication.agreement.standing import why_stale
from adjudication.models import AgreementResult, AgreementRun
from annotation.campaigns.overrides import overrides_in
from engines.stats.blocks import ADJUDICATED
from engines.stats.intervals import FEWEST
from engines.stats.reasons import SHORT, Flag, words_of
from engines.stats.report import Result
from engines.stats.statistics import TABLE_ONE, rank, statistic

FEW_IN_COMMON = "no pair of annotators has 10 items in common, which is too few for an interval"
LACKS = {"no_overlap", "fewer_than_two_annotators", "no_item_with_two_labels"}  # reasons that more judgments end
BLOCKS = {
    "HH": "People with people",
    "GH": "Machine with people",
    "GG": "Machine runs with each other",
    "GA": "Machine with the verdict",
    "HA": "People with the verdict",
}
TEXTS = ("block", "model", "reason", "ci_reason")  # columns of a figure that are "" where it has none
COLUMNS = (
    *("statistic", "scope", "annotators", "block", "model", "value", "reason"),
    *("n_items", "n_pairs", "ci", "ci_reason", "p"),
)
AGAINST = {"leave_one_out": "others’ vote", "part_whole": "part of the verdict"}
FLAGS = {flag.value: flag.words for flag in Flag}


@dataclass(frozen=True)
class FigureText:
    """One figure ready to print: `value` with `low`–`high`, or `why` there is none; `why_no_interval` likewise."""

    label: str
    value: str
    low: str = ""
    high: str = ""
    method: str = ""
    n_items: int = 0
    n_pairs: int = 0
    why: str = ""
    why_no_interval: str = ""
    notes: tuple[str, ...] = ()
    points: dict[str, float] = field(default_factory=dict)  # value, low, high as numbers, for the forest plot
    p: str = ""
    model: str = ""
    pk: int = 0  # of the stored figure, by which its items are found; 0: not stored
    flags: tuple[str, ...] = ()
    reason: str = ""  # the code behind `why`

    statistic: str = ""  # its name in `engines.stats.statistics`

    @property
    def lacks(self) -> tuple[str, ...]:
        """Why there is no value or no interval, in a sentence's words; empty where there are both."""
        if self.why:
            return (f"undefined: {self.why}",)
        return (f"no interval: {self.why_no_interval}",) if self.why_no_interval else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the figure lacks, and the notes."""
        return (*self.lacks, *self.notes)

    @property
    def number(self) -> float | None:
        """The value as a number."""
        return self.points.get("value")

    @property
    def why_no_number(self) -> str | None:
        return self.why if self.number is None else None

    @property
    def against(self) -> str:
        """What a comparison with the verdict is one with, in few words; "" for the verdict itself."""
        return next((AGAINST[flag] for flag in self.flags if flag in AGAINST), "")


def as_row(result: Result, **more: Any) -> AgreementResult:
    """The figure as it is stored, not saved. What has no column is in `extra`."""
    shape = result.to_json()
    columns = {name: shape.pop(name) for name in COLUMNS}
    columns |= {name: columns[name] or "" for name in TEXTS}
    return AgreementResult(**more, **columns, extra={name: value for name, value in shape.items() if value})


def shape(result: AgreementResult) -> dict[str, Any]:
    """The object of design.md 4, with more keys."""
    columns = {name: getattr(result, name) for name in COLUMNS}
    columns |= {name: columns[name] or None for name in TEXTS}
    return {"criterion": result.criterion, **columns, "flags": [], **result.extra}


def as_json(run: AgreementRun) -> dict[str, Any]:
    """Everything about a finished run: its statistics, the tests of people against machines, how it was computed."""
    comparisons = [
        {"criterion": key, **comparison}
        for key, detail in run.detail.items()
        for comparison in detail.get("comparisons", ())
    ]
    return {
        "statistics": [shape(result) for result in run.results.order_by("pk")],
        "comparisons": comparisons,
        "confusion": [
            _matrix_json(key, detail, table) for key, detail in run.detail.items() for table in detail["tables"]
        ],
        "topics": _topics(run, "topics"),
        "topics_people": _topics(run, "topics_people"),
        "self_consistency": [
            {"criterion": key, **row, "annotator": _name_of(detail, row["id"])}
            for key, detail in run.detail.items()
            for row in detail["repeats"]
        ],
        "machine_overrides": [each.as_json() for each in overrides_in(run.campaign)],
        "stale": why_stale(run),
        "seconds": run.seconds,
        "seed": run.seed,
        "parameters": run.parameters,
        "snapshot": run.snapshot,
        "inputs_hash": run.inputs_hash,
        "n_judgments": run.n_judgments,
        "code_version": run.code_version,
        "library_versions": run.library_versions,
    }


def _topics(run: AgreementRun, name: str) -> list[dict[str, Any]]:
    return [{"criterion": key, **row} for key, detail in run.detail.items() for row in detail.get(name, ())]


def _matrix_json(criterion: str, detail: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """A confusion matrix with the names of its two sides and the values of its levels; rows are the first's."""
    names = [ADJUDICATED if place < 0 else detail["annotators"][place]["name"] for place in table["pair"]]
    scale = [value for value, _ in detail["scale"]]
    more = {"counts": table["counts"], "class_agreement": table["agreement"], "flags": table.get("flags", [])}
    return {"criterion": criterion, "annotators": names, "scale": scale, **more}


def _name_of(detail: dict[str, Any], annotator: int) -> str:
    return next((str(one["name"]) for one in detail["annotators"] if one["id"] == annotator), "")


def show(result: AgreementResult, label: str = "") -> FigureText:
    """The figure as a page prints it: percentages with one decimal, coefficients with three."""
    method = (result.ci or {}).get("method", "")
    heeded = {"small_sample"} if method == "jackknife_t" else set()
    notes = tuple(FLAGS[flag] for flag in result.extra.get("flags", ()) if flag in FLAGS and flag not in heeded)
    notes = (*notes, *_more_notes(result))
    ci, record = result.ci or {}, statistic(result.statistic)
    points = {"value": result.value, **{edge: ci[edge] for edge in ("low", "high") if edge in ci}}
    return FigureText(
        label=label or record.label,
        value=record.text(result.value),
        low=record.text(ci.get("low")),
        high=record.text(ci.get("high")),
        method=method,
        n_items=result.n_items or 0,
        n_pairs=result.n_pairs or 0,
        why=reason_text(result.reason, result.n_items),
        why_no_interval=reason_text(result.ci_reason, result.n_items),
        notes=notes,
        points={name: value for name, value in points.items() if value is not None},
        p=p_text(result.p),
        model=result.model,
        pk=result.pk or 0,
        flags=tuple(result.extra.get("flags", ())),
        reason=result.reason,
        statistic=result.statistic,
    )


def reason_text(reason: str, n_items: int | None) -> str:
    """Why a figure of so many items, or its interval, is undefined. A mean over pairs that share few items each can
    stand on many items in all."""
    if reason == "too_few_items" and (n_items or 0) >= FEWEST["item"]:
        return FEW_IN_COMMON
    return words_of(reason)


def why_nothing(figures: Iterable[FigureText]) -> str:
    """Why no figure at all could be computed, and what it takes; "" where one could."""
    reasons = {figure.why: figure.reason for figure in figures}  # "" of a figure that has a value
    if not reasons or not all(reasons):
        return ""
    needs = " It needs two annotators who have judged some of the same items." if LACKS & {*reasons.values()} else ""
    return f"No agreement can be computed: {'; '.join(reasons)}.{needs}"


def _more_notes(result: AgreementResult) -> list[str]:
    """Pairs left out by name, the bound where agreement is perfect, and resamples that had no value."""
    notes = left_out(result.extra.get("excluded_pairs", ()))
    bound = result.extra.get("lower_bound")
    if bound is not None:
        notes.append(f"by the rule of three at least {statistic(result.statistic).text(bound)}")
    return [*notes, *dropped(result.ci or {})]


def dropped(ci: dict[str, Any]) -> list[str]:
    """How many resamples (of a jackknife: values without one unit) were undefined, in one note; [] for none."""
    if not ci.get("n_undefined"):
        return []
    drawn = f" of {ci['resamples']:,} resamples" if ci["resamples"] else " leave-one-out values"
    return [f"{ci['n_undefined']:,}{drawn} had no value and were dropped"]


def left_out(pairs: Iterable[dict[str, Any]]) -> list[str]:
    """The pairs that a mean is without, by name and reason, in one note; [] for none."""
    excluded = [f"{' and '.join(pair['annotators'])} ({words_of(pair['reason'], SHORT)})" for pair in pairs]
    return ["left out of the mean: " + ", ".join(excluded)] if excluded else []


def pair_figures(run: AgreementRun, criterion: str, name: str) -> dict[frozenset[str], FigureText]:
    """{the two names: figure, labelled by them} for each pair of annotators (and annotator with verdict) on one
    statistic. One query.
    """
    rows = run.results.filter(criterion=criterion, statistic=name, scope="pair")
    return {frozenset(row.annotators): show(row, _pair_name(row)) for row in rows}


def figure_name(result: AgreementResult) -> str:
    """What a stored figure is about: its statistic, and which annotators."""
    label = statistic(result.statistic).label
    if result.scope == "pair":
        return f"{label}, {_pair_name(result)}"
    if result.block:
        return f"{label}, {block_name(result)}"
    return label + ("" if result.scope == "all" else ", mean of pairs")


def block_name(result: AgreementResult) -> str:
    """The block of a figure in words, with its machine."""
    name = block_label(result.block, result.extra.get("flags", ()))
    return f"{name} ({result.model})" if result.model else name


def block_label(block: str, flags: Iterable[str]) -> str:
    """The block in words; who voted is compared with the vote of the other voters."""
    return (
        BLOCKS[block].replace("the verdict", "the vote of the other voters")
        if "leave_one_out" in flags
        else BLOCKS[block]
    )


def _pair_name(result: AgreementResult) -> str:
    verdict = AGAINST["leave_one_out"] if "leave_one_out" in result.extra.get("flags", ()) else "verdict"
    return " × ".join(verdict if name == ADJUDICATED else name for name in result.annotators)


@dataclass(frozen=True)
class Difference:
    """People less machine on one statistic, with what can and cannot be said about it.

    `statistic` and `model` name the test, by which its items are found.
    """

    label: str
    statistic: str
    model: str
    value: str
    low: str
    high: str
    p: str
    p_holm: str
    detectable: str
    verdict: str
    n_items: int
    n_excluded: int
    why: str
    notes: tuple[str, ...]
    is_planned: bool  # one of the tests planned together, which Holm's correction covers

    @property
    def after_value(self) -> str:
        """What a sentence says after the value: interval, items, p values, and what follows from them."""
        interval = f" ({self.low} to {self.high})" if self.low else ""
        holm = f", {self.p_holm} after Holm" if self.p_holm else ""
        p = f", p {self.p}{holm}" if self.p else ""
        return f"{interval} on {self.n_items:,} items{p}; {self.verdict}."


def comparisons(run: AgreementRun, criterion: str) -> list[Difference]:
    """The tests of "people agree with each other as with the machine" of one criterion, planned ones first."""
    found = [_difference(one) for one in run.detail[criterion].get("comparisons", ())]
    return sorted(found, key=lambda one: not one.is_planned)


def _difference(found: dict[str, Any]) -> Difference:
    record, difference = statistic(found["statistic"]), found["difference"]
    ci, text = difference["ci"] or {}, record.difference_text
    return Difference(
        label=record.label,
        statistic=record.name,
        model=found["model"],
        value=text(difference["value"]),
        low=text(ci.get("low")),
        high=text(ci.get("high")),
        p=p_text(difference["p"]),
        p_holm=p_text(found["p_holm"]),
        detectable=text(found["detectable"]),
        verdict=_equivalence(found),
        n_items=difference["n_items"],
        n_excluded=found["n_excluded"],
        notes=(*left_out(found.get("excluded_pairs", ())), *dropped(ci)),
        is_planned=record.name in TABLE_ONE,
        why=reason_text(difference["reason"] or difference["ci_reason"] or "", difference["n_items"]),
    )


def _equivalence(found: dict[str, Any]) -> str:
    """What the equivalence test says, in words; a large p alone never says "equal"."""
    if found["margin"] is None:
        return "no margin was set, so nothing can be said about equivalence"
    if found["equivalent"] is None:
        return "undefined"
    margin = statistic(found["statistic"]).difference_text(found["margin"])
    if found["equivalent"]:
        return f"equivalent within ±{margin}"
    return f"not worse by {margin} or more" if found["non_inferior"] else f"equivalence within ±{margin} not shown"


def p_text(value: float | None) -> str:
    """A p with three decimals, "< 0.001" below them, "" for none."""
    return "" if value is None else f"{value:.3f}" if value >= 0.001 else "< 0.001"


def unpaired(run: AgreementRun, criterion: str) -> list[AgreementResult]:
    """All figures that are not about a single pair, in the order of `STATISTICS`. One query."""
    return sorted(run.results.filter(criterion=criterion).exclude(scope="pair"), key=lambda row: rank(row.statistic))


def block_figures(rows: Iterable[AgreementResult]) -> dict[str, list[FigureText]]:
    """{block: its figures among `unpaired`}, only blocks that have any."""
    inside = [row for row in rows if row.scope == "block"]
    return {block: found for block in BLOCKS if (found := [show(row) for row in inside if row.block == block])}


def whole_figures(rows: Iterable[AgreementResult]) -> list[FigureText]:
    """All annotators together, among `unpaired`: means over pairs, and the coefficients of several annotators."""
    return [show(row, figure_name(row)) for row in rows if row.scope in ("mean", "all")]

"""The layout of DORIS-MAE's Table 1, and the sentence that must stand under any such table."""

from dataclasses import dataclass
from typing import Any

from adjudication.stats.comparison import Comparison
from adjudication.stats.report import TABLE_ONE, Agreement
from adjudication.stats.results import Estimate, to_jsonable

METHODS = {
    "percentile": "percentile bootstrap",
    "bca": "bias-corrected and accelerated bootstrap",
    "jackknife_t": "delete-one jackknife with Student's t",
}


@dataclass(frozen=True)
class TableRow:
    """One line: G&A, mean H&H and mean G&H with their intervals, the difference with interval and p.

    `ga` is None without an adjudicated label.
    """

    statistic: str
    model: str
    ga: Estimate | None
    hh: Estimate
    gh: Estimate
    comparison: Comparison

    def to_json(self) -> dict[str, Any]:
        return dict(to_jsonable(self))


def table_one(agreement: Agreement, statistics: tuple[str, ...] = TABLE_ONE) -> tuple[TableRow, ...]:
    """A row for each model and statistic that was tested, in the order of the paper: F1, accuracy, rho."""
    tested = {(one.model, one.statistic): one for one in agreement.comparisons}
    models = dict.fromkeys(one.model for one in agreement.comparisons)
    rows = []
    for model in models:
        for statistic in statistics:
            comparison = tested.get((model, statistic))
            if comparison is not None:
                rows.append(_row(agreement, statistic, model, comparison))
    return tuple(rows)


def _row(agreement: Agreement, statistic: str, model: str, comparison: Comparison) -> TableRow:
    try:
        ga: Estimate | None = agreement.find(statistic, "block", "GA", model=model).estimate
    except KeyError:
        ga = None
    hh = agreement.find(statistic, "block", "HH").estimate
    gh = agreement.find(statistic, "block", "GH", model=model).estimate
    return TableRow(statistic, model, ga, hh, gh, comparison)


def method_sentence(agreement: Agreement) -> str:
    """What a reader must know to judge the intervals: method, unit, n, resamples, seed, and what they describe."""
    used = {result.estimate.ci.method for result in agreement.results if result.estimate.ci is not None}
    methods = " or ".join(METHODS[method] for method in METHODS if method in used) or "no interval"
    units = "items"
    if agreement.unit == "topic":
        units = f"topics ({agreement.n_topics:,}), since the items of a topic are not independent"
    return (
        f"{agreement.n_items:,} items; {100 * agreement.level:g}% intervals by {methods}, resampling {units}; "
        f"{agreement.resamples:,} resamples, seed {agreement.seed}. "
        "Annotators are fixed: the intervals describe other items labelled by these annotators."
    )

"""What an evaluation says beyond its table, as tables: the order of runs under two golds, dependence on the pools.

They are made of the report that is stored and that the API answers, so that page, files and command print the same.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from adjudication.evaluation.tables import NONE, ScoreCell, ScoreColumn, ScoreRow, ScoreTable, scale_of

TIED = "an order ties all runs, or fewer than two runs have a value"


def further_tables(report: Mapping[str, Any]) -> list[ScoreTable]:
    """The tables of a report: of each of its evaluations, where a preset has several."""
    parts = report.get("parts") or [report]
    return [table for part in parts for table in _of_part(part, len(parts) > 1)]


def _of_part(part: Mapping[str, Any], several: bool) -> Iterator[ScoreTable]:
    against = f" Against {part['gold_label']}." if several else ""
    if part.get("tau"):
        yield _orders(part)
    if part.get("left_out"):
        yield _left_out(part["left_out"], against)
    if part.get("depths"):
        yield _depths(part["depths"], against)


def _orders(part: Mapping[str, Any]) -> ScoreTable:
    rows = []
    for each in part["tau"]:
        taus = [_estimate(each["tau_b"]), _estimate(each["tau_ap"])]
        rows.append(ScoreRow(each["measure"], (_count(len(each["runs"])), _count(each["tau_b"]["n_items"]), *taus)))
    first, second = part["tau"][0]["reference"], part["tau"][0]["other"]
    caption = (
        "Order of the runs under two golds: Kendall's τ-b and τ_AP of the runs' means on the topics of both golds. "
        f"The reference of τ_AP is {first}; the other gold is {second}."
    )
    about = "In brackets: 95% intervals over topics (percentile bootstrap)."
    columns = tuple(map(ScoreColumn, ("Runs", "Topics", "τ-b", "τ_AP")))
    return ScoreTable("Measure", columns, tuple(rows), caption, with_interval=True, interval_about=about)


def _left_out(entries: Sequence[Mapping[str, Any]], against: str) -> ScoreTable:
    """Reports stored before December 2026 know only of pooled runs, which they call `run`."""
    rows = []
    for each in entries:
        figures = (_figure(each["measure"], each[name]) for name in ("value", "value_without", "change"))
        counts = (_count(each[name]) for name in ("n_topics", "n_topics_without", "rank", "rank_without"))
        words = ScoreCell(each["measure"]), _count(each["judgments"]), ScoreCell(each["run"])
        rows.append(ScoreRow(each.get("method", each["run"]), (*words, *figures, *counts, _tau(each.get("tau_b")))))
    caption = (
        "Dependence on the pools: the judgments that one method alone brought into the pools count as none, as if "
        "nobody had used it. The figures are those of the pooled run itself, or of the run that changes most where the"
        " method is not one of the runs. Topics that have no relevant document left are not in the second mean. τ-b: "
        f"between the orders of the runs with and without, – where {TIED}.{against}"
    )
    texts = ("Measure", "Run")
    names = ("Measure", "Judgments", "Run", "Value", "Without", "Change", "Topics", "Topics without", "Rank")
    columns = tuple(ScoreColumn(name, is_text=name in texts) for name in (*names, "Rank without", "τ-b"))
    return ScoreTable("Method", columns, tuple(rows), caption)


def _depths(entries: Sequence[Mapping[str, Any]], against: str) -> ScoreTable:
    measures = list(dict.fromkeys(each["measure"] for each in entries))
    taus = {(each["depth"], each["measure"]): each["tau_b"] for each in entries}
    sizes = {each["depth"]: each["judgments"] for each in entries}
    rows = [
        ScoreRow(f"first {depth:,}", (_count(judged), *(_tau(taus.get((depth, measure))) for measure in measures)))
        for depth, judged in sizes.items()
    ]
    caption = (
        "Shallower pools: τ-b between the order of the runs with all judgments and with those of documents that a "
        f"pooled ranking has among its first ones, or that something without ranks brought in; – where {TIED}.{against}"
    )
    columns = (ScoreColumn("Judgments"), *(ScoreColumn(measure, ("τ-b",)) for measure in measures))
    return ScoreTable("Depth", columns, tuple(rows), caption)


def _figure(measure: str, value: float | None) -> ScoreCell:
    scale = scale_of(measure)
    cell = ScoreCell(NONE, value, scale=scale, places=2 if scale == 100 else 1)
    return (
        ScoreCell(NONE)
        if value is None
        else ScoreCell(cell.printed(value), value, scale=cell.scale, places=cell.places)
    )


def _tau(value: float | None) -> ScoreCell:
    return ScoreCell(NONE, why=TIED) if value is None else ScoreCell(f"{value:.3f}", value, places=3)


def _count(number: int | None) -> ScoreCell:
    return ScoreCell(NONE) if number is None else ScoreCell(f"{number:,}", number, places=0)


def _estimate(figure: Mapping[str, Any]) -> ScoreCell:
    """With its interval, which the table prints behind it; the reason where it is undefined."""
    if figure["value"] is None:
        return ScoreCell(NONE, why=str(figure["reason"]).replace("_", " "))
    ci = figure["ci"] or {}
    return ScoreCell(f"{figure['value']:.3f}", figure["value"], low=ci.get("low"), high=ci.get("high"), places=3)

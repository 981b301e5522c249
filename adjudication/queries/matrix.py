"""The tables of the agreement page, built from a finished run: matrix of pairs, confusion matrix, topics."""

import math
from dataclasses import dataclass
from typing import Any

from adjudication.models import AgreementRun
from adjudication.queries.agreement import Shown, pair_figures
from adjudication.stats.blocks import ADJUDICATED

STEPS = 5  # shades of a cell


@dataclass(frozen=True)
class Cell:
    """One pair in the matrix. `shade` 0..STEPS grows with the figure; `pair` are annotator ids for links, or ""."""

    figure: Shown
    shade: int
    pair: str


@dataclass(frozen=True)
class Row:
    """An annotator against those before it; None where there is no cell (itself, and the mirrored half)."""

    name: str
    kind: str
    cells: list[Cell | None]


@dataclass(frozen=True)
class Confusion:
    """K x K counts of one pair, rows the first annotator, with shares of each row; None for a row nobody used."""

    first: dict[str, Any]
    second: dict[str, Any]
    rows: list[tuple[list[Any], list[tuple[int, str, int]]]]  # level, [(count, percent of row, shade)]
    pair: str


def pair_matrix(run: AgreementRun, criterion: str, statistic: str) -> tuple[list[str], list[Row]]:
    """(column names, rows) of the lower triangle: each pair of annotators once, and each with the verdict."""
    people = run.detail[criterion]["annotators"]
    figures = pair_figures(run, criterion, statistic)
    verdict = {"id": None, "name": ADJUDICATED, "kind": ADJUDICATED}
    has_verdict = any(ADJUDICATED in names for names in figures)
    below = [*people[1:], verdict] if has_verdict else people[1:]
    columns = people if has_verdict else people[:-1]
    rows = []
    for place, one in enumerate(below, start=1):
        cells = [_cell(figures, one, other) if at < place else None for at, other in enumerate(columns)]
        rows.append(Row("verdict" if one is verdict else one["name"], one["kind"], cells))
    return [one["name"] for one in columns], rows


def _cell(figures: dict[frozenset[str], Shown], one: dict[str, Any], other: dict[str, Any]) -> Cell | None:
    figure = figures.get(frozenset((one["name"], other["name"])))
    if figure is None:
        return None
    return Cell(figure, _shade(figure.points.get("value")), f"{other['id']},{one['id']}" if one["id"] else "")


def _shade(value: float | None) -> int:
    return 0 if value is None else max(1, min(STEPS, 1 + int(value * STEPS)))


def confusion(run: AgreementRun, criterion: str, pair: str) -> Confusion | None:
    """The table of a pair "id,id"; without one, of the first pair there is. None when no pair has an item in common."""
    detail = run.detail[criterion]
    people, tables = detail["annotators"], detail["tables"]
    if not tables:
        return None
    chosen = tables[0]
    for table in tables:
        ids = [str(people[place]["id"]) for place in table["pair"]]
        if pair.split(",") in (ids, ids[::-1]):
            chosen = table
    first, second = (people[place] for place in chosen["pair"])
    rows = [
        (level, [_counted(count, sum(counts)) for count in counts])
        for level, counts in zip(detail["scale"], chosen["counts"], strict=True)
    ]
    return Confusion(first, second, rows, f"{first['id']},{second['id']}")


def _counted(count: int, whole: int) -> tuple[int, str, int]:
    if not whole:
        return 0, "", 0
    return count, f"{100 * count / whole:.0f} %", round(STEPS * count / whole)


def confusion_pairs(run: AgreementRun, criterion: str) -> list[tuple[str, str]]:
    """(ids, names) of the pairs that have a confusion matrix, for the switch."""
    detail = run.detail[criterion]
    people = detail["annotators"]
    both = [[people[place] for place in table["pair"]] for table in detail["tables"]]
    return [(f"{a['id']},{b['id']}", f"{a['name']} × {b['name']}") for a, b in both]


def topic_rows(run: AgreementRun, criterion: str) -> list[dict[str, Any]]:
    """Topics with the least agreement first; those without a figure last."""
    rows = [{**row, "shade": _shade(row["agreement"])} for row in run.detail[criterion]["topics"]]
    return sorted(rows, key=lambda row: (row["agreement"] is None, row["agreement"] or 0, row["topic"]))


@dataclass(frozen=True)
class Mark:
    """One line of the forest plot, in percent of its width: the point, the interval, and what to say."""

    label: str
    figure: Shown
    at: float
    low: float | None
    span: float | None
    y: int


def forest(figures: list[Shown]) -> tuple[list[Mark], list[tuple[float, str]]]:
    """Marks and the ticks of their common axis, which spans all ends; figures without a value are left out."""
    shown = [figure for figure in figures if "value" in figure.points]
    if not shown:
        return [], []
    ends = [value for figure in shown for value in figure.points.values()]
    low, high = _round_down(min(ends)), _round_up(max(ends))
    width = (high - low) or 0.1

    def place(value: float) -> float:
        return round(100 * (value - low) / width, 2)

    marks = [
        Mark(
            figure.label,
            figure,
            place(figure.points["value"]),
            place(figure.points["low"]) if "low" in figure.points else None,
            round(place(figure.points["high"]) - place(figure.points["low"]), 2) if "low" in figure.points else None,
            14 + 28 * line,
        )
        for line, figure in enumerate(shown)
    ]
    steps = 4
    ticks = [(100 * step / steps, f"{low + width * step / steps:.2f}".replace("-", "−")) for step in range(steps + 1)]
    return marks, ticks


def _round_down(value: float) -> float:
    return math.floor(value * 10) / 10


def _round_up(value: float) -> float:
    return math.ceil(value * 10) / 10

"""The tables of the agreement page, built from a finished run: matrix of pairs, confusion matrix, topics."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from accounts.counting import share_in_percent
from adjudication.agreement.results import FigureText
from adjudication.models import AgreementRun
from annotation.models import AnnotatorKind
from engines.stats.blocks import ADJUDICATED
from engines.stats.reasons import TOPIC, words_of
from engines.stats.statistics import statistic as record_of

STEPS = 5  # shades of a cell
ROW = 28  # pixels of a line of the forest plot


@dataclass(frozen=True)
class WayDown:
    """Down to the judgments: the pair "id,id" whose differences to list, or the figure whose items to list."""

    pair: str = ""
    figure: int = 0


@dataclass(frozen=True)
class PairCell:
    """One pair in the matrix. `shade` 0..STEPS grows with the figure; `way` leads to the items behind it."""

    figure: FigureText
    shade: int
    way: WayDown


@dataclass(frozen=True)
class PairRow:
    """An annotator against those before it; None where there is no cell (itself, and the mirrored half)."""

    name: str
    kind: str
    cells: list[PairCell | None]


@dataclass(frozen=True)
class Confusion:
    """K x K counts of one pair, rows the first annotator, with shares of each row; None for a row nobody used.

    `second` may be the verdict (id None). `levels` are (level, agreement on it, as text; "" where neither used it).
    """

    first: dict[str, Any]
    second: dict[str, Any]
    rows: list[tuple[list[Any], list[tuple[int, str, int]]]]  # level, [(count, percent of row, shade)]
    levels: list[tuple[list[Any], str]]
    pair: str
    is_part_whole: bool = False  # the first voted on the verdict that is the second


VERDICT: dict[str, Any] = {"id": None, "name": "verdict", "kind": ADJUDICATED}


Figures = dict[frozenset[str], FigureText]  # by the two names of the pair


def pair_matrix(people: list[dict[str, Any]], figures: Figures) -> tuple[list[str], list[PairRow]]:
    """(column names, rows) of the lower triangle: each pair of annotators once, and each with the verdict."""
    has_verdict = any(ADJUDICATED in names for names in figures)
    below = [*people[1:], VERDICT] if has_verdict else people[1:]
    columns = people if has_verdict else people[:-1]
    rows = []
    for place, one in enumerate(below, start=1):
        cells = [_cell(figures, one, other) if at < place else None for at, other in enumerate(columns)]
        rows.append(PairRow(one["name"], one["kind"], cells))
    return [one["name"] for one in columns], rows


def _annotators(run: AgreementRun, criterion: str, *, people_alone: bool) -> list[dict[str, Any]]:
    annotators: list[dict[str, Any]] = run.detail[criterion]["annotators"]
    return [one for one in annotators if one["kind"] != AnnotatorKind.MACHINE or not people_alone]


def _cell(figures: Figures, one: dict[str, Any], other: dict[str, Any]) -> PairCell | None:
    figure = figures.get(frozenset((ADJUDICATED if one is VERDICT else one["name"], other["name"])))
    if figure is None:
        return None
    return PairCell(figure, _shade(figure.number), _way(other, one, figure))


def _way(one: dict[str, Any], other: dict[str, Any], figure: FigureText) -> WayDown:
    """The vote of the others is nobody's label, so a comparison with it leads to all its items."""
    if other["id"] is None and "leave_one_out" in figure.flags:
        return WayDown(figure=figure.pk)
    return WayDown(pair=_ids(one, other))


def _shade(value: float | None) -> int:
    return 0 if value is None else max(1, min(STEPS, 1 + int(value * STEPS)))


def confusion(run: AgreementRun, criterion: str, pair: str) -> Confusion | None:
    """The table of a pair "id,id" or "id,verdict"; without one, of the first pair there is; None when there is none."""
    detail = run.detail[criterion]
    if not detail["tables"]:
        return None
    chosen = detail["tables"][0]
    for table in detail["tables"]:
        ids = [str(one["id"] or one["name"]) for one in _sides(detail, table)]
        if pair.split(",") in (ids, ids[::-1]):
            chosen = table
    first, second = _sides(detail, chosen)
    rows = [
        (level, [_counted(count, sum(counts)) for count in counts])
        for level, counts in zip(detail["scale"], chosen["counts"], strict=True)
    ]
    levels = [
        (level, "" if value is None else share_in_percent(value, 1))
        for level, value in zip(detail["scale"], chosen["agreement"], strict=True)
    ]
    return Confusion(first, second, rows, levels, _ids(first, second), "part_whole" in chosen.get("flags", ()))


def _sides(detail: dict[str, Any], table: dict[str, Any]) -> list[dict[str, Any]]:
    return [VERDICT if place < 0 else detail["annotators"][place] for place in table["pair"]]


def _ids(first: dict[str, Any], second: dict[str, Any]) -> str:
    return f"{first['id']},{second['id'] or VERDICT['name']}"


def _counted(count: int, whole: int) -> tuple[int, str, int]:
    if not whole:
        return 0, "", 0
    return count, share_in_percent(count / whole), round(STEPS * count / whole)


def confusion_pairs(run: AgreementRun, criterion: str) -> list[tuple[str, str]]:
    """(ids, names) of the pairs that have a confusion matrix, for the switch."""
    detail = run.detail[criterion]
    both = [_sides(detail, table) for table in detail["tables"]]
    return [(_ids(a, b), f"{a['name']} × {b['name']}") for a, b in both]


@dataclass(frozen=True)
class TopicTile:
    """One topic of the heat map: the figure as text, or why there is none."""

    topic: int
    number: str
    n_items: int
    value: str
    why: str
    shade: int


def topic_tiles(run: AgreementRun, criterion: str, statistic: str, *, people: bool) -> list[TopicTile]:
    """Topics with the lowest figure first; those without one last. Figures of `people` alone, or of all annotators."""
    rows = [row for row in run.detail[criterion]["topics_people" if people else "topics"] if row["topic"] > 0]
    rows.sort(key=lambda row: (statistic not in row["values"], row["values"].get(statistic, 0.0), row["topic"]))
    return [_tile(row, statistic) for row in rows]


def undefined_topics(tiles: list[TopicTile]) -> dict[str, list[TopicTile]]:
    """{why: the topics} of those without a figure."""
    found: dict[str, list[TopicTile]] = {}
    for tile in tiles:
        if tile.why:
            found.setdefault(tile.why, []).append(tile)
    return found


def _tile(row: dict[str, Any], statistic: str) -> TopicTile:
    value = row["values"].get(statistic)
    reason = row.get("reason") or row["reasons"].get(statistic, "")
    why = words_of(reason, TOPIC)
    return TopicTile(row["topic"], row["number"], row["n_items"], record_of(statistic).text(value), why, _shade(value))


@dataclass(frozen=True)
class ForestMark:
    """One line of the forest plot, in percent of its width: the point, the interval, and what to say.

    `at` is None where the figure is undefined; `way` leads to the items behind it.
    """

    label: str
    figure: FigureText
    way: WayDown
    at: float | None
    low: float | None
    span: float | None
    y: int

    @property
    def why(self) -> str:
        """Why there is no figure, if there is none."""
        return self.figure.why


def forest_figures(people: list[dict[str, Any]], figures: Figures) -> list[tuple[WayDown, FigureText]]:
    """Each pair's figure with the way down, the highest first, undefined ones last."""
    by_name = {one["name"]: one for one in people} | {ADJUDICATED: VERDICT}
    order = list(by_name)
    rows = []
    for names, figure in figures.items():
        if not names <= by_name.keys():
            continue
        one, other = (by_name[name] for name in sorted(names, key=order.index))
        rows.append((_way(one, other, figure), figure))
    return sorted(rows, key=lambda row: (row[1].number is None, -(row[1].number or 0.0)))


def forest(figures: list[tuple[WayDown, FigureText]]) -> tuple[list[ForestMark], list[tuple[float, str]]]:
    """Marks of (way, figure) and the ticks of their common axis, which spans all ends; no ticks without any value."""
    ends = [value for _, figure in figures for value in figure.points.values()]
    step = _step(min(ends, default=0.0), max(ends, default=0.0))
    first, last = math.floor(min(ends, default=0.0) / step), math.ceil(max(ends, default=0.0) / step)
    last = max(last, first + 1)
    low, width = first * step, (last - first) * step

    def place(value: float) -> float:
        return round(100 * (value - low) / width, 2)

    marks = [_mark(way, figure, place, 14 + ROW * line) for line, (way, figure) in enumerate(figures)]
    ticks = [(place(tick * step), f"{tick * step:.2g}".replace("-", "−")) for tick in range(first, last + 1)]
    return marks, ticks if ends else []


@dataclass(frozen=True)
class PairFigures:
    """Each pair of annotators on one statistic, as a matrix and as a forest plot with its ticks."""

    columns: list[str]
    rows: list[PairRow]
    marks: list[ForestMark]
    ticks: list[tuple[float, str]]

    @property
    def height(self) -> int:
        """Of the forest plot, in pixels."""
        return ROW * len(self.marks) + 8


def figures_of_pairs(run: AgreementRun, criterion: str, figures: Figures, *, people_alone: bool) -> PairFigures:
    """Everybody's pairs and those with the verdict, or those of `people_alone`, of the figures of one statistic."""
    people = _annotators(run, criterion, people_alone=people_alone)
    columns, rows = pair_matrix(people, figures)
    return PairFigures(columns, rows, *forest(forest_figures(people, figures)))


def _step(low: float, high: float) -> float:
    """A round distance between ticks, so that there are about five of them."""
    return next((step for step in (0.02, 0.05, 0.1, 0.2, 0.25) if high - low <= 5 * step), 0.5)


def _mark(way: WayDown, figure: FigureText, place: Callable[[float], float], y: int) -> ForestMark:
    points = figure.points
    at = place(points["value"]) if "value" in points else None
    low = place(points["low"]) if "low" in points else None
    span = round(place(points["high"]) - low, 2) if low is not None else None
    return ForestMark(figure.label, figure, way, at, low, span, y)

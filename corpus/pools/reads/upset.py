"""An UpSet plot as coordinates: a bar for each combination of methods, and below it the methods that make it up."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.pools.reads.pool_report import Combination, Overlap

STEP, ROW = 30, 26  # pixels from bar to bar, from method to method
NAMES, TOTALS, TOP, BARS, GAP = 190, 70, 22, 140, 14  # widths of the left columns; heights above the dots
LONGEST_NAME = 24


@dataclass(frozen=True)
class Row:
    """A method: where its line of dots is, its name in full and as shown, its pairs in all combinations."""

    y: int
    name: str
    shown: str
    pairs: int


@dataclass(frozen=True)
class Dot:
    """A dot of a column, filled where the method is in the combination."""

    y: int
    is_in: bool


@dataclass(frozen=True)
class Column:
    """One combination: its bar, and the line from its first to its last method."""

    x: int
    bar_y: float
    bar_height: float
    pairs: int
    dots: list[Dot]
    first: int
    last: int


@dataclass(frozen=True)
class Upset:
    """The whole plot; `names_x` and `totals_x` are where names and totals end."""

    width: int
    height: int
    names_x: int
    totals_x: int
    rows: list[Row]
    columns: list[Column]


def draw_upset(overlap: Overlap) -> Upset:
    """Coordinates in pixels. Methods come by the pairs they brought in, most first: all methods, all their pairs."""
    found, totals = overlap.combinations, overlap.methods
    names = sorted(totals, key=lambda name: (-totals[name], name))
    top = TOP + BARS + GAP
    rows = [Row(top + ROW * place + ROW // 2, name, _short(name), totals[name]) for place, name in enumerate(names)]
    most = max((each.pairs for each in found), default=1)
    left = NAMES + TOTALS
    columns = [_column(each, left + STEP * place + STEP // 2, rows, most) for place, each in enumerate(found)]
    size = left + STEP * len(found) + 8, top + ROW * len(rows) + 6
    return Upset(*size, NAMES - 8, left - 14, rows, columns)


def _column(combination: Combination, x: int, rows: Sequence[Row], most: int) -> Column:
    height = round(BARS * combination.pairs / most, 1)
    dots = [Dot(row.y, row.name in combination.methods) for row in rows]
    inside = [dot.y for dot in dots if dot.is_in]
    return Column(x, round(TOP + BARS - height, 1), height, combination.pairs, dots, min(inside), max(inside))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"

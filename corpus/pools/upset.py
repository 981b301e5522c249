"""An UpSet plot as coordinates: a bar for each combination of methods, and below it the methods that make it up."""

from collections.abc import Sequence
from dataclasses import dataclass

from corpus.pools.pool_report import Combination, MethodOverlap

STEP, ROW = 30, 26  # pixels from bar to bar, from method to method
TOP, BARS, GAP = 22, 140, 14  # heights above the dots
LETTER, MARGIN = 7.8, 8  # of names and totals: width of a character in a wide font, and what is left free around them
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
class UpsetColumn:
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
    columns: list[UpsetColumn]


def draw_upset(overlap: MethodOverlap) -> Upset:
    """Coordinates in pixels. Methods come by the pairs they brought in, most first: all methods, all their pairs."""
    found, totals = overlap.combinations, overlap.methods
    names = sorted(totals, key=lambda name: (-totals[name], name))
    top = TOP + BARS + GAP
    rows = [Row(top + ROW * place + ROW // 2, name, _short(name), totals[name]) for place, name in enumerate(names)]
    most = max((each.pairs for each in found), default=1)
    names_x, totals_x = _ends([row.shown for row in rows], list(totals.values()))
    left = totals_x + MARGIN
    columns = [_column(each, left + STEP * place + STEP // 2, rows, most) for place, each in enumerate(found)]
    size = left + STEP * len(found), top + ROW * len(rows) + 6
    return Upset(*size, names_x, totals_x, rows, columns)


def _ends(names: Sequence[str], totals: Sequence[int]) -> tuple[int, int]:
    """Where names and totals end: no wider than the longest of each, so that a phone has room for the bars."""
    widths = [LETTER * max(map(len, texts), default=0) for texts in (names, [f"{total:,}" for total in totals])]
    names_x = round(widths[0]) + MARGIN
    return names_x, names_x + round(widths[1]) + 2 * MARGIN


def _column(combination: Combination, x: int, rows: Sequence[Row], most: int) -> UpsetColumn:
    height = round(BARS * combination.pairs / most, 1)
    dots = [Dot(row.y, row.name in combination.methods) for row in rows]
    inside = [dot.y for dot in dots if dot.is_in]
    return UpsetColumn(x, round(TOP + BARS - height, 1), height, combination.pairs, dots, min(inside), max(inside))


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"

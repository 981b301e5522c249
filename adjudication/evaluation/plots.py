"""What the page of an evaluation shows next to its table: the plot of a column, also as a file."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adjudication.evaluation.tables import ScoreCell, ScoreRow, ScoreTable

WIDTH, ROW = 100.0, 28  # percent, pixels of a row
WIDEST = 5.0  # percent of the plot's width that one bar and the room around it take at most
STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)  # between ticks, times a power of ten
MOST_TICKS = 6  # about
MOST_NOTES = 4  # below a plot in a file
MARKS = " Bold: "  # what follows in a caption is about marks that a plot does not have
PLOT_CAPTION = "Points are means, lines 95% intervals over topics."


@dataclass(frozen=True)
class RunMark:
    """One run in the plot; positions in percent of its width. `at` is None where there is `why` instead of a value.

    `words` are the figure and its interval as text.
    """

    label: str
    words: str
    y: int
    at: float | None = None
    low: float | None = None
    high: float | None = None
    why: str = ""

    @property
    def span(self) -> float:
        """How wide its interval is."""
        return round((self.high or 0.0) - (self.low or 0.0), 2)


@dataclass(frozen=True)
class Plot:
    """Points with intervals for one column. `ticks` are (position in percent, text)."""

    heading: str
    marks: tuple[RunMark, ...]
    ticks: tuple[tuple[float, str], ...]
    height: int

    @property
    def has_intervals(self) -> bool:
        return any(mark.low is not None for mark in self.marks)


def sorted_table(table: ScoreTable, column: int | None) -> ScoreTable:
    """The rows by a column, the highest first, undefined ones last; as they are without one."""
    if column is None:
        return table

    def key(row: ScoreRow) -> tuple[bool, float]:
        value = row.cells[column].value
        return value is None, -(value or 0.0)

    return replace(table, rows=tuple(sorted(table.rows, key=key)))


def plot_of(table: ScoreTable, column: int) -> Plot | None:
    """The column as points with their intervals, the highest on top, undefined ones last; None without a value."""
    rows = [row for row in sorted_table(table, column).rows if row.cells]
    cells = [row.cells[column] for row in rows]
    known = [cell for cell in cells if cell.value is not None]
    if not known:
        return None
    scale = max(cell.scale for cell in known)
    ends = _ends(known)
    low, high = ends[0], ends[-1]

    def place(value: float | None) -> float | None:
        return None if value is None else round(WIDTH * (value - low) / (high - low), 2)

    marks = tuple(
        RunMark(
            label=row.label,
            words=_words(cell),
            y=ROW * at + ROW // 2,
            at=place(cell.value),
            low=place(cell.low),
            high=place(cell.high),
            why=cell.why,
        )
        for at, (row, cell) in enumerate(zip(rows, cells, strict=True))
    )
    ticks = tuple((round(WIDTH * (end - low) / (high - low), 2), f"{scale * end:.6g}") for end in ends)
    return Plot(table.columns[column].heading, marks, ticks, ROW * len(rows))


def _ends(cells: Sequence[ScoreCell]) -> list[float]:
    """Round numbers along the axis, the first and the last around all points and intervals, not below 0.

    What lies between 0 and 1 has an axis that ends there.
    """
    ends = [end for cell in cells for end in (cell.value, cell.low, cell.high) if end is not None]
    pad = 0.05 * (max(ends) - min(ends)) or 0.05
    most = 1.0 if max(ends) <= 1 else math.inf
    low, high = max(0.0, min(ends) - pad), min(most, max(ends) + pad)
    rough = (high - low) / (MOST_TICKS - 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in STEPS if each * power >= rough * 0.999)
    return [step * at for at in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _words(cell: ScoreCell) -> str:
    """The figure with its interval, in the digits of the table, or why there is none."""
    if cell.value is None:
        return f"undefined: {cell.why}"
    if cell.low is None or cell.high is None:
        return f"{cell.text}, no interval"
    return f"{cell.text}, {cell.printed(cell.low)} to {cell.printed(cell.high)}"


@dataclass(frozen=True)
class Bars:
    """Differences by topic as bars on both sides of a line: (x, y, width, height) in percent, and whether above it."""

    bars: tuple[tuple[float, float, float, float, bool], ...]
    zero: float
    top: float
    bottom: float


def bars_of(gaps: Sequence[float]) -> Bars | None:
    """A bar for each difference, in this order; None where all are 0."""
    top, bottom = max([0.0, *gaps]), min([0.0, *gaps])
    if top == bottom:
        return None
    wide, high = min(WIDTH / len(gaps), WIDEST), WIDTH / (top - bottom)
    zero = round(top * high, 3)
    bars = tuple(
        (
            *(round(at * wide + 0.05 * wide, 3), round(zero - max(gap, 0.0) * high, 3)),
            *(round(0.9 * wide, 3), round(abs(gap) * high, 3), gap > 0),
        )
        for at, gap in enumerate(gaps)
    )
    return Bars(bars, zero, top, bottom)


def draw_plot(table: ScoreTable, column: int, form: str) -> bytes:
    """The plot of a column, which has a value, as a file for a paper: SVG or PDF, with what it assumes below it."""
    from adjudication.agreement.drawings import DrawnLine, draw_forest

    rows = sorted_table(table, column).rows
    cells = [row.cells[column] for row in rows if row.cells]
    scale = max(cell.scale for cell in cells if cell.value is not None)
    lines = [
        DrawnLine(row.label, _times(cell.value, scale), _times(cell.low, scale), _times(cell.high, scale), cell.why)
        for row, cell in zip(rows, cells, strict=True)
    ]
    axis = f"{table.columns[column].heading}{' in percent' if scale == 100 else ''}"
    notes = (f"{PLOT_CAPTION} {table.caption.partition(MARKS)[0]}", *table.notes[:MOST_NOTES])
    return draw_forest(lines, axis, form, notes)


def _times(value: float | None, scale: int) -> float | None:
    return None if value is None else value * scale

"""Figures for papers as SVG and PDF, the same bytes for the same figures.

Forest plot, matrix of pairs, confusion matrices and heat map of topics. What is undefined is drawn as such, with the
reason in words; no figure stands for a value that does not exist.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from io import BytesIO
from textwrap import fill, shorten
from threading import BoundedSemaphore, Lock
from typing import ParamSpec

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from accounts.refusals import Busy
from engines.formats.characters import with_carriable_texts

INK, SPAN, FAINT, GRID = "#1f1c26", "#4b35a8", "#6d6879", "#e2ddd3"
SHADES = LinearSegmentedColormap.from_list("litmus", ["#f6f4fb", "#4b35a8"])
ROW, WIDTH = 0.28, 6.0  # inches
NOTE_ROW, NOTE_WIDTH = 0.14, 115  # inches, characters
TILES = 8  # topics in a row of the heat map
PANELS = 3  # confusion matrices in a row
ONE_AT_A_TIME = Lock()
ASKED = BoundedSemaphore(2)  # one that is drawn and one that waits: the other threads are for other pages
PATIENCE = 5  # seconds
P = ParamSpec("P")


@dataclass(frozen=True)
class DrawnLine:
    """One row of a forest plot; `low` and `high` are None where there is no interval, `value` where there is `why`."""

    label: str
    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


@dataclass(frozen=True)
class Tile:
    """One cell of a matrix or a heat map: `shade` 0..1 (None: undefined) and the text on it."""

    shade: float | None
    text: str
    small: str = ""


@dataclass(frozen=True)
class Panel:
    """One confusion matrix: counts (K x K), rows are `first`'s levels, columns `second`'s."""

    first: str
    second: str
    counts: Sequence[Sequence[int]]


def one_at_a_time(draw: Callable[P, bytes]) -> Callable[P, bytes]:
    """Threads of a web process wait for each other: matplotlib's settings and fonts are shared. Names are no formulas,
    whatever signs they have, and lose the characters that no SVG may hold. Errors: Busy where one waits already."""

    @wraps(draw)
    def wait(*args: P.args, **more: P.kwargs) -> bytes:
        if not ASKED.acquire(blocking=False):
            raise Busy("Other figures are being drawn. Try again in a few seconds.", retry_after=PATIENCE)
        try:
            with ONE_AT_A_TIME, mpl.rc_context({"text.parse_math": False}):
                return draw(*with_carriable_texts(args), **with_carriable_texts(more))
        finally:
            ASKED.release()

    return wait


@one_at_a_time
def draw_forest(lines: Sequence[DrawnLine], axis: str, form: str, notes: Sequence[str] = ()) -> bytes:
    """A forest plot with the first line on top, above an axis of that name and `notes` on what it shows."""
    names = [_fit(line.label, 84, 44) for line in lines]  # two lines, which leave room for the axes
    rows = max([1, *(name.count("\n") + 1 for name in names)])
    below = [fill(note, NOTE_WIDTH) for note in notes]
    high = ROW * (1 + 0.55 * (rows - 1)) * len(lines) + 0.9
    high += sum(NOTE_ROW * (text.count("\n") + 1) for text in below)
    figure = Figure(figsize=(WIDTH, high), layout="constrained")
    if below:
        figure.supxlabel("\n".join(below), x=0.01, ha="left", fontsize=7, color=FAINT)
    axes = figure.add_subplot()
    for place, line in enumerate(reversed(lines)):
        if line.value is None:
            words, across = _fit(f"undefined: {line.why}", 88, 44), axes.get_yaxis_transform()
            label = axes.text(0.01, place, words, transform=across, va="center", color=FAINT, fontsize=7)
            label.set_in_layout(False)  # a long reason must not push the axes out of the figure
            continue
        if line.low is not None and line.high is not None:
            axes.plot([line.low, line.high], [place, place], color=SPAN, linewidth=1.6, solid_capstyle="butt")
        axes.plot([line.value], [place], marker="o", markersize=4.5, color=SPAN)
    axes.set_yticks(range(len(lines)), names[::-1])
    axes.set_ylim(-0.7, len(lines) - 0.3)
    axes.set_xlabel(axis, color=INK)
    axes.grid(axis="x", color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(left=False, colors=INK, labelsize=9)
    return _saved(figure, form)


@one_at_a_time
def draw_matrix(
    rows: Sequence[str], columns: Sequence[str], tiles: Sequence[Sequence[Tile | None]], title: str, form: str
) -> bytes:
    """The matrix of pairs: a tile for each cell, none where the cell is None."""
    wide = 1.1
    figure = Figure(figsize=(wide * len(columns) + 1.6, 0.62 * len(rows) + 1.2), layout="constrained")
    axes = figure.add_subplot()
    for down, cells in enumerate(tiles):
        for right, tile in enumerate(cells):
            if tile is not None:
                _draw_tile(axes, right, down, tile)
    _frame(axes, len(columns), len(rows))
    axes.set_xticks([place + 0.5 for place in range(len(columns))], [_fit(name, 36, 14) for name in columns])
    axes.set_yticks([place + 0.5 for place in range(len(rows))], [_fit(name, 36, 14) for name in rows])
    axes.set_title(title, color=INK, fontsize=10, loc="left")
    return _saved(figure, form)


@one_at_a_time
def draw_confusions(panels: Sequence[Panel], levels: Sequence[str], form: str) -> bytes:
    """Confusion matrices side by side, shaded by the share of each row; a row nobody used is empty, not zero."""
    across = min(PANELS, len(panels))
    down = -(-len(panels) // across)
    size = max(1.9, 0.5 * len(levels) + 0.7)
    figure = Figure(figsize=(size * across + 0.4, (size + 0.25) * down), layout="constrained")
    grid = figure.subplots(down, across, squeeze=False)
    for place, panel in enumerate(panels):
        _draw_panel(grid[place // across][place % across], panel, levels)
    for place in range(len(panels), down * across):
        grid[place // across][place % across].set_axis_off()
    return _saved(figure, form)


@one_at_a_time
def draw_heat(tiles: Sequence[tuple[str, Tile]], title: str, form: str) -> bytes:
    """A tile for each (topic number, tile), row by row in the order given."""
    down = -(-len(tiles) // TILES)
    figure = Figure(figsize=(WIDTH + 1, 0.55 * down + 0.7), layout="constrained")
    axes = figure.add_subplot()
    for place, (number, tile) in enumerate(tiles):
        named = Tile(tile.shade, shorten(number, 12, placeholder="…"), tile.text)
        _draw_tile(axes, place % TILES, place // TILES, named)
    _frame(axes, TILES, down)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title(title, color=INK, fontsize=10, loc="left")
    return _saved(figure, form)


def _draw_panel(axes: Axes, panel: Panel, levels: Sequence[str]) -> None:
    for down, counts in enumerate(panel.counts):
        whole = sum(counts)
        for right, count in enumerate(counts):
            tile = Tile(count / whole, f"{count:,}") if whole else Tile(None, "")
            _draw_tile(axes, right, down, tile)
    _frame(axes, len(levels), len(levels))
    places = [place + 0.5 for place in range(len(levels))]
    axes.set_xticks(places, levels)
    axes.set_yticks(places, levels)
    axes.set_xlabel(_fit(panel.second, 36, 14), color=INK, fontsize=9)
    axes.set_ylabel(_fit(panel.first, 36, 14), color=INK, fontsize=9)


def _draw_tile(axes: Axes, right: int, down: int, tile: Tile) -> None:
    hatched = tile.shade is None
    colour = "white" if tile.shade is None else SHADES(min(1.0, max(0.0, tile.shade)))
    axes.add_patch(
        Rectangle(
            (right, down), 1, 1, facecolor=colour, edgecolor=GRID, linewidth=0.8, hatch="///" if hatched else None
        )
    )
    ink = "white" if tile.shade is not None and tile.shade > 0.55 else INK
    middle, low = right + 0.5, down + (0.36 if tile.small else 0.5)
    around = {"facecolor": "white", "edgecolor": "none", "pad": 1.0} if hatched and tile.text else None
    axes.text(middle, low, tile.text, ha="center", va="center", color=ink, fontsize=9, bbox=around)
    if tile.small:
        axes.text(middle, down + 0.74, tile.small, ha="center", va="center", color=ink, fontsize=6.5, bbox=around)


def _frame(axes: Axes, across: int, down: int) -> None:
    axes.set_xlim(0, across)
    axes.set_ylim(down, 0)
    axes.tick_params(length=0, colors=INK, labelsize=8.5)
    for side in axes.spines.values():
        side.set_visible(False)


def _fit(text: str, length: int, width: int) -> str:
    """The text cut off at a length, in lines of a width (characters): machines have long names."""
    return fill(shorten(text, length, placeholder="…"), width)


def _saved(figure: Figure, form: str) -> bytes:
    """The figure as svg or pdf, without a date or random ids in it."""
    target = BytesIO()
    stamp = {"Date": None} if form == "svg" else {"CreationDate": None}
    with mpl.rc_context({"svg.hashsalt": "litmus", "svg.fonttype": "none", "pdf.fonttype": 42, "hatch.color": GRID}):
        figure.savefig(target, format=form, metadata=stamp)
    return target.getvalue()

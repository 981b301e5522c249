"""Figures for papers: forest plots as SVG and PDF, the same bytes for the same figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO

import matplotlib as mpl
from matplotlib.figure import Figure

INK, SPAN = "#1f1c26", "#4b35a8"
ROW, WIDTH = 0.28, 6.0  # inches
FORMATS = ("svg", "pdf")


@dataclass(frozen=True)
class Line:
    """One row of a forest plot; `low` and `high` are None where there is no interval."""

    label: str
    value: float
    low: float | None
    high: float | None


def draw_forest(lines: Sequence[Line], axis: str) -> dict[str, bytes]:
    """{format: file} of a forest plot with the first line on top, under an axis of that name."""
    figure = Figure(figsize=(WIDTH, ROW * len(lines) + 0.9), layout="constrained")
    axes = figure.add_subplot()
    for place, line in enumerate(reversed(lines)):
        if line.low is not None and line.high is not None:
            axes.plot([line.low, line.high], [place, place], color=SPAN, linewidth=1.6, solid_capstyle="butt")
        axes.plot([line.value], [place], marker="o", markersize=4.5, color=SPAN)
    axes.set_yticks(range(len(lines)), [line.label for line in reversed(lines)])
    axes.set_ylim(-0.7, len(lines) - 0.3)
    axes.set_xlabel(axis, color=INK)
    axes.grid(axis="x", color="#e2ddd3", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(left=False, colors=INK, labelsize=9)
    return {name: _saved(figure, name) for name in FORMATS}


def _saved(figure: Figure, name: str) -> bytes:
    """The figure as a file without a date or random ids in it."""
    target = BytesIO()
    stamp = {"Date": None} if name == "svg" else {"CreationDate": None}
    with mpl.rc_context({"svg.hashsalt": "litmus", "svg.fonttype": "none", "pdf.fonttype": 42}):
        figure.savefig(target, format=name, metadata=stamp)
    return target.getvalue()

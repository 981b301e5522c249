"""Tables of evaluations: what is printed, with what is known of each figure, and how it is stored.

In each column the best run is bold. † marks a run whose difference from the compared one is significant: the baseline,
or the column's best run where there is no baseline. `layout` makes tables, `writers` prints them.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from engines.stats.measures import parse_measure

ALPHA = 0.05
LEAST_P = 0.001  # below it a p is not printed
DAGGER = "†"
NONE = "–"  # where there is no figure


@dataclass(frozen=True)
class ScoreCell:
    """One figure. `text` is what is printed, `why` the reason where there is none; `value` is the figure in full, and
    so are its standard error `se` and its interval, of which `low` and `high` alone may be there.

    What is printed is a figure times `scale` with so many `places`.
    """

    text: str
    value: float | None = None
    is_best: bool = False
    is_marked: bool = False
    why: str = ""
    low: float | None = None
    high: float | None = None
    n_topics: int | None = None
    se: float | None = None
    scale: int = 1
    places: int = 2

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ScoreCell":
        """As stored; tables stored before December 2026 say only by their text how a figure is printed."""
        cell = cls(**stored)
        if "scale" in stored or cell.value is None or not cell.text[:1].isdigit():
            return cell
        text = cell.text.split()[0]
        printed, places = float(text.replace(",", "")), len(text.partition(".")[2])
        is_percent = abs(printed - 100 * cell.value) < abs(printed - cell.value)
        return replace(cell, scale=100 if is_percent else 1, places=places)

    def printed(self, number: float | None) -> str:
        """A number of this cell as it is printed, "" for none."""
        return "" if number is None else f"{self.scale * number:.{self.places}f}"

    @property
    def interval(self) -> str:
        """Its interval as it is printed, "" for none."""
        return "" if self.low is None or self.high is None else f"({self.printed(self.low)}, {self.printed(self.high)})"


@dataclass(frozen=True)
class ScoreRow:
    label: str
    cells: tuple[ScoreCell, ...]
    is_indented: bool = False


@dataclass(frozen=True)
class ScoreColumn:
    """A measure over some topics. `groups` are the headings above it, the outermost first.

    `is_text` says that its cells hold words, `is_interval` that they hold intervals alone.
    """

    label: str
    groups: tuple[str, ...] = ()
    is_text: bool = False
    is_interval: bool = False

    @property
    def heading(self) -> str:
        """All its headings in one line."""
        return " ".join([*filter(None, self.groups), self.label])


@dataclass(frozen=True)
class ScoreTable:
    """What is printed: columns with their headings, rows, the caption and notes below it.

    Standard errors and intervals are printed with the figures on request; `se_about` and `interval_about` say then what
    they are, or why there are none.
    """

    corner: str
    columns: tuple[ScoreColumn, ...]
    rows: tuple[ScoreRow, ...]
    caption: str
    notes: tuple[str, ...] = ()
    stale: str = ""  # what has changed since its figures were measured, in a sentence
    with_se: bool = False
    with_interval: bool = False
    se_about: str = ""
    interval_about: str = ""

    def to_json(self) -> dict[str, Any]:
        """As it is stored; `from_json` reads it again."""
        shape = {**vars(self), "notes": list(self.notes)}
        shape["columns"] = [[*column.groups, column.label] for column in self.columns]
        shape["kinds"] = [[column.is_text, column.is_interval] for column in self.columns]
        shape["rows"] = [
            {"label": row.label, "is_indented": row.is_indented, "cells": [cell.to_json() for cell in row.cells]}
            for row in self.rows
        ]
        return shape

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "ScoreTable":
        shape = dict(stored)
        kinds = shape.pop("kinds", [[False, False]] * len(shape["columns"]))
        shape["columns"] = tuple(
            ScoreColumn(each[-1], tuple(each[:-1]), *kind) for each, kind in zip(shape["columns"], kinds, strict=True)
        )
        shape["rows"] = tuple(
            ScoreRow(row["label"], tuple(map(ScoreCell.from_json, row["cells"])), row["is_indented"])
            for row in shape["rows"]
        )
        return cls(**{**shape, "notes": tuple(shape["notes"])})

    def shown(self, *, se: bool = False, interval: bool = False) -> "ScoreTable":
        """The table with standard errors and intervals as well, as far as there is something to say of them."""
        return replace(
            self,
            with_se=self.with_se or (se and bool(self.se_about)),
            with_interval=self.with_interval or (interval and bool(self.interval_about)),
        )

    @property
    def full_caption(self) -> str:
        """The caption with what the printed errors and intervals are."""
        more = (self.se_about if self.with_se else "", self.interval_about if self.with_interval else "")
        return " ".join(filter(None, [self.caption, *more]))

    def spread(self, cell: ScoreCell) -> str:
        """What is printed behind a figure: its standard error, its interval, or nothing."""
        se = f"± {cell.printed(cell.se)}" if self.with_se and cell.se is not None and "±" not in cell.text else ""
        return " ".join(filter(None, [se, cell.interval if self.with_interval and cell.value is not None else ""]))

    @property
    def named_rows(self) -> list[tuple[ScoreRow, list[tuple[ScoreCell, str]]]]:
        """The rows with what is printed behind each figure."""
        return [(row, [(cell, self.spread(cell)) for cell in row.cells]) for row in self.rows]

    @property
    def heads(self) -> list[list[tuple[str, int]]]:
        """The lines of headings above the columns, each as (text, how many columns it spans)."""
        depth = max((len(column.groups) for column in self.columns), default=0)
        found = []
        for level in range(depth):
            line: list[tuple[str, int]] = []
            known: tuple[str, ...] | None = None
            for column in self.columns:
                groups = column.groups[: level + 1]
                if groups == known and line:
                    line[-1] = (line[-1][0], line[-1][1] + 1)
                else:
                    line.append((groups[level] if level < len(groups) else "", 1))
                known = groups
            found.append(line)
        return found


@dataclass(frozen=True)
class Style:
    """How figures are printed: number of decimal `places`, with ± standard errors or not, † by which p."""

    places: int = 2
    with_se: bool = False
    adjusted: bool = True  # † by Holm-adjusted p; else by the p of each test alone


PLAIN = Style()


def scale_of(measure: str) -> int:
    """100 for what lies between 0 and 1 and is printed in percent, 1 for counts."""
    return 100 if parse_measure(measure).definition.bounds[1] == 1 else 1


def p_text(p: float) -> str:
    """A p as papers print it."""
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.3f}"


def figure_text(measure: str, value: float, style: Style = PLAIN) -> str:
    """A figure as printed: percentages for what lies between 0 and 1, plain numbers for counts."""
    scale = scale_of(measure)
    return f"{100 * value:.{style.places}f}" if scale == 100 else f"{value:.1f}"

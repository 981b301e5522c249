"""Running heads, running feet and page numbers, which are not part of a paper's text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from engines.pdf.lines import WIDE, Line
from engines.pdf.measures import Measures

_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")


@dataclass(frozen=True, slots=True)
class _Margins:
    """What stands in the top and bottom margins of a paper's pages, by place and by words."""

    places: Counter[tuple[str, int]]
    words: Counter[str]
    numbers: Counter[int]  # heights of numbers that end a page alone: the paper may be larger than what was set for it

    def is_often_here(self, zone: str, line: Line) -> bool:
        """Whether lines stand at this height on other pages too."""
        return sum(self.places[zone, round(line.base) + step] for step in (-1, 0, 1)) >= 2


def drop_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float], measures: Measures) -> list[list[Line]]:
    """Return the lines of each page without running heads, running feet and page numbers."""
    margins = _Margins(Counter(), Counter(), Counter())
    for lines, height in zip(pages, heights, strict=True):
        outer = [line for line in lines if _zone(line, height)]
        margins.places.update({(_zone(line, height), round(line.base)) for line in outer})
        margins.words.update({_plain(line) for line in outer})
        margins.numbers.update(round(line.base) for line in lines if _is_last_number(line, lines))
    return [
        [line for line in lines if not _is_furniture(line, lines, height, margins, measures)]
        for lines, height in zip(pages, heights, strict=True)
    ]


def _is_last_number(line: Line, lines: Sequence[Line]) -> bool:
    """Whether a line is a number and the lowest of its page."""
    return line.text.isdecimal() and line.base >= max(other.base for other in lines)


def _zone(line: Line, height: float) -> str:
    if line.base < 0.115 * height:
        return "top"
    return "foot" if line.base > 0.885 * height else ""


def _plain(line: Line) -> str:
    return _DIGITS.sub("#", line.text.lower()).strip()


def _is_furniture(line: Line, lines: Sequence[Line], height: float, margins: _Margins, measures: Measures) -> bool:
    zone = _zone(line, height)
    if not zone:
        return _is_last_number(line, lines) and margins.numbers[round(line.base)] >= 2
    plain = _plain(line)
    if plain in ("#", "- # -", "page #", "# of #", "page # of #"):
        return True
    if _is_in_text(line, lines, zone, margins, measures):
        return False
    if margins.words[plain] >= 3:
        return True
    is_free = margins.is_often_here(zone, line) and _stands_outside(line, lines, zone, height, measures)
    if zone == "top":
        return is_free and len(line.text) < 120
    return (is_free and len(line.text) < 60) or margins.words[plain] >= 2


def _is_in_text(line: Line, lines: Sequence[Line], zone: str, margins: _Margins, measures: Measures) -> bool:
    """Whether body text goes on from a line of the margin inwards, or outwards to a line that other pages do not have:
    a column may begin or end with any words, the last line of a page may stand right below a heading."""
    if not measures.is_body_size(line):
        return False
    inwards = 1 if zone == "top" else -1
    near = (
        (inwards * (other.base - line.base), other)
        for other in lines
        if other.column == line.column and measures.is_body_size(other)
    )
    return any(
        0.8 * measures.leading < abs(step) < 1.2 * measures.leading and (step > 0 or margins.words[_plain(other)] < 2)
        for step, other in near
    )


def _stands_outside(line: Line, lines: Sequence[Line], zone: str, height: float, measures: Measures) -> bool:
    """Whether a line is the outermost of its margin, apart from all others."""
    is_outer = not any(
        other.base < line.base - 3 if zone == "top" else other.base > line.base + 3
        for other in lines
        if _zone(other, height) == zone and other.column in (line.column, WIDE)
    )
    gap = min((abs(other.base - line.base) for other in lines if abs(other.base - line.base) > 3), default=height)
    return is_outer and gap > 1.5 * measures.leading

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
    outermost: set[int]  # ids of the lines that stand outermost on their pages, outside the margins
    inside: frozenset[str]  # the words of short lines that stand in no margin
    numbers: Counter[int]  # heights of numbers that end a page alone: the paper may be larger than what was set for it

    def is_often_here(self, zone: str, line: Line) -> bool:
        """Whether lines stand at this height on other pages too."""
        return sum(self.places[zone, round(line.base) + step] for step in (-1, 0, 1)) >= 2


def drop_furniture(pages: Sequence[Sequence[Line]], heights: Sequence[float], measures: Measures) -> list[list[Line]]:
    """Return the lines of each page without running heads, running feet and page numbers."""
    inside = frozenset(
        _plain(line)
        for lines, height in zip(pages, heights, strict=True)
        for line in lines
        if len(line.text) < 120 and not _zone(line, height)
    )
    margins = _Margins(Counter(), Counter(), set(), inside, Counter())
    for lines, height in zip(pages, heights, strict=True):
        outer = [line for line in lines if _zone(line, height)]
        margins.places.update({(_zone(line, height), round(line.base)) for line in outer})
        outermost = _outermost(lines, height)
        margins.outermost.update(id(line) for line in outermost)
        margins.words.update({_plain(line) for line in (*outer, *outermost)})
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


def _outermost(lines: Sequence[Line], height: float) -> list[Line]:
    """The first and the last lines of a page outside its margins, as a small text on a large page has them."""
    if not lines:
        return []
    first, last = min(line.base for line in lines), max(line.base for line in lines)
    found = [
        line for line in lines if line.base < min(first + 1, 0.25 * height) or line.base > max(last - 1, 0.75 * height)
    ]
    return [line for line in found if not _zone(line, height)]


def _is_head_outside(line: Line, lines: Sequence[Line], height: float, margins: _Margins, measures: Measures) -> bool:
    """Whether the outermost line of a page is a running head or foot that stands further inwards than most do."""
    if id(line) not in margins.outermost:
        return False
    plain, zone = _plain(line), "top" if line.base < height / 2 else "foot"
    gap = min((abs(other.base - line.base) for other in lines if abs(other.base - line.base) > 3), default=height)
    is_apart = gap > 1.2 * measures.leading or not measures.is_body_size(line)
    is_often = margins.words[plain] >= (2 if "#" in plain or not measures.is_body_size(line) else 3)
    return is_apart and is_often and not _is_in_text(line, lines, zone, margins, measures)


def _plain(line: Line) -> str:
    return _DIGITS.sub("#", line.text.lower()).strip()


def _is_furniture(line: Line, lines: Sequence[Line], height: float, margins: _Margins, measures: Measures) -> bool:
    zone = _zone(line, height)
    if not zone and _is_last_number(line, lines):
        return margins.numbers[round(line.base)] >= 2
    if not zone:
        return _is_head_outside(line, lines, height, margins, measures)
    plain = _plain(line)
    if plain in ("#", "- # -", "page #", "# of #", "page # of #"):
        return True
    if _is_in_text(line, lines, zone, margins, measures):
        return False
    times = margins.words[plain]
    if times < 2 and _is_set_like_heading(line, measures) and plain not in margins.inside:
        return False
    is_free = margins.is_often_here(zone, line) and _stands_outside(line, lines, zone, height, measures)
    return times >= (3 if zone == "top" else 2) or (is_free and len(line.text) < (120 if zone == "top" else 60))


def _is_set_like_heading(line: Line, measures: Measures) -> bool:
    """Whether a line is set in the weight or size of a heading: a section may begin a page."""
    return measures.size - 0.6 < line.size and (line.bold > 0.85 or line.size > measures.size + 0.7)


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

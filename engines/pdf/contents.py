"""Tables of contents, which repeat the headings of a paper and are not part of its text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engines.pdf.headings import plain_heading
from engines.pdf.lines import Line

_NAMES = frozenset({
    "contents", "table of contents", "list of figures", "list of tables", "inhalt", "inhaltsverzeichnis", "sommaire",
    "table des matières", "índice", "contenido", "indice", "sommario", "sumário", "inhoud", "inhoudsopgave",
    "目录", "目次",
})  # fmt: skip
_LEADERS = re.compile(r"(?:\s?[.·…]){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})?$").search
_PAGE = re.compile(r"\d{1,4}|[ivxlc]{1,6}").fullmatch
_MOST_BETWEEN = 2  # lines of a row that breaks before its page number


def drop_contents(pages: Sequence[Sequence[Line]]) -> list[list[Line]]:
    """Return the lines of each page without its tables of contents: their headings, and the rows below them.

    A row ends with dots or a gap before a number of a page. Rows with dots that no heading stands above go too, where
    a page has three of them.
    """
    kept: list[list[Line]] = []
    is_inside = False
    for lines in pages:
        rows = _rows(lines)
        drop = _dotted(lines) if len(_dotted(lines)) > 2 else set()
        place = 0
        while place < len(lines):
            if is_inside or (_is_name(lines[place]) and _next_row(rows, place + 1) is not None):
                first = place if is_inside else place + 1
                end = _end_of_rows(rows, first)
                drop.update(range(place, end))
                is_inside = end == len(lines) and end > place
                place = max(end, place + 1)
            else:
                place += 1
        kept.append([line for place, line in enumerate(lines) if place not in drop])
    return kept


def _is_name(line: Line) -> bool:
    return plain_heading(line.text) in _NAMES


def _dotted(lines: Sequence[Line]) -> set[int]:
    return {place for place, line in enumerate(lines) if _LEADERS(line.text)}


def _rows(lines: Sequence[Line]) -> list[bool]:
    """Say of each line whether it is one of a row: with a page number behind dots or a gap, or such a number alone."""
    found = [bool(_LEADERS(line.text)) or _ends_with_page(line) for line in lines]
    for place, line in enumerate(lines):
        if not _PAGE(line.text.strip()):
            continue
        for near in range(max(place - 2, 0), min(place + 3, len(lines))):
            if near != place and abs(lines[near].base - line.base) < 2 and lines[near].right < line.left:
                found[near] = found[place] = True
    return found


def _ends_with_page(line: Line) -> bool:
    if len(line.runs) < 2 or not _PAGE(line.runs[-1].text):
        return False
    return line.runs[-1].left - line.runs[-2].right > 1.2 * line.size


def _next_row(rows: Sequence[bool], place: int) -> int | None:
    """The place of the next row that is near, None for none."""
    near = range(place, min(place + _MOST_BETWEEN + 1, len(rows)))
    return next((each for each in near if rows[each]), None)


def _end_of_rows(rows: Sequence[bool], place: int) -> int:
    """The place behind the last row that follows without others between."""
    while (found := _next_row(rows, place)) is not None:
        place = found + 1
    return place

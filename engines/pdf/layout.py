"""The kinds of lines of a paper: headings, captions, tables, footnotes, body text, references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from engines.pdf.headings import CAPTION, has_gaps, heading_number, is_heading
from engines.pdf.lines import Line
from engines.pdf.measures import Measures

_CAPTION_START = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|algorithm|listing|scheme)\s*[A-Z]?\.?\d+(?:\.\d+)*[a-z]?\s?[:|]", re.IGNORECASE
).match


class Kind(Enum):
    """What a line is part of."""

    HEADING = "heading"
    BODY = "paragraph"
    CAPTION = "caption"
    FOOTNOTE = "footnote"
    TABLE = "table"
    DISPLAY = "display"
    OTHER = "other"


@dataclass(slots=True)
class Chunk:
    """Lines that follow each other in one column without a gap, all of one kind."""

    kind: Kind
    lines: list[Line] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The lines' text, joined by blanks."""
        return " ".join(line.text for line in self.lines)


def chunks(lines: Iterable[Line], measures: Measures) -> list[Chunk]:
    """Cut the lines, in reading order, into chunks and say what each is."""
    found: list[Chunk] = []
    for group in _groups(lines, measures):
        found.extend(_kinds(group, measures))
    _tables_near_captions(found, measures)
    return found


def _groups(lines: Iterable[Line], measures: Measures) -> Iterable[list[Line]]:
    group: list[Line] = []
    for line in lines:
        is_apart = bool(_CAPTION_START(line.text.strip())) or _ends_caption(group, line, measures)
        if group and (is_apart or not _goes_on(group[-1], line, measures)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _ends_caption(group: list[Line], line: Line, measures: Measures) -> bool:
    """Whether a line below a caption is no longer part of it: set in another weight or further away."""
    if not group:
        return False
    first = group[0]
    if not CAPTION(first.text.strip()):
        return False
    if first.bold > 0.8 and line.bold < 0.3:
        return True
    is_spaced = measures.leading > 1.6 * measures.size
    usual = group[1].base - first.base if len(group) > 1 else measures.leading if is_spaced else 1.17 * first.size
    return line.base - group[-1].base > 1.1 * usual + 0.3


def _goes_on(before: Line, line: Line, measures: Measures) -> bool:
    if (before.page, before.column) != (line.page, line.column) or abs(before.size - line.size) > 0.45:
        return False
    usual = measures.leading * min(max(line.size / measures.size, 0.7), 1.6)
    return -0.3 * usual < line.base - before.base <= 1.42 * usual


def _kinds(group: list[Line], measures: Measures) -> Iterable[Chunk]:
    """Cut headings off a group; what is left is of one kind."""
    rest: list[Line] = []
    heading: Chunk | None = None
    if CAPTION(group[0].text.strip()):
        yield from _caption_and_table(group, measures)
        return
    for place, line in enumerate(group):
        following = group[place + 1] if place + 1 < len(group) else None
        if heading is not None and not rest and _continues_heading(heading, line):
            heading.lines.append(line)
        elif is_heading(line, group[place - 1] if place else None, following, measures):
            if rest:
                yield Chunk(_kind(rest, measures), rest)
                rest = []
            heading = Chunk(Kind.HEADING, [line])
            yield heading
        else:
            rest.append(line)
            heading = None
    if rest:
        yield Chunk(_kind(rest, measures), rest)


def _caption_and_table(group: list[Line], measures: Measures) -> Iterable[Chunk]:
    """A caption apart from the rows of cells right below it."""
    rows = [place for place in range(1, len(group) - 1) if _has_cells(group[place : place + 2])]
    if not rows:
        yield Chunk(_kind(group, measures), group)
        return
    yield Chunk(Kind.CAPTION, group[: rows[0]])
    yield Chunk(Kind.TABLE, group[rows[0] : rows[-1] + 2])
    if rest := group[rows[-1] + 2 :]:
        yield Chunk(_kind(rest, measures), rest)


def _continues_heading(heading: Chunk, line: Line) -> bool:
    """Whether a line is the second or third of a heading: set like it, and not one with a number."""
    first = heading.lines[-1]
    if len(heading.lines) > 2 or abs(first.size - line.size) > 0.2 or abs(first.bold - line.bold) > 0.3:
        return False
    return not heading_number(line.text) and first.runs[-1].font == line.runs[0].font and first.bold > 0.8


def _kind(lines: list[Line], measures: Measures) -> Kind:
    first = lines[0]
    if CAPTION(first.text.strip()) and (len(lines) < 14 or first.bold > 0.5):
        return Kind.CAPTION
    if not measures.is_body_size(first):
        return _kind_of_other_size(lines, measures)
    letters = sum(sum(map(str.isalpha, line.text)) for line in lines)
    total = sum(len(line.text.replace(" ", "")) for line in lines)
    if _is_table(lines):
        return Kind.TABLE
    if letters < 0.55 * total or sum(line.symbols for line in lines) > 0.35 * len(lines):
        return Kind.DISPLAY
    return Kind.DISPLAY if _stands_alone(lines, measures) else Kind.BODY


def _kind_of_other_size(lines: list[Line], measures: Measures) -> Kind:
    first = lines[0]
    if first.size > measures.size:
        return Kind.OTHER
    has_words = sum(len(line.text.split()) for line in lines) >= 4
    is_note = has_words and not any(has_gaps(line) for line in lines) and not _has_cells(lines)
    return Kind.FOOTNOTE if is_note and first.size >= 0.6 * measures.size else Kind.OTHER


def _has_cells(lines: list[Line]) -> bool:
    """Whether some of the lines stand side by side, as the cells of a row do."""
    return any(abs(one.base - other.base) < 1 and one.right < other.left for one, other in pairwise(lines))


def _is_table(lines: list[Line]) -> bool:
    """Whether lines are rows of cells: holes in many of them, or columns of short pieces."""
    with_gaps = sum(has_gaps(line) for line in lines)
    if len(lines) == 1:
        return with_gaps > 0 and len(lines[0].text) < 80
    return with_gaps >= 0.34 * len(lines)


def _stands_alone(lines: list[Line], measures: Measures) -> bool:
    """Whether short lines are a formula or the words of a figure: none fills half of the column, none reads on."""
    left, right = measures.edges_of(lines[0])
    width = max(right - left, 1.0)
    if any(line.right - line.left > 0.55 * width for line in lines):
        return False
    text = " ".join(line.text for line in lines)
    starts_at_edge = lines[0].left - left < 3 * measures.size
    return not (starts_at_edge and text.rstrip(' "”’)]').endswith((".", "?", "!", ":", ";", ",")))


def _tables_near_captions(found: list[Chunk], measures: Measures) -> None:
    """Body text right above or below a table's caption that never fills its lines is the table."""
    for place, chunk in enumerate(found):
        if chunk.kind is not Kind.CAPTION or not chunk.text.lower().startswith("tab"):
            continue
        for step in (-1, 1):
            if not 0 <= place + step < len(found):
                continue
            near = found[place + step]
            if near.kind is Kind.BODY and _is_ragged(near.lines, measures):
                near.kind = Kind.TABLE


def _is_ragged(lines: list[Line], measures: Measures) -> bool:
    right = measures.edges_of(lines[0])[1]
    full = sum(line.right > right - 1.5 * measures.size for line in lines)
    return full <= 0.3 * len(lines) and len(lines) > 1

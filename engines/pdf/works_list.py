"""The lines of lists of references, and lists that no heading stands above: found by what a paper's end looks like.

Journals of physics, letters and many preprints print none. A list is a run of labels that count upwards from 1, or
lines at the end of which most begin or go on with an entry that has names first and a year.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

from engines.pdf.headings import ends_list_of_works
from engines.pdf.layout import Chunk, Kind
from engines.pdf.lines import Line
from engines.pdf.references import BEGINS, ENDED, LABELS, next_number, raised_label

LEAST_ENTRIES = 3  # with labels
LEAST_UNLABELLED = 5
_MOST_LINES = 14  # of an entry
_MOST_BEGINNINGS = 40  # that are tried: a hostile file may number each of its lines 1
_YEAR = re.compile(
    r"(?<![\d.])(?:1[5-9]|20)\d\d(?!\d)|in press|forthcoming|to appear|10\.\d{4,9}/|https?:", re.IGNORECASE
)
_SKIPPED = (Kind.CAPTION, Kind.TABLE)

# Raised numbers are those of notes more often than those of works.
_PRINTED_LABELS = tuple(label_of for label_of in LABELS if label_of is not raised_label)

_Place = tuple[int, int]  # of a chunk, and of a line in it


def banded(chunks: Sequence[Chunk]) -> list[Chunk]:
    """The chunks with what stands above a list of references before it, where the list runs below both columns.

    Such a list begins at one height in both: what the right column holds above goes on from the left one's text.
    """
    found = list(chunks)
    beginnings = [place for place, chunk in enumerate(chunks) if _begins_list(chunk.lines[0])]
    for place in beginnings[-_MOST_BEGINNINGS:]:
        other = _beginning_right(chunks, place)
        if other is not None:
            above = [each for each in chunks[place + 1 : other] if each.lines[0].column == 1]
            left = [each for each in chunks[place:other] if each.lines[0].column != 1]
            found[place:other] = [*above, *left]
    return found


def _begins_list(line: Line) -> bool:
    return line.column == 0 and any(label_of(line) == "1" for label_of in _PRINTED_LABELS)


def _beginning_right(chunks: Sequence[Chunk], place: int) -> int | None:
    """The chunk of the right column that begins at the height of this one of the left, in letters of its size."""
    first = chunks[place].lines[0]
    for other in range(place + 1, len(chunks)):
        line = chunks[other].lines[0]
        if line.page != first.page:
            return None
        if line.column == 1 and abs(line.base - first.base) < 3 and abs(line.size - first.size) < 0.2:
            return other
    return None


def list_lines(chunks: Sequence[Chunk]) -> list[Line]:
    """The lines of a list of references; captions, tables, displays and notes that its columns hold are none."""
    found: list[Line] = []
    for chunk in chunks:
        if chunk.kind not in _SKIPPED and not (found and _is_float(chunk, found)):
            found.extend(chunk.lines)
    return found


def _is_float(chunk: Chunk, before: Sequence[Line]) -> bool:
    """Whether a chunk within a list is a note, or cells or a drawing behind an entry that has ended."""
    first = chunk.lines[0]
    if chunk.kind is Kind.FOOTNOTE and first.size < before[0].size - 0.6:
        return True  # such as the rest of a note that began in the column before
    if chunk.kind is Kind.FOOTNOTE:
        return bool(raised_label(first)) and not raised_label(before[0])
    is_drawn = chunk.kind in (Kind.DISPLAY, Kind.OTHER) and bool(ENDED(before[-1].text))
    return is_drawn and not any(label_of(first) for label_of in LABELS)


def unheaded_list(chunks: Sequence[Chunk]) -> tuple[_Place, int] | None:
    """Return where the list begins, and the number of the chunk that ends it; None where there is none."""
    lines = [
        ((number, place), line)
        for number, chunk in enumerate(chunks)
        if chunk.kind not in _SKIPPED
        for place, line in enumerate(chunk.lines)
    ]
    for label_of in LABELS:
        found = _labelled(chunks, lines, label_of)
        if found:
            return found
    return _unlabelled(chunks)


def _labelled(
    chunks: Sequence[Chunk], lines: Sequence[tuple[_Place, Line]], label_of: Callable[[Line], str]
) -> tuple[_Place, int] | None:
    """The last run of labels from 1 upwards with an entry at each, which reaches the end of the text."""
    labels = [label_of(line) for _, line in lines]
    firsts = [place for place, label in enumerate(labels) if label == "1"]
    for first in reversed(firsts[-_MOST_BEGINNINGS:]):
        marks = _run(chunks, lines, labels, first)
        end = _end_of_entry(chunks, lines, marks[-1])
        texts = [" ".join(line.text for _, line in lines[one:other]) for one, other in pairwise([*marks, end])]
        dated = sum(bool(_YEAR.search(text)) for text in texts)
        if label_of is raised_label and not _is_of_one_size(chunks, lines[first][0][0], lines[end - 1][0][0]):
            continue
        if len(marks) >= LEAST_ENTRIES and 2 * dated >= len(marks) and end - first <= _MOST_LINES * len(marks):
            return lines[first][0], lines[end - 1][0][0] + 1
    return None


def _is_of_one_size(chunks: Sequence[Chunk], first: int, last: int) -> bool:
    """Whether all that stands between is set alike: between the notes of columns and pages there is text."""
    size = chunks[first].lines[0].size
    between = (chunk for chunk in chunks[first : last + 1] if chunk.kind not in _SKIPPED)
    return all(abs(chunk.lines[0].size - size) < 0.6 for chunk in between)


def _run(chunks: Sequence[Chunk], lines: Sequence[tuple[_Place, Line]], labels: Sequence[str], first: int) -> list[int]:
    """The places of the labels that count on from the first, up to a heading."""
    marks, last = [first], 1
    for place in range(first + 1, len(lines)):
        (number, inside), _ = lines[place]
        is_next = next_number(labels[place], last)
        if not inside and not is_next and chunks[number].kind is Kind.HEADING and _is_end(chunks[number]):
            break
        if is_next:
            marks.append(place)
            last = int(labels[place])
    return marks


def _is_end(chunk: Chunk) -> bool:
    return ends_list_of_works(chunk.text) or chunk.lines[0].bold > 0.8


def _end_of_entry(chunks: Sequence[Chunk], lines: Sequence[tuple[_Place, Line]], place: int) -> int:
    """The place behind the last line of an entry: it ends with its chunk, or goes on over a column's end."""
    end = place + 1
    while end < len(lines):
        (number, inside), _ = lines[end]
        goes_on = chunks[number].kind in (Kind.BODY, Kind.FOOTNOTE) and not ENDED(lines[end - 1][1].text)
        if not inside and not goes_on:
            break
        end += 1
    return end


def _unlabelled(chunks: Sequence[Chunk]) -> tuple[_Place, int] | None:
    """The chunks at the end in which most lines belong to entries with names and years."""
    end = len(chunks)
    appendix = next((place for place in range(len(chunks) // 2, len(chunks)) if _is_heading_behind(chunks[place])), end)
    for last in dict.fromkeys((end, appendix)):
        first = _begin(chunks, last)
        lines = [line for chunk in chunks[first:last] for line in chunk.lines]
        if sum(bool(BEGINS(line.text)) for line in lines) >= LEAST_UNLABELLED:
            return (first, _first_entry(chunks[first].lines)), last
    return None


def _is_heading_behind(chunk: Chunk) -> bool:
    return chunk.kind is Kind.HEADING and ends_list_of_works(chunk.text)


def _begin(chunks: Sequence[Chunk], last: int) -> int:
    first = place = last
    while place and chunks[place - 1].kind is not Kind.HEADING:
        place -= 1
        if chunks[place].kind in _SKIPPED:
            continue
        if _is_like_list(chunks[place].lines):
            first = place
        elif len(chunks[place].lines) > 6:
            break
    return first


def _is_like_list(lines: Sequence[Line]) -> bool:
    """Whether entries begin in these lines, most of them dated, none of them long."""
    begins = [place for place, line in enumerate(lines) if BEGINS(line.text)]
    if not begins or len(lines) > 8 * len(begins):
        return False
    ends = [*begins[1:], len(lines)]
    dated = sum(
        any(_YEAR.search(line.text) for line in lines[one:other]) for one, other in zip(begins, ends, strict=True)
    )
    return dated >= 0.7 * len(begins)


def _first_entry(lines: Sequence[Line]) -> int:
    """The first line that an entry begins in whose year stands in the lines next to it."""
    for place, line in enumerate(lines):
        if BEGINS(line.text) and any(_YEAR.search(near.text) for near in lines[place : place + 4]):
            return place
    return 0

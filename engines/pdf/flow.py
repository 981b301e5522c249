"""Chunks to paragraphs, joined over columns and pages, under the headings they stand below."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from engines.pdf.layout import (
    Chunk,
    Kind,
    ends_list_of_works,
    heading_number,
    is_list_of_works,
    plain_heading,
)
from engines.pdf.lines import Line, part_of_line
from engines.pdf.measures import Measures
from engines.pdf.sections import names_introduction

_BULLET = re.compile(r"(?:[•·▪■◦‣∙●○►–—*⋆★-]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+\S").match
_SIGN = re.compile(r"[•·▪■◦‣∙●○►⋆★]").match
_NUMBER = re.compile(r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s").match
_LIST_BEFORE = re.compile(r"[.:;,?!]$|\b(?:and|or)$").search
_ENDED = re.compile(r"[.?!:][\"'”’)\]\d,*†‡]*$").search
# Not any number: titles begin "20 Questions" and "A Study".
_FIRST_NUMBERS = frozenset({"0", "1", "2", "1.1", "I", "II"})
ABSTRACT = re.compile(r"\s*abstract\s?[.:—–-]+\s?", re.IGNORECASE)


@dataclass(slots=True)
class Block:
    """A paragraph, heading, caption, footnote or table: its lines in reading order and where it belongs."""

    kind: Kind
    lines: list[Line]
    section: str = ""
    number: str = ""
    top: str = ""


@dataclass(slots=True)
class Flow:
    """A paper cut into its abstract, its blocks from the first section on, and the lines of its references."""

    abstract: list[Line] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    references: list[Line] = field(default_factory=list)


@dataclass(slots=True)
class _Place:
    """Where in the sections the reading is."""

    section: str = ""
    number: str = ""
    top: str = ""
    size: float = 0.0
    is_numbered: bool = False
    is_lettered: bool = False

    def enter(self, chunk: Chunk) -> None:
        """Go below a heading. A sub-section stays in the top-level section around it."""
        text = " ".join(chunk.text.split())
        number = heading_number(text)
        is_top = self._is_top(chunk, number)
        self.section = text[len(number) :].lstrip(" .)") if number else text
        self.number = number
        if is_top:
            self.top, self.size, self.is_numbered = text, chunk.lines[0].size, bool(number)
            self.is_lettered = number.isalpha() and number in "ABCDEFGH"

    def _is_top(self, chunk: Chunk, number: str) -> bool:
        if number.isalpha() and number in "ABCDEFGH" and self.is_numbered and not self.is_lettered:
            return chunk.lines[0].size > self.size - 0.3 and chunk.text.isupper()
        if number:
            return "." not in number.rstrip(".") or not self.size
        return not self.is_numbered and chunk.lines[0].size >= self.size - 0.3


def flow_of(chunks: Sequence[Chunk], measures: Measures) -> Flow:
    """Return the blocks of a paper."""
    flow = Flow()
    place = _Place()
    body: list[tuple[Chunk, _Place]] = []
    state = "front"
    for chunk in chunks:
        state = _next_state(state, chunk)
        if state == "works":
            flow.references.extend(() if is_list_of_works(chunk) else chunk.lines)
        elif _is_abstract(chunk, state):
            flow.abstract.extend(chunk.lines)
        elif state == "body":
            if chunk.kind is Kind.HEADING:
                place = replace(place)
                place.enter(chunk)
            body.append((chunk, place))
    flow.blocks = _blocks(body, measures)
    return flow


def _is_abstract(chunk: Chunk, state: str) -> bool:
    """Whether a chunk before the first section is the abstract: below that heading, or with the word in front."""
    if state not in ("front", "abstract"):
        return False
    return (state == "abstract" and chunk.kind in (Kind.BODY, Kind.FOOTNOTE)) or bool(
        ABSTRACT.match(chunk.lines[0].text)
    )


def _next_state(state: str, chunk: Chunk) -> str:
    if state == "works":
        return "body" if ends_list_of_works(chunk) else "works"
    if chunk.kind is not Kind.HEADING:
        return state
    if is_list_of_works(chunk):
        return "works"
    name = plain_heading(chunk.text)
    if name == "abstract":
        return "abstract"
    if state == "body" or names_introduction(name) or heading_number(chunk.text) in _FIRST_NUMBERS:
        return "body"
    return "front"


# --- paragraphs -------------------------------------------------------------------------------------------------------


def _blocks(body: Iterable[tuple[Chunk, _Place]], measures: Measures) -> list[Block]:
    found: list[Block] = []
    open_block: Block | None = None
    for chunk, place in body:
        if chunk.kind is Kind.HEADING:
            open_block = None
        if chunk.kind is not Kind.BODY:
            if chunk.kind in (Kind.HEADING, Kind.CAPTION, Kind.FOOTNOTE, Kind.TABLE):
                found.append(Block(chunk.kind, list(chunk.lines), place.section, place.number, place.top))
            continue
        for number, lines in enumerate(paragraphs(chunk.lines, measures)):
            heading, text = _without_run_in(lines)
            if heading:
                found.append(Block(Kind.HEADING, heading, place.section, place.number, place.top))
                open_block = None
            if number == 0 and open_block is not None and _joins(open_block, text, measures):
                open_block.lines.extend(text)
                continue
            open_block = Block(Kind.BODY, text, place.section, place.number, place.top)
            found.append(open_block)
    return found


def _joins(block: Block, lines: list[Line], measures: Measures) -> bool:
    """Whether lines after a column's end, a page's end or a float go on with the paragraph before."""
    last, first = block.lines[-1], lines[0]
    if _is_item(first, last, measures):
        return False
    text = first.text.lstrip("\"'“‘(")
    is_indented = _indent(first, measures) > 0.6 * measures.size
    is_ended = bool(_ENDED(last.text.rstrip()))
    if not is_ended:
        return not is_indented or text[:1].islower()
    if text[:1].islower():
        return True
    is_full = last.right > measures.edges_of(last)[1] - 1.2 * measures.size
    is_apart = (first.page, first.column) != (last.page, last.column)
    shows_indents = _indent(block.lines[0], measures) > 0.6 * measures.size
    return is_full and is_apart and not is_indented and shows_indents


def _indent(line: Line, measures: Measures) -> float:
    return line.left - measures.edges_of(line)[0]


def paragraphs(lines: list[Line], measures: Measures) -> list[list[Line]]:
    """Cut the lines of a chunk where a new paragraph or a new item of a list begins."""
    found: list[list[Line]] = []
    for line in lines:
        if found and not _begins(found[-1], line, measures):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def _without_run_in(lines: list[Line]) -> tuple[list[Line], list[Line]]:
    """Return a heading that a paragraph begins with, [] for none, and the rest.

    Such a heading is bold or slanted words up to a full stop or colon.
    """
    size = _run_in_size(lines)
    heading: list[Line] = []
    rest: list[Line] = []
    for line in lines:
        part, more = line.runs[:size], line.runs[size:]
        if part:
            heading.append(part_of_line(line, part))
        if more:
            rest.append(part_of_line(line, more) if part else line)
        size -= len(part)
    return heading, rest


def _run_in_size(lines: list[Line]) -> int:
    """Return how many runs the heading at the beginning of a paragraph takes, 0 for none."""
    runs = [run for line in lines[:3] for run in line.runs]
    if not runs or not (runs[0].font.is_bold or runs[0].font.is_italic):
        return 0
    by_weight = runs[0].font.is_bold
    size = 0
    for run in runs:
        if not (run.font.is_bold if by_weight else run.font.is_italic) and not run.font.is_symbols:
            break
        size += 1
    text = " ".join(run.text for run in runs[:size]).strip()
    if size == sum(len(line.runs) for line in lines) or not 3 <= len(text) <= 120:
        return 0
    if size < len(runs) and runs[size].text in (":", "."):
        return size + 1
    return size if text.endswith((".", ":", "?", "—")) and sum(char.isalpha() for char in text) > 2 else 0


def _begins(paragraph: list[Line], line: Line, measures: Measures) -> bool:
    last = paragraph[-1]
    is_ended = bool(_ENDED(last.text.rstrip()))
    if is_ended and _has_run_in(line, last):
        return True
    if _is_item(line, last, measures):
        return not (_NUMBER(line.text) and _leads_into_list(paragraph, line))
    hanging = _hanging(paragraph, measures)
    if hanging is not None:
        return is_ended and line.left < hanging - 0.3 * measures.size
    return _begins_plainly(paragraph, line, measures, is_ended=is_ended)


def _begins_plainly(paragraph: list[Line], line: Line, measures: Measures, *, is_ended: bool) -> bool:
    """Whether a line outside lists begins a paragraph: by its indent, or after a short last line."""
    last, size = paragraph[-1], measures.size
    left, right = measures.edges_of(last)
    shift = line.left - last.left
    if shift > 0.6 * size:
        return is_ended or last.right < right - 1.5 * size
    if len(paragraph) > 1 and shift < -0.6 * size:
        return is_ended
    return is_ended and last.right < right - 6 * size and line.left - left > 0.6 * size


def _hanging(paragraph: list[Line], measures: Measures) -> float | None:
    """Return where the lines of the last item of a list begin, None outside lists."""
    if _is_item(paragraph[0], None, measures):
        left = measures.edges_of(paragraph[0])[0]
        return paragraph[1].left if len(paragraph) > 1 else max(_after_sign(paragraph[0]), left)
    items = [line for line in paragraph[1:] if _NUMBER(line.text) and _is_item(line, None, measures)]
    if not items:
        return None
    last = paragraph[-1]
    return last.left if last is not items[-1] else _after_sign(last)


def _leads_into_list(paragraph: list[Line], line: Line) -> bool:
    """Whether numbered items belong to the paragraph, as the end of its sentence: "in two ways: 1. …"."""
    if paragraph[-1].text.rstrip().endswith(":"):
        return True
    return any(_NUMBER(item.text) and abs(item.left - line.left) < 2 for item in paragraph[1:])


def _has_run_in(line: Line, last: Line) -> bool:
    """Whether a line begins with bold words, or with slanted ones that its indent sets off."""
    first = line.runs[0].font
    if last.runs[-1].font.is_bold or not (_run_in_size([line]) or line.bold > 0.95):
        return False
    return first.is_bold or line.left > last.left + 0.6 * line.size


def _is_item(line: Line, last: Line | None, measures: Measures) -> bool:
    """Whether a line begins an item of a list; a number or dash at the start of a line may also be plain text."""
    text = line.text
    if _SIGN(text):
        return True
    if not _BULLET(text):
        return False
    left = measures.edges_of(line)[0]
    if line.left > left + 0.2 * measures.size and line.left < left + 6 * measures.size:
        return last is None or bool(_LIST_BEFORE(last.text.rstrip())) or line.left < last.left - 0.3 * measures.size
    is_short = last is not None and last.right < measures.edges_of(last)[1] - 2 * measures.size
    return is_short and bool(_LIST_BEFORE(last.text.rstrip() if last else ""))


def _after_sign(line: Line) -> float:
    """Where the text of an item begins, after its bullet or number."""
    return line.runs[1].left if len(line.runs) > 1 else line.left

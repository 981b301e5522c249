"""Chunks to paragraphs, joined over columns and pages, under the headings they stand below."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from engines.pdf.headings import heading_number, is_back_matter, opens_list_of_works
from engines.pdf.layout import Chunk, Kind
from engines.pdf.lines import Line
from engines.pdf.measures import Measures
from engines.pdf.opening import is_abstract, next_state, next_state_by_any_heading, next_state_by_text
from engines.pdf.paragraphs import ENDED, indent, is_item, paragraphs, without_run_in
from engines.pdf.works_list import banded, list_lines, unheaded_list


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

    def enter(self, chunk: Chunk, *, is_behind_works: bool = False) -> None:
        """Go below a heading. A sub-section stays in the top-level section around it."""
        text = " ".join(chunk.text.split())
        number = heading_number(text)
        is_lettered = number.isalpha() and number in "ABCDEFGH" and is_behind_works
        is_top = is_lettered or self._is_top(chunk, number)
        self.section = text[len(number) :].lstrip(" .)") if number else text
        self.number = number
        if is_top:
            self.top, self.size, self.is_numbered = text, chunk.lines[0].size, bool(number)
            self.is_lettered = number.isalpha() and number in "ABCDEFGH" and not is_behind_works

    def _is_top(self, chunk: Chunk, number: str) -> bool:
        if number.isalpha() and number in "ABCDEFGH" and self.is_numbered and not self.is_lettered:
            return chunk.lines[0].size > self.size - 0.3 and chunk.text.isupper()
        if number:
            return "." not in number.rstrip(".") or not self.size
        is_large = chunk.lines[0].size >= self.size - 0.3
        return is_large and (not self.is_numbered or is_back_matter(chunk.text))


def flow_of(chunks: Sequence[Chunk], measures: Measures) -> Flow:
    """Return the blocks of a paper.

    Its text begins at the introduction, by name or number; where there is none, at the first heading behind the
    abstract or other text; where there is no heading either, at the first text.
    """
    flow = Flow()
    for state_after in (next_state, next_state_by_any_heading, next_state_by_text):
        flow = _flow(chunks, measures, state_after)
        if any(block.kind is Kind.BODY for block in flow.blocks):
            break
    return flow


def _flow(chunks: Sequence[Chunk], measures: Measures, state_after: Callable[[str, Chunk], str]) -> Flow:
    flow = Flow()
    place = _Place()
    body: list[tuple[Chunk, _Place]] = []
    works: list[Chunk] = []
    state = "front"
    for chunk in banded(chunks):
        state = state_after(state, chunk)
        if state == "works":
            works.extend(() if (chunk.kind is Kind.HEADING and opens_list_of_works(chunk.text)) else (chunk,))
        elif is_abstract(chunk, state):
            flow.abstract.extend(chunk.lines)
        elif state == "body":
            if chunk.kind is Kind.HEADING:
                place = replace(place)
                place.enter(chunk, is_behind_works=bool(works))
            body.append((chunk, place))
    flow.references = list_lines(works)
    if not flow.references:
        body = _without_list(body, flow)
    flow.blocks = _blocks(body, measures)
    return flow


def _without_list(body: list[tuple[Chunk, _Place]], flow: Flow) -> list[tuple[Chunk, _Place]]:
    """The body without the list of references that stands in it without a heading."""
    found = unheaded_list([chunk for chunk, _ in body])
    if found is None:
        return body
    (first, inside), end = found
    chunk, place = body[first]
    works = [Chunk(chunk.kind, chunk.lines[inside:]), *(each for each, _ in body[first + 1 : end])]
    flow.references = list_lines(works)
    before = [(Chunk(chunk.kind, chunk.lines[:inside]), place)] if inside else []
    return [*body[:first], *before, *body[end:]]


# --- blocks -------------------------------------------------------------------------------------------------------


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
            heading, text = without_run_in(lines)
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
    if is_item(first, last, measures):
        return False
    text = first.text.lstrip("\"'“‘(")
    is_indented = indent(first, measures) > 0.6 * measures.size
    is_ended = bool(ENDED(last.text.rstrip()))
    if not is_ended:
        return not is_indented or text[:1].islower()
    if text[:1].islower():
        return True
    is_full = last.right > measures.edges_of(last)[1] - 1.2 * measures.size
    is_apart = (first.page, first.column) != (last.page, last.column)
    shows_indents = indent(block.lines[0], measures) > 0.6 * measures.size
    return is_full and is_apart and not is_indented and shows_indents

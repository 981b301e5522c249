"""The kinds of lines of a paper: headings, captions, tables, footnotes, body text, references."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise

from engines.pdf.lines import WIDE, Line
from engines.pdf.measures import Measures

_CAPTION = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|algorithm|listing|scheme|chart|plate|exhibit|box)\s*"
    r"(?:[A-Z]?\.?\d+(?:\.\d+)*|[IVXL]+)[a-z]?\s*(?:[:.|—–-]|$|(?=[A-Z(]))",
    re.IGNORECASE,
).match
_CAPTION_START = re.compile(
    r"(?:fig(?:ure|\.)|table|tab\.|algorithm|listing|scheme)\s*[A-Z]?\.?\d+(?:\.\d+)*[a-z]?\s?[:|]", re.IGNORECASE
).match
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3}|[IVX]{1,5}(?=\.)|[A-H](?:\.\d{1,2}){0,2})[.)]?\s+(?P<name>\S.*)"
).fullmatch
_NAMES = frozenset(
    "abstract introduction references bibliography acknowledgments acknowledgements acknowledgment acknowledgement "
    "appendix conclusion conclusions discussion keywords summary background methods results".split()
)
_LISTS_OF_WORKS = frozenset({
    "references", "bibliography", "literature", "literature cited", "works cited", "references cited", "reference",
    "references and notes", "cited literature", "literatur", "literaturverzeichnis", "referenzen", "quellen",
    "références", "références bibliographiques", "bibliographie", "referencias", "referencias bibliográficas",
    "bibliografía", "riferimenti", "riferimenti bibliografici", "bibliografia", "referências",
    "referências bibliográficas", "referenties", "literatuur", "referenser", "litteratur", "literatura", "kaynakça",
    "список литературы", "литература", "参考文献",
})  # fmt: skip
_END_OF_LIST = re.compile(
    r"(?:append(?:ix|ices)|supplement|a\s+\w+|acknowledge?ments?|about the authors?)\b", re.IGNORECASE
)


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
        is_apart = bool(_CAPTION_START(line.text.strip())) or _ends_caption(group, line)
        if group and (is_apart or not _goes_on(group[-1], line, measures)):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _ends_caption(group: list[Line], line: Line) -> bool:
    """Whether a line below a caption is no longer part of it: set in another weight or further away."""
    if not group:
        return False
    first = group[0]
    if not _CAPTION(first.text.strip()):
        return False
    if first.bold > 0.8 and line.bold < 0.3:
        return True
    usual = group[1].base - first.base if len(group) > 1 else 1.17 * first.size
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
    if _CAPTION(group[0].text.strip()):
        yield Chunk(_kind(group, measures), group)
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


def _continues_heading(heading: Chunk, line: Line) -> bool:
    """Whether a line is the second or third of a heading: set like it, and not one with a number."""
    first = heading.lines[-1]
    if len(heading.lines) > 2 or abs(first.size - line.size) > 0.2 or abs(first.bold - line.bold) > 0.3:
        return False
    return not heading_number(line.text) and first.runs[-1].font == line.runs[0].font and first.bold > 0.8


def is_heading(line: Line, before: Line | None, after: Line | None, measures: Measures) -> bool:
    """Whether a line is a heading: set apart by weight, size or capitals, short, numbered or known or standing free."""
    text = line.text.strip()
    if not _can_be_heading(line, text, measures):
        return False
    match, name = _NUMBERED(text), plain_heading(text)
    is_large = line.size > measures.size + 0.7
    is_marked = line.bold > 0.85 or is_large or (text.isupper() and len(text) > 4)
    if match and before is None and not line.runs[0].font.name:  # its weight is unknown: the number and the gaps decide
        is_marked = is_marked or (after is None and name[:1].isalpha() and not text.endswith((".", ",", ";", ":")))
    if name in _NAMES or name in _LISTS_OF_WORKS:
        return is_marked or (before is None and after is None) or line.italic > 0.9
    if not is_marked and not (match and line.italic > 0.85):
        return False
    if match and text[0].isdigit() and int(re.split(r"\D", text)[0]) <= 30:
        return match["name"][:1].isalpha() and not text.endswith((".", ","))
    is_ours = line.left - measures.edges_of(line)[0] < 1.5 * measures.size or is_centred(line, measures)
    stands_free = is_ours and (before is None or (match is not None and text.isupper()))
    return stands_free and (match is not None or is_large or text.isupper() or (after is None and line.bold > 0.85))


def is_centred(line: Line, measures: Measures) -> bool:
    """Whether a line stands in the middle of its column, away from both edges."""
    left, right = measures.edges_of(line)
    aside = (line.left - left) - (right - line.right)
    return line.left - left > 2 * measures.size and abs(aside) < 2 * measures.size


def _can_be_heading(line: Line, text: str, measures: Measures) -> bool:
    if len(text) > 160 or line.symbols > 0.3 or _CAPTION(text) or sum(map(str.isalpha, text)) < 3:
        return False
    least = measures.size - (2.1 if plain_heading(text) == "abstract" else 0.6)  # abstracts are set smaller
    if line.size < least or has_gaps(line):
        return False
    is_large = line.size > measures.size + 0.7
    return line.right <= measures.edges_of(line)[1] + 4 * measures.size and (is_large or line.column != WIDE)


def plain_heading(text: str) -> str:
    """Return the words of a heading in lower case, without its number."""
    match = _NUMBERED(text.strip())
    words = (match["name"] if match else text).lower()
    return " ".join(re.sub(r"[^\w&]+", " ", words).split())


def heading_number(text: str) -> str:
    """Return the printed number of a heading, "" for none."""
    match = _NUMBERED(text.strip())
    return match["number"] if match else ""


def is_list_of_works(chunk: Chunk) -> bool:
    """Whether a heading opens the list of references."""
    return chunk.kind is Kind.HEADING and plain_heading(chunk.text) in _LISTS_OF_WORKS


def ends_list_of_works(chunk: Chunk) -> bool:
    """Whether a heading ends the list of references, such as that of an appendix."""
    text = chunk.text.strip()
    return chunk.kind is Kind.HEADING and bool(_END_OF_LIST.match(text) or heading_number(text)) and len(text) < 90


def has_gaps(line: Line) -> bool:
    """Whether a line has holes as between the cells of a table."""
    least = 1.5 * max(line.size, 6)
    return any(other.left - one.right > least for one, other in pairwise(line.runs))


def _kind(lines: list[Line], measures: Measures) -> Kind:
    first = lines[0]
    if _CAPTION(first.text.strip()) and (len(lines) < 14 or first.bold > 0.5):
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

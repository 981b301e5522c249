"""GROBID's TEI: a paper's header, paragraphs with citation markers, and bibliography (formats.md 9).

White space is collapsed and all offsets are those of the text that comes out. `[1]-[3]`, which GROBID gives as two
markers with a dash between them, names the references between as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from typing import BinaryIO

from engines.formats.papers import (
    Box,
    FullPaper,
    Marker,
    Paragraph,
    Reference,
    cited_sentences,
    first_year,
)
from engines.formats.records import BrokenFile
from engines.formats.xml_tree import Node, read_xml

LONGEST_RANGE = 20

_DASH = re.compile(r"\s*[-–—‐‑−]\s*").fullmatch
_ORDINAL = re.compile(r"(.*?)(\d{1,9})").fullmatch


def read_tei(stream: BinaryIO, file: str) -> FullPaper:
    """Return the paper. Raises `BrokenFile` if the file is not well-formed XML or no TEI."""
    root = read_xml(stream, file)
    if root.name != "TEI":
        raise BrokenFile(file, root.line, f"the root element is <{root.name}>, not <TEI>")
    return paper_of(root, file)


def paper_of(root: Node, file: str) -> FullPaper:
    """The paper in an element <TEI>."""
    header = root.node("teiHeader", "fileDesc")
    own = header.node("sourceDesc", "biblStruct") if header else None
    title = header.node("titleStmt", "title") if header else None
    abstract = root.node("teiHeader", "profileDesc", "abstract")
    references = tuple(_references(root))
    keys = frozenset(reference.key for reference in references)
    body = root.node("text", "body")
    strays = _unknown_targets(body, keys)
    return FullPaper(
        title=flat(title),
        abstract=flat(abstract),
        authors=tuple(_authors(own)) if own else (),
        venue=_venue(own, is_part=True) if own else "",
        year=_year(own) if own else None,
        doi=ids_of(own).get("doi", "") if own else "",
        paragraphs=tuple(_paragraphs(body, keys)) if body else (),
        references=references,
        extra={"unknown_targets": strays} if strays else {},
        file=file,
        line=root.line,
    )


def _unknown_targets(body: Node | None, keys: frozenset[str]) -> list[str]:
    """Return the targets of citation markers that are not in the bibliography, each once."""
    markers = (node for node in body.walk("ref") if node.attributes.get("type") == "bibr") if body else ()
    targets = (marker.attributes.get("target", "").lstrip("#") for marker in markers)
    return list(dict.fromkeys(target for target in targets if target and target not in keys))


def flat(node: Node | None) -> str:
    """Return all text of a node, blocks apart from each other, white space collapsed."""
    if node is None:
        return ""
    blocks = [block for block in node.walk() if block.name in ("p", "head")]
    return " ".join((" ".join(block.text() for block in blocks) if blocks else node.text()).split())


# --- the body ---------------------------------------------------------------------------------------------------------


def _paragraphs(body: Node, keys: frozenset[str], section: str = "", number: str = "") -> Iterator[Paragraph]:
    """Yield the paragraphs below a div or the body; a div without a head belongs to the section it stands in."""
    head = body.node("head")
    if head is not None:
        section, number = flat(head), head.attributes.get("n", "")
    for node in body.nodes():
        if node.name == "div":
            yield from _paragraphs(node, keys, section, number)
        elif node.name == "p":
            yield _paragraph(node, keys, section, number, "paragraph")
        elif node.name == "note":
            yield _paragraph(node, keys, section, number, "footnote")
        elif node.name == "figure" and (caption := node.node("figDesc")) is not None and caption.text().strip():
            yield _paragraph(caption, keys, section, number, "caption")


def _paragraph(node: Node, keys: frozenset[str], section: str, number: str, kind: str) -> Paragraph:
    flow = _Flow(keys)
    flow.take(node)
    return flow.paragraph(section, number, kind, node.attributes.get("coords", ""))


@dataclass(slots=True)
class _Flow:
    """Text that grows with its white space collapsed, and what stands where in it."""

    keys: frozenset[str]
    pieces: list[str] = field(default_factory=list)
    size: int = 0
    is_blank_due: bool = False
    markers: list[tuple[int, int, str]] = field(default_factory=list)
    sentences: list[tuple[int, int]] = field(default_factory=list)

    def take(self, node: Node) -> None:
        """Append the content of a node."""
        for part in node.content:
            if isinstance(part, str):
                self.append(part)
            elif part.name == "ref" and part.attributes.get("type") == "bibr":
                start, end = self.span_of(part)
                if start < end:
                    self.markers.append((start, end, part.attributes.get("target", "").lstrip("#")))
            elif part.name == "s":
                start, end = self.span_of(part)
                if start < end:
                    self.sentences.append((start, end))
                self.is_blank_due = True
            else:
                self.take(part)

    def append(self, text: str) -> None:
        """Append text, with every run of white space as one blank and none at the ends of the whole."""
        words = text.split()
        self.is_blank_due = self.is_blank_due or text[:1].isspace()
        if not words:
            return
        folded = " ".join(words)
        if self.is_blank_due and self.size:
            self.pieces.append(" ")
            self.size += 1
        self.pieces.append(folded)
        self.size += len(folded)
        self.is_blank_due = text[-1].isspace()

    def span_of(self, node: Node) -> tuple[int, int]:
        """Append the content of a node and return where it stands, without a blank before it."""
        known, start = len(self.pieces), self.size
        self.take(node)
        starts_with_blank = self.pieces[known : known + 1] == [" "]
        return start + starts_with_blank, self.size

    def paragraph(self, section: str, number: str, kind: str, coords: str) -> Paragraph:
        """Return what was gathered; a marker that ends a range names the references between as well."""
        text = "".join(self.pieces)
        markers: list[Marker] = []
        before: tuple[int, str] | None = None
        for start, end, target in self.markers:
            own = (target,) if target in self.keys else ()
            is_range = before is not None and _DASH(text[before[0] : start])
            between = self.keys_between(before[1], target) if before and is_range else ()
            markers.append(Marker(start, end, text[start:end], (*between, *own)))
            before = (end, target)
        return Paragraph(
            text, section, number, kind, tuple(markers), cited_sentences(self.sentences, markers), _boxes(coords)
        )

    def keys_between(self, one: str, other: str) -> tuple[str, ...]:
        """Return the keys between b1 and b4, where the range is short enough to be meant."""
        first, last = _ORDINAL(one), _ORDINAL(other)
        if not first or not last or first[1] != last[1]:
            return ()
        begin, end = int(first[2]), int(last[2])
        if not 1 < end - begin < LONGEST_RANGE:
            return ()
        return tuple(key for place in range(begin + 1, end) if (key := f"{first[1]}{place}") in self.keys)


def _boxes(coords: str) -> tuple[Box, ...]:
    """Read `page,x,y,w,h;…`; what is not five numbers is passed over."""
    boxes = []
    for piece in coords.split(";"):
        fields = piece.split(",")
        try:
            box = Box(int(fields[0]), *map(float, fields[1:5]))
        except (ValueError, TypeError):
            continue
        if all(map(isfinite, (box.x, box.y, box.width, box.height))):
            boxes.append(box)
    return tuple(boxes)


# --- the bibliography -------------------------------------------------------------------------------------------------


def _references(root: Node) -> Iterator[Reference]:
    back = root.node("text", "back")
    for place, node in enumerate(back.walk("biblStruct") if back else ()):
        raw = next((note for note in node.walk("note") if note.attributes.get("type") == "raw_reference"), None)
        yield Reference(
            node.attributes.get("id") or f"b{place}",
            _title(node),
            tuple(_authors(node)),
            _venue(node, is_part=any(_titles(node, "analytic").values())),
            _year(node),
            "",
            ids_of(node),
            flat(raw),
        )


def _titles(node: Node, part: str) -> dict[str, str]:
    """Return the titles of `analytic` or `monogr` by level, the first of each."""
    found: dict[str, str] = {}
    for holder in node.nodes(part):
        for title in holder.nodes("title"):
            found.setdefault(title.attributes.get("level", ""), flat(title))
    return found


def _title(node: Node) -> str:
    analytic, monograph = _titles(node, "analytic"), _titles(node, "monogr")
    return analytic.get("a") or next(filter(None, analytic.values()), "") or monograph.get("m", "")


def _venue(node: Node, *, is_part: bool) -> str:
    """Return the journal, or the book if the work is a part of one (else the book is the work), or the series."""
    monograph = _titles(node, "monogr")
    return monograph.get("j") or (monograph.get("m", "") if is_part else "") or monograph.get("s", "")


def _year(node: Node) -> int | None:
    dates = (date for imprint in node.walk("imprint") for date in imprint.nodes("date"))
    years = (first_year(date.attributes.get("when", "") or date.text()) for date in dates)
    return next((year for year in years if year is not None), None)


def ids_of(node: Node) -> dict[str, str]:
    """Return the printed ids by kind; a title's URL counts as one."""
    found: dict[str, str] = {}
    for entry in node.walk("idno"):
        kind, text = entry.attributes.get("type", "").lower(), "".join(entry.text().split())
        if kind and text:
            found.setdefault(kind, text.removeprefix("arXiv:") if kind == "arxiv" else text)
    for pointer in node.walk("ptr"):
        if pointer.attributes.get("target"):
            found.setdefault("url", pointer.attributes["target"])
    return found


def _authors(node: Node) -> Iterator[str]:
    """Yield "Last, First Middle" for each author of the work itself, of the book where it has none."""
    for holder in ("analytic", "monogr"):
        names = [name for part in node.nodes(holder) for author in part.nodes("author") if (name := _author(author))]
        if names:
            yield from names
            return


def _author(node: Node) -> str:
    person = node.node("persName")
    if person is None:
        return flat(node)
    given = " ".join(flat(name) for name in person.nodes("forename"))
    last = " ".join(flat(name) for name in person.nodes("surname"))
    return f"{last}, {given}" if last and given else last or given

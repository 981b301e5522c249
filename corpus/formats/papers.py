"""Papers as running text with citation markers: what GROBID's TEI and S2ORC's full texts have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page (from 1), in points from the top left."""

    page: int
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Marker:
    """A citation marker: `text[start:end]` of its paragraph, and the keys of the references it names.

    A marker whose reference is not known keeps its place with no keys.
    """

    start: int
    end: int
    text: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the body. `kind` is "paragraph", "footnote" or "caption"; `sentences` are (start, end) where
    the source has them; `boxes` where it says where the paragraph stands on its pages."""

    text: str
    section: str = ""
    number: str = ""
    kind: str = "paragraph"
    markers: tuple[Marker, ...] = ()
    sentences: tuple[tuple[int, int], ...] = ()
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of the bibliography. `target` is the id of the cited paper where the source links it, `ids` are printed
    ones by kind in lower case (doi, arxiv, pmid, …), `raw` is the entry as printed."""

    key: str
    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    target: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    raw: str = ""


@dataclass(frozen=True, slots=True)
class FullPaper:
    """A paper with its text and its references in print order. `paper_id` is the source's own id, "" for none."""

    paper_id: str
    title: str
    abstract: str
    authors: tuple[str, ...]
    venue: str
    year: int | None
    doi: str
    paragraphs: tuple[Paragraph, ...]
    references: tuple[Reference, ...]
    extra: dict[str, Any]
    file: str
    line: int


def first_year(text: str) -> int | None:
    """Return the year that a date such as 2019-03 begins with."""
    head = text.strip()[:4]
    return int(head) if len(head) == 4 and head.isascii() and head.isdigit() else None

"""Papers as running text with citation markers: what PDF files, GROBID's TEI and S2ORC's full texts have in common."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from engines.formats.registry import Format, formats

DOUBTFUL_DOIS = "doubtful_dois"
_NUMBER = re.compile(r"[0-9]+[b-z]?").fullmatch


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

    A marker whose reference is not known has no keys.
    """

    start: int
    end: int
    text: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """What an anonymisation takes out of a sentence: `text` stood at `start`, `put` stands there instead.

    `key` is the reference whose authors the cut words name.
    """

    start: int
    text: str
    put: str
    key: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: `text[start:end]` of its paragraph, and the keys of the references it cites, repeats and order kept.

    `anonymised` is the sentence as it would read without the names of cited authors, "" where nothing is proposed;
    it is a proposal only. `cuts` say what that changes, with offsets from the start of the sentence, and
    `anonymised_cites` whom it cites then: more than before where a name alone becomes a marker.
    """

    start: int
    end: int
    cites: tuple[str, ...] = ()
    anonymised: str = ""
    anonymised_cites: tuple[str, ...] = ()
    cuts: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A block of the body. `kind` is "paragraph", "footnote" or "caption", from a PDF also "heading" or "table".

    `section` is the nearest heading, `number` its printed number, `top` the heading of the top-level section,
    `part` what that section was decided to be: "introduction", "related work", "" for all else; `reason` says why, as
    a sentence for people. `sentences` are given where the source has them, `boxes` where
    it says where the block stands on its pages: one box for each column and page it runs through. `printed` is the
    text before cleaning: lines as they stand, with line-end hyphens.
    """

    text: str
    section: str = ""
    number: str = ""
    kind: str = "paragraph"
    markers: tuple[Marker, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    boxes: tuple[Box, ...] = ()
    part: str = ""
    printed: str = ""
    top: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """An entry of the bibliography. `target` is the id of the cited paper where the source links it, `ids` are printed
    ones by kind in lower case (doi, arxiv, acl, pmid, pmcid, url; `dois`: both readings of a
    DOI, separated by a blank, that a line end leaves open), `raw` is the entry as printed. From a PDF the key is
    the reference's number, counted in print order where the list prints none."""

    key: str
    title: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    target: str = ""
    ids: dict[str, str] = field(default_factory=dict)
    raw: str = ""
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class PageSize:
    """Width and height of a page in points, as it is looked at."""

    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FullPaper:
    """A paper with its text and its references in print order. `paper_id` is the source's own id, "" for none.

    `doi` is empty where none is printed, or none for sure: then `extra[DOUBTFUL_DOIS]` lists what it may be.
    `pages` are the sizes of its pages where the source has pages.
    """

    paper_id: str = ""
    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    venue: str = ""
    year: int | None = None
    doi: str = ""
    paragraphs: tuple[Paragraph, ...] = ()
    references: tuple[Reference, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    line: int = 0
    pages: tuple[PageSize, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """What was not found in it: text blocks, sections, references."""
        return missing_parts(
            has_text=any(each.kind == "paragraph" for each in self.paragraphs),
            has_sections=any(each.section for each in self.paragraphs),
            has_references=bool(self.references),
        )

    @property
    def numbers(self) -> dict[str, str]:
        """The numbers of the references by their keys."""
        keys = (reference.key for reference in self.references)
        return dict(zip(keys, reference_numbers(self.references), strict=True))


@dataclass(frozen=True)
class PaperFormat(Format):
    """A format of papers. Its reader of papers takes two options: `vocabulary`, which returns the collection's words
    with their counts, and `check`, which is called now and then and may raise to stop the work.
    """

    is_one_paper: bool = True  # a file holds one paper, and is kept with it
    is_gold: bool = False  # its papers are `AnnotatedPaper`s: what people marked, not what a machine proposes
    is_read_apart: bool = False  # its reader needs the vocabulary, and guards itself (engines/guarded)
    suffix: str = "xml"  # of the files kept


def paper_format(name: str) -> PaperFormat:
    """The format of papers of this name. Errors: KeyError where it is not installed."""
    found = formats()[name]
    if not isinstance(found, PaperFormat):
        raise KeyError(name)
    return found


def is_gold(name: str) -> bool:
    """Whether papers of this format are gold; not known, and hence not so, of one that is not installed."""
    found = formats().get(name)
    return isinstance(found, PaperFormat) and found.is_gold


def cited_sentences(spans: Iterable[tuple[int, int]], markers: Iterable[Marker]) -> tuple[Sentence, ...]:
    """Return sentences in the order of their (start, end), each with the keys of the markers that begin in it."""
    left = deque(sorted(markers, key=lambda marker: marker.start))
    found = []
    for start, end in spans:
        cites: list[str] = []
        while left and left[0].start < end:
            marker = left.popleft()
            cites.extend(marker.keys if marker.start >= start else ())
        found.append(Sentence(start, end, tuple(cites)))
    return tuple(found)


def missing_parts(*, has_text: bool, has_sections: bool, has_references: bool) -> tuple[str, ...]:
    """What a paper that was read lacks and every paper has, as words to follow "no"."""
    parts = (("text blocks", has_text), ("sections", has_sections), ("references", has_references))
    return tuple(words for words, is_there in parts if not is_there)


def first_year(text: str) -> int | None:
    """Return the year that a date such as 2019-03 begins with."""
    head = text.strip()[:4]
    return int(head) if len(head) == 4 and head.isascii() and head.isdigit() else None


def reference_numbers(references: Sequence[Reference]) -> list[str]:
    """Return the number of each reference: its key where all keys are numbers (as from a PDF), else its place.

    The second work of the entry numbered 5 is 5b.
    """
    keys = [reference.key for reference in references]
    if all(map(_NUMBER, keys)) and len(set(keys)) == len(keys):
        return keys
    return [str(place) for place in range(1, len(keys) + 1)]


def write_blocks(paragraphs: Iterable[Paragraph]) -> list[dict[str, Any]]:
    """Return the blocks of a paper as stored JSON, in reading order; what is empty is left out.

    `id` is the place of a block, from 1, by which contexts name it.
    """
    return [{"id": place, **_filled(asdict(paragraph))} for place, paragraph in enumerate(paragraphs, 1)]


def write_references(references: Sequence[Reference]) -> list[dict[str, Any]]:
    """Return the bibliography as stored JSON; `number` is that of the reference in the extraction."""
    pairs = zip(references, reference_numbers(references), strict=True)
    return [{"number": number, **_filled(asdict(reference))} for reference, number in pairs]


def _filled(value: Any) -> Any:
    """The value without what is empty: "", None, and empty lists and objects; zeros and False stay."""
    if isinstance(value, dict):
        return {name: _filled(inner) for name, inner in value.items() if inner not in ("", None, (), [], {})}
    if isinstance(value, list | tuple):
        return [_filled(inner) for inner in value]
    return value

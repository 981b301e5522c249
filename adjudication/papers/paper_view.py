"""A paper's versions as the adjudicator reads them: paragraph by paragraph, differing words and numbers marked."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from adjudication.papers.papers import PaperCase
from annotation.papers.extractions import docnos_among
from corpus.models import Collection, Document
from engines.definitions.extractions import ExtractedContext, ExtractedReference, ExtractedSentence
from engines.stats.versions import CONTEXT, REFERENCE, SECTION, SENTENCES, Difference, Entry, Paragraph, Variant

WORDS = {
    "ends": "sentence ends",
    "text": "text",
    "markers": "citations",
    "anonymised": "anonymised",
    "missing": "not in all",
    "section": "section",
    "identifier": "identifier",
}
IDENTIFIERS = {  # the words of the extraction screen, static/js/annotation/papers/references.js
    "doi": "DOI",
    "arxiv": "arXiv",
    "pubmed": "PubMed",
    "anthology": "anthology",
    "pdf": "PDF",
    "url": "address",
}
_PIECES = re.compile(r"\s+|\w+|[^\w\s]")

Piece = tuple[str, bool]  # a text, and whether it is marked


@dataclass(frozen=True)
class SentenceView:
    """A sentence in pieces, what it cites with what others do not marked, and whether names were taken out."""

    pieces: tuple[Piece, ...]
    cites: tuple[Piece, ...]
    anonymised: bool


@dataclass(frozen=True)
class Choice:
    """One version of a difference: whose, and what it says. `text` is a section; `reference` with what is known."""

    name: str
    letters: tuple[str, ...]
    is_chosen: bool
    sentences: tuple[SentenceView, ...] = ()
    text: str = ""
    reference: ExtractedReference | None = None
    title: str = ""  # of the document that the reference is, where it is in the collection
    kind: str = ""  # of its identifier, in a word
    is_inside: bool = False
    is_context: bool = True


@dataclass(frozen=True)
class DifferenceView:
    """A difference with its number in the paper. `state` is open, majority, taken or moot (in what is left out)."""

    name: str
    number: int
    kind: str
    marks: tuple[str, ...]
    choices: tuple[Choice, ...]
    state: str


@dataclass(frozen=True)
class PartView:
    """Sentences that all share, or a difference."""

    sentences: tuple[SentenceView, ...]
    difference: DifferenceView | None


@dataclass(frozen=True)
class ParagraphView:
    """A paragraph with its parts; `by_hand` is how the result reads where somebody has edited it."""

    key: str
    id: str
    section: str
    differences: tuple[DifferenceView, ...]  # whether it is a context, its section
    parts: tuple[PartView, ...]
    by_hand: tuple[SentenceView, ...] | None
    is_out: bool
    printed: tuple[str, ...] = ()  # its blocks as the paper was parsed

    @property
    def is_identical(self) -> bool:
        return not self.differences and all(part.difference is None for part in self.parts) and self.by_hand is None


@dataclass(frozen=True)
class EntryView:
    """A reference; `difference` is None where all say the same of it."""

    key: str
    reference: ExtractedReference
    difference: DifferenceView | None
    by_hand: str | None


@dataclass(frozen=True)
class PaperView:
    """All of it, and how far it is decided."""

    paragraphs: tuple[ParagraphView, ...]
    entries: tuple[EntryView, ...]
    total: int
    undecided: int
    added: tuple[tuple[str, tuple[SentenceView, ...]], ...]  # contexts somebody added by hand

    @property
    def decided(self) -> int:
        return self.total - self.undecided

    @property
    def parts(self) -> dict[str, ParagraphView | EntryView]:
        """Everything that has a difference or an edit, by the id it has on the page."""
        differing: list[ParagraphView | EntryView] = [each for each in self.paragraphs if not each.is_identical]
        differing += [each for each in self.entries if each.difference is not None or each.by_hand is not None]
        return {each.key: each for each in differing}


def fetch_paper_view(case: PaperCase) -> PaperView:
    """The paper as it is shown now. Two queries: the documents that references may be, and which are citing papers."""
    comparison = case.comparison
    relevant = {each.name for each in comparison.relevant(case.choices)}
    numbers = {each.name: n for n, each in enumerate(comparison.differences, 1)}
    maker = _ViewMaker(case, relevant, numbers, _documents(case))
    known = {paragraph.context.id for paragraph in comparison.paragraphs}
    added = [each for each in case.result.contexts if each.id not in known]
    return PaperView(
        tuple(maker.paragraph(n, each) for n, each in enumerate(comparison.paragraphs, 1)),
        tuple(maker.entry(n, each) for n, each in enumerate(comparison.entries, 1)),
        len(relevant),
        len(comparison.undecided(case.choices)),
        tuple((each.id, _plain(each.sentences)) for each in added),
    )


class _ViewMaker:
    """The parts of one paper as views."""

    def __init__(
        self, case: PaperCase, relevant: set[str], numbers: Mapping[str, int], documents: Mapping[str, str]
    ) -> None:
        self.case, self.relevant, self.numbers, self.documents = case, relevant, numbers, documents
        self.letters = {side.assignment: side.letter for side in case.sides}
        self.contexts = {each.id: each for each in case.result.contexts}
        self.references = {each.number: each for each in case.result.references}
        blocks = case.item.paper.blocks if case.item.paper else []
        self.blocks = {block["id"]: block.get("text", "") for block in blocks}

    def paragraph(self, n: int, paragraph: Paragraph) -> ParagraphView:
        only = paragraph.presence is not None and len(_holders(paragraph.presence)) == 1
        heads = [each for each in (paragraph.presence, paragraph.section) if each is not None]
        own = f"c:{paragraph.context.id}" in self.case.by_hand
        found = self.contexts.get(paragraph.context.id)
        return ParagraphView(
            key=f"p-{n}",
            id=paragraph.context.id,
            section="" if paragraph.section else paragraph.context.section,
            differences=tuple(self.difference(each, paragraph.context if only else None) for each in heads),
            parts=() if only else tuple(self.part(each.sentences, each.difference) for each in paragraph.passages),
            by_hand=(_plain(found.sentences) if found else ()) if own else None,
            is_out=not paragraph.is_in(self.case.choices),
            printed=tuple(self.blocks[each] for each in paragraph.context.blocks if self.blocks.get(each)),
        )

    def part(self, sentences: Sequence[ExtractedSentence], difference: Difference | None) -> PartView:
        return PartView(_plain(sentences), self.difference(difference) if difference else None)

    def entry(self, n: int, entry: Entry) -> EntryView:
        number = entry.reference.number
        found = self.references.get(number)
        edited = (found.value or "none") if found else "left out"
        own = f"r:{number}" in self.case.by_hand
        difference = self.difference(entry.difference) if entry.difference else None
        return EntryView(f"r-{n}", entry.reference, difference, edited if own else None)

    def difference(self, difference: Difference, whole: ExtractedContext | None = None) -> DifferenceView:
        chosen = difference.chosen(self.case.choices)
        state = "open" if chosen is None else "taken" if difference.name in self.case.choices else "majority"
        choices = [
            self.choice(difference, variant, chosen, whole if variant.says is True else None)
            for variant in difference.variants
        ]
        return DifferenceView(
            difference.name,
            self.numbers[difference.name],
            difference.kind,
            tuple(WORDS[mark] for mark in difference.marks),
            tuple(choices),
            state if difference.name in self.relevant else "moot",
        )

    def choice(
        self, difference: Difference, variant: Variant, chosen: Variant | None, whole: ExtractedContext | None
    ) -> Choice:
        fields: dict[str, Any] = {}
        if difference.kind == SENTENCES:
            fields["sentences"] = tuple(_marked(variant.says, _other(difference, variant).says))
        elif difference.kind == SECTION:
            fields["text"] = variant.says or "no section"
        elif difference.kind == CONTEXT:
            fields |= {"is_context": variant.says, "sentences": _plain(whole.sentences) if whole else ()}
        elif difference.kind == REFERENCE and variant.says is not None:
            title = self.documents.get(variant.says.value or "")
            kind = IDENTIFIERS.get(variant.says.kind, "document" if title is not None else variant.says.kind)
            fields |= {"reference": variant.says, "title": title or "", "kind": kind, "is_inside": title is not None}
        letters = tuple(self.letters[side] for side in variant.sides)
        return Choice(variant.name, letters, chosen is not None and variant.name == chosen.name, **fields)


def _holders(presence: Difference) -> tuple[int, ...]:
    return next(variant.sides for variant in presence.variants if variant.says)


def _other(difference: Difference, variant: Variant) -> Variant:
    """What a version is compared with: the first one; the first itself with the second."""
    first, second = difference.variants[:2]
    return second if variant is first else first


def _plain(sentences: Sequence[ExtractedSentence]) -> tuple[SentenceView, ...]:
    return tuple(
        SentenceView(((each.text, False),), tuple((cite, False) for cite in each.cites), each.anonymised)
        for each in sentences
    )


def _marked(run: Sequence[ExtractedSentence], other: Sequence[ExtractedSentence]) -> Iterator[SentenceView]:
    """The sentences of a run with the words and citations that the other has not."""
    pieces = _marked_pieces([each.text for each in run], [each.text for each in other])
    extra = Counter(cite for each in run for cite in each.cites) - Counter(
        cite for each in other for cite in each.cites
    )
    for place, (sentence, mine) in enumerate(zip(run, pieces, strict=True)):
        own = extra
        if not extra and len(run) == len(other):
            own = Counter(sentence.cites) - Counter(other[place].cites)
        yield SentenceView(mine, tuple((cite, cite in own) for cite in sentence.cites), sentence.anonymised)


def _marked_pieces(texts: Sequence[str], others: Sequence[str]) -> list[tuple[Piece, ...]]:
    if not others or " ".join(texts) == " ".join(others):
        return [((text, False),) for text in texts]
    mine = [_PIECES.findall(text) for text in texts]
    words = [piece for pieces in mine for piece in pieces if not piece.isspace()]
    theirs = [piece for text in others for piece in _PIECES.findall(text) if not piece.isspace()]
    same = set[int]()
    for block in SequenceMatcher(None, words, theirs, autojunk=False).get_matching_blocks():
        same.update(range(block.a, block.a + block.size))
    found, at = [], 0
    for pieces in mine:
        marks = []
        for piece in pieces:
            marks.append(not piece.isspace() and at not in same)
            at += not piece.isspace()
        found.append(tuple(_joined(pieces, marks)))
    return found


def _joined(pieces: Sequence[str], marks: list[bool]) -> Iterator[Piece]:
    """Neighbours of a kind as one piece; blanks between marked words are marked with them."""
    for place in range(1, len(pieces) - 1):
        if pieces[place].isspace():
            marks[place] = marks[place - 1] and marks[place + 1]
    text, marked = "", False
    for piece, mark in zip(pieces, marks, strict=True):
        if mark != marked and text:
            yield text, marked
            text = ""
        text, marked = text + piece, mark
    yield text, marked


def _documents(case: PaperCase) -> dict[str, str]:
    """Titles of the documents of the collection among the identifiers that differ, by docno."""
    values = {
        variant.says.value
        for entry in case.comparison.entries
        if entry.difference is not None
        for variant in entry.difference.variants
        if variant.says is not None and variant.says.value
    }
    collection: Collection = case.item.campaign.collection
    inside = docnos_among(collection, values)
    return dict(Document.objects.filter(collection=collection, docno__in=inside).values_list("docno", "title"))

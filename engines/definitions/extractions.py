"""The content of an extraction of a paper, as plain records and as the JSON of its revisions.

    {"contexts": [{"id": "01", "section": "introduction", "blocks": [4],
                   "sentences": [{"text": "…", "cites": ["3", "4"], "anonymised": false, "original": ""}]}],
     "references": [{"number": "3", "raw": "…", "value": "10.1145/…", "kind": "doi", "candidates": ["…"],
                     "refereed": "", "ambiguous": false, "settled": false}]}

All content is read by `read_content`: what it refuses is never stored. Whether a reference is in the collection is not
stored, because it follows from its value: by the rule of ACM-CR it is when the value equals a docno to the letter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engines.formats.acm_cr import AnnotatedPaper, CitingSentence, Context
from engines.formats.characters import carriable
from engines.wordings import Wording

MOST_CONTEXTS, MOST_SENTENCES, MOST_REFERENCES, MOST_CANDIDATES = 2_000, 1_000, 5_000, 3
MOST_CHARACTERS = 100_000  # of any one text

KINDS = ("doi", "arxiv", "pubmed", "anthology", "pdf", "url", "other", "none")

_DOI = re.compile(r"10\.\d[\d.]*/\S+").fullmatch
_ADDRESSES = (
    ("arxiv", re.compile(r"https?://(?:\w+\.)?arxiv\.org/", re.IGNORECASE)),
    ("pubmed", re.compile(r"https?://(?:\w+\.)*(?:ncbi\.nlm\.nih\.gov|europepmc\.org)/", re.IGNORECASE)),
    ("anthology", re.compile(r"https?://(?:www\.)?(?:aclanthology\.org|aclweb\.org/anthology)", re.IGNORECASE)),
    ("pdf", re.compile(r"https?://\S+\.pdf(?:[?#]\S*)?$", re.IGNORECASE)),
    ("url", re.compile(r"https?://", re.IGNORECASE)),
)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class BadExtraction(Exception):
    """The content is not an extraction; `reason` says what is wrong and where."""

    def __init__(self, reason: Wording) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class ExtractedSentence:
    """A sentence; `cites` are reference numbers, order and repeats kept. `original` is the text before it was
    anonymised or otherwise changed, "" where it is as printed."""

    text: str
    cites: tuple[str, ...] = ()
    anonymised: bool = False
    original: str = ""


@dataclass(frozen=True, slots=True)
class ExtractedContext:
    """A citing paragraph: its id in the paper, its section, and the blocks of the paper it was made from."""

    id: str
    section: str
    sentences: tuple[ExtractedSentence, ...]
    blocks: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractedReference:
    """A reference as numbered in the paper. `value` is its identifier, None for none; `kind` is one of KINDS;
    `candidates` are docnos, or DOIs that registries know, that it may be, best first, for a person to pick from.

    `refereed` is the candidate that is the refereed version of an entry printed as a preprint. `is_ambiguous`: several
    candidates fit equally well, so that none was taken. `is_settled`: a person chose the value, or that there is none.
    """

    number: str
    value: str | None
    raw: str = ""
    kind: str = "none"
    candidates: tuple[str, ...] = ()
    refereed: str = ""
    is_ambiguous: bool = False
    is_settled: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """All that an extraction says of its paper."""

    contexts: tuple[ExtractedContext, ...] = ()
    references: tuple[ExtractedReference, ...] = ()

    @property
    def values(self) -> dict[str, str | None]:
        """The identifier of each reference, by number."""
        return {each.number: each.value for each in self.references}


def statements(content: Content) -> object:
    """What the content states of the paper, for comparisons: without ids, order and blocks of contexts, and without raw
    entries and candidates of references."""
    contexts = Counter(
        (context.section, tuple((each.text, each.cites, each.anonymised) for each in context.sentences))
        for context in content.contexts
    )
    return frozenset(contexts.items()), frozenset(content.values.items())


def kind_of(value: str | None) -> str:
    """The kind (of KINDS) of an identifier, by its form alone."""
    if not value:
        return "none"
    if _DOI(value.strip()):
        return "doi"
    return next((kind for kind, looks in _ADDRESSES if looks.match(value)), "other")


# --- JSON -------------------------------------------------------------------------------------------------------------


def write_content(content: Content) -> dict[str, Any]:
    """Return the JSON of a revision."""
    return {
        "contexts": [
            {
                "id": context.id,
                "section": context.section,
                "blocks": list(context.blocks),
                "sentences": [
                    {
                        "text": sentence.text,
                        "cites": list(sentence.cites),
                        "anonymised": sentence.anonymised,
                        "original": sentence.original,
                    }
                    for sentence in context.sentences
                ],
            }
            for context in content.contexts
        ],
        "references": [
            {
                "number": each.number,
                "raw": each.raw,
                "value": each.value,
                "kind": each.kind,
                "candidates": list(each.candidates),
                "refereed": each.refereed,
                "ambiguous": each.is_ambiguous,
                "settled": each.is_settled,
            }
            for each in content.references
        ],
    }


def read_content(data: object) -> Content:
    """Return the content in the JSON. Raises `BadExtraction` for anything that is not an extraction.

    Two contexts may have the same id (in one paper of the released gold), two references never the same number. Without
    a `kind`, it is that of the value.
    """
    top = _mapping(data, Wording("the extraction"), {"contexts", "references"})
    contexts = _list(top.get("contexts", []), Wording("contexts"), MOST_CONTEXTS)
    references = _list(top.get("references", []), Wording("references"), MOST_REFERENCES)
    content = Content(
        tuple(_context(entry, Wording("context {n}", n=n)) for n, entry in enumerate(contexts, 1)),
        tuple(_reference(entry, Wording("reference {n}", n=n)) for n, entry in enumerate(references, 1)),
    )
    if len(content.values) != len(content.references):
        raise BadExtraction(Wording("two references have the same number"))
    return content


def _context(entry: object, where: Wording) -> ExtractedContext:
    found = _mapping(entry, where, {"id", "section", "blocks", "sentences"})
    blocks = _list(found.get("blocks", []), Wording("{where}, blocks", where=where), MOST_CONTEXTS)
    if not all(type(block) is int for block in blocks):
        raise BadExtraction(Wording("{where}: blocks are numbers", where=where))
    sentences = _list(found.get("sentences", []), Wording("{where}, sentences", where=where), MOST_SENTENCES)
    return ExtractedContext(
        _number(found.get("id"), where),
        _text(found.get("section", ""), where),
        tuple(
            _sentence(each, Wording("{where}, sentence {n}", where=where, n=n)) for n, each in enumerate(sentences, 1)
        ),
        tuple(blocks),
    )


def _sentence(entry: object, where: Wording) -> ExtractedSentence:
    found = _mapping(entry, where, {"text", "cites", "anonymised", "original"})
    cites = _list(found.get("cites", []), Wording("{where}, cites", where=where), MOST_REFERENCES)
    return ExtractedSentence(
        _text(found.get("text", ""), where),
        tuple(_number(cite, where) for cite in cites),
        _flag(found.get("anonymised", False), Wording("{where}: anonymised", where=where)),
        _text(found.get("original", ""), where),
    )


def _reference(entry: object, where: Wording) -> ExtractedReference:
    known = {"number", "raw", "value", "kind", "candidates", "refereed", "ambiguous", "settled"}
    found = _mapping(entry, where, known)
    value = found.get("value")
    value = None if value is None else _text(value, where)
    kind = found.get("kind") or kind_of(value)
    if kind not in KINDS:
        raise BadExtraction(Wording("{where}: the kind is one of {kinds}", where=where, kinds=", ".join(KINDS)))
    candidates = _list(found.get("candidates", []), Wording("{where}, candidates", where=where), MOST_CANDIDATES)
    return ExtractedReference(
        _number(found.get("number"), where),
        value,
        _text(found.get("raw", ""), where),
        kind,
        tuple(_text(each, where) for each in candidates),
        _text(found.get("refereed", ""), where),
        _flag(found.get("ambiguous", False), Wording("{where}: ambiguous", where=where)),
        _flag(found.get("settled", False), Wording("{where}: settled", where=where)),
    )


def _flag(value: object, what: Wording) -> bool:
    if not isinstance(value, bool):
        raise BadExtraction(Wording("{what} is true or false", what=what))
    return value


def _mapping(value: object, where: Wording, known: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadExtraction(Wording("{where} is not an object", where=where))
    if unknown := sorted(set(value) - known):
        raise BadExtraction(Wording("{where} has the unknown field “{field}”", where=where, field=unknown[0]))
    return value


def _list(value: object, where: Wording, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise BadExtraction(Wording("{where}: a list is expected", where=where))
    if len(value) > most:
        raise BadExtraction(Wording("{where}: more than {most} entries", where=where, most=most))
    return value


def _text(value: object, where: Wording) -> str:
    """A text; characters that our files cannot carry become spaces."""
    if not isinstance(value, str):
        raise BadExtraction(Wording("{where}: a text is expected, not {value}", where=where, value=repr(value)[:40]))
    if len(value) > MOST_CHARACTERS:
        raise BadExtraction(
            Wording("{where}: a text of more than {most} characters", where=where, most=MOST_CHARACTERS)
        )
    if _UNSTORABLE.search(value):
        raise BadExtraction(Wording("{where}: a text holds a character that cannot be stored", where=where))
    return carriable(value)


def _number(value: object, where: Wording) -> str:
    """An id of a context or a reference: a short text without blanks and commas, which separate them in files."""
    text = _text(value, where)
    if not text or len(text) > 40 or any(char.isspace() or char == "," for char in text):
        raise BadExtraction(
            Wording(
                "{where}: {text} cannot be a number; numbers are short and have no spaces or commas",
                where=where,
                text=repr(text)[:60],
            )
        )
    return text


# --- ACM-CR -----------------------------------------------------------------------------------------------------------


def content_of_gold(paper: AnnotatedPaper) -> Content:
    """Return the content of an ACM-CR file. Raises `BadExtraction` where it cannot be stored."""
    contexts = tuple(
        ExtractedContext(
            context.number,
            context.section,
            tuple(ExtractedSentence(each.text, each.cites, each.anonymised) for each in context.sentences),
        )
        for context in paper.contexts
    )
    references = tuple(
        ExtractedReference(number, value, kind=kind_of(value)) for number, value in paper.references.items()
    )
    return read_content(write_content(Content(contexts, references)))


def gold_of_content(content: Content, *, doi: str, title: str, abstract: str, file: str = "") -> AnnotatedPaper:
    """Return the extraction as an ACM-CR paper."""
    contexts = tuple(
        Context(
            context.id,
            context.section,
            tuple(CitingSentence(each.text, each.cites, each.anonymised) for each in context.sentences),
        )
        for context in content.contexts
    )
    return AnnotatedPaper(doi, carriable(title), carriable(abstract), contexts, content.values, file)


def with_unexported_parts(corrected: Content, before: Content) -> Content:
    """Return a content that was exported as ACM-CR XML and corrected, with what the format cannot carry: the blocks of
    contexts, raw entries and candidates of references, and the originals of sentences that have not changed."""
    blocks = {context.id: context.blocks for context in before.contexts}
    references = {each.number: each for each in before.references}
    originals = {sentence.text: sentence.original for context in before.contexts for sentence in context.sentences}
    contexts = tuple(
        replace(
            context,
            blocks=blocks.get(context.id, ()),
            sentences=tuple(replace(each, original=originals.get(each.text, "")) for each in context.sentences),
        )
        for context in corrected.contexts
    )
    entries = tuple(
        replace(references[each.number], value=each.value, kind=each.kind) if each.number in references else each
        for each in corrected.references
    )
    return Content(contexts, entries)


# --- checks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finding:
    """Something in an extraction that a person should check before it is finished."""

    rule: str  # "dangling", "empty", "double", "uncited"
    text: Wording


def findings_of(content: Content) -> list[Finding]:
    """Return what a person should check: dangling citations, empty sentences and contexts, double identifiers."""
    found = [finding for context in content.contexts for finding in _findings_in(context, content.values)]
    seen: dict[str, list[str]] = {}
    for reference in content.references:
        if reference.value:
            seen.setdefault(reference.value, []).append(reference.number)
    doubles = [(value, numbers) for value, numbers in seen.items() if len(numbers) > 1]
    return found + [
        Finding("double", Wording("References {numbers} share {value}.", numbers=", ".join(numbers), value=value))
        for value, numbers in doubles
    ]


def _findings_in(context: ExtractedContext, known: Mapping[str, str | None]) -> Iterator[Finding]:
    if not context.sentences:
        yield Finding("empty", Wording("Context {id} has no sentence.", id=context.id))
    elif not any(sentence.cites for sentence in context.sentences):
        yield Finding("uncited", Wording("Context {id} cites nothing.", id=context.id))
    for n, sentence in enumerate(context.sentences, 1):
        where = Wording("Context {id}, sentence {n}", id=context.id, n=n)
        if not sentence.text.strip():
            yield Finding("empty", Wording("{where} is empty.", where=where))
        if dangling := [cite for cite in dict.fromkeys(sentence.cites) if cite not in known]:
            cited = ", ".join(dangling)
            yield Finding(
                "dangling", Wording("{where} cites {cited}, not in the references.", where=where, cited=cited)
            )

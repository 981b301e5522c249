"""The machine's proposal: the extraction that a parsed paper suggests, for a person to confirm and correct.

Contexts are the citing paragraphs of introduction and related work (Boudin, JCDL 2021, section 2), as
`engines.pdf.sections` decides them. References have the first of: a docno, a DOI, an arXiv, PubMed or anthology
address, the address of a PDF, any other address, none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engines.definitions.extractions import (
    MOST_CANDIDATES,
    Content,
    ExtractedContext,
    ExtractedReference,
    ExtractedSentence,
    kind_of,
)
from engines.endpoints.registries import Registered
from engines.formats.papers import FullPaper, Paragraph, Reference, Sentence
from engines.pdf.sections import PROPOSED

ALL_SECTIONS = "all"

_ADDRESSES = (
    ("doi", ""),
    ("arxiv", "https://arxiv.org/abs/"),
    ("pmid", "https://pubmed.ncbi.nlm.nih.gov/"),
    ("pmcid", "https://www.ncbi.nlm.nih.gov/pmc/articles/"),
    ("acl", "https://aclanthology.org/"),
    ("url", ""),
)


@dataclass(frozen=True, slots=True)
class Link:
    """The document of a reference: its `docno` where that is certain enough, and docnos to choose from.

    `doi` is that of a work outside the collection, from a registry of publications. `refereed` is the docno, else the
    DOI, of the refereed version of a reference printed as a preprint; `is_ambiguous`: several works fit equally well.
    `works` are the registries' data of candidates that are DOIs.
    """

    docno: str = ""
    candidates: tuple[str, ...] = ()
    doi: str = ""
    refereed: str = ""
    is_ambiguous: bool = False
    works: tuple[Registered, ...] = ()


def propose(paper: FullPaper, links: Mapping[str, Link], sections: Sequence[str] = ()) -> Content:
    """Return the proposal. `links` are by the references' keys.

    `sections` are words in headings of further sections whose paragraphs count, or ALL_SECTIONS; those contexts have no
    section, as ACM-CR has only two. Sentences are anonymised as the parser proposes; `original` is the printed text.
    """
    numbers = paper.numbers
    contexts: list[ExtractedContext] = []
    named = {each.number.rstrip("."): each.section for each in paper.paragraphs if each.number}
    for place, paragraph in enumerate(paper.paragraphs, 1):
        is_proposed = paragraph.part in PROPOSED or _is_in(paragraph, named, sections)
        if paragraph.kind != "paragraph" or not is_proposed:
            continue
        sentences = tuple(_sentence(paragraph, each, numbers) for each in _sentences(paragraph))
        if any(sentence.cites for sentence in sentences):
            contexts.append(ExtractedContext(f"{len(contexts) + 1:02}", paragraph.part, sentences, (place,)))
    references = (_reference(each, numbers[each.key], links.get(each.key, Link())) for each in paper.references)
    return Content(tuple(contexts), tuple(references))


def _is_in(paragraph: Paragraph, named: Mapping[str, str], sections: Sequence[str]) -> bool:
    """Whether the heading of its section, or of a section around that (4.2 is in 4), has one of these words."""
    levels = paragraph.number.rstrip(".").split(".")
    around = (named.get(".".join(levels[:depth]), "") for depth in range(1, len(levels)))
    headings = [heading.casefold() for heading in (paragraph.section, *around)]
    return any(name == ALL_SECTIONS or name in heading for name in map(str.casefold, sections) for heading in headings)


def _sentences(paragraph: Paragraph) -> Sequence[Sentence]:
    if paragraph.sentences:
        return paragraph.sentences
    cites = tuple(key for marker in paragraph.markers for key in marker.keys)
    return (Sentence(0, len(paragraph.text), cites),)


def _sentence(paragraph: Paragraph, sentence: Sentence, numbers: Mapping[str, str]) -> ExtractedSentence:
    text = paragraph.text[sentence.start : sentence.end]
    cites = tuple(numbers[key] for key in sentence.cites if key in numbers)
    if sentence.anonymised and sentence.anonymised != text:
        cites = tuple(numbers[key] for key in sentence.anonymised_cites or sentence.cites if key in numbers)
        return ExtractedSentence(sentence.anonymised, cites, anonymised=True, original=text)
    return ExtractedSentence(text, cites)


def _reference(reference: Reference, number: str, link: Link) -> ExtractedReference:
    value = link.docno or _address(reference.ids.items()) or link.doi or None
    first = [each for each in (link.docno, link.refereed) if each]
    either = reference.ids.get("dois", "").split()
    if link.docno or link.doi in either:
        either = []
    candidates = tuple(dict.fromkeys((*first, *either, *link.candidates)))[:MOST_CANDIDATES]
    is_open = bool(either) or (link.is_ambiguous and not link.docno)
    return ExtractedReference(number, value, _raw(reference), kind_of(value), candidates, link.refereed, is_open)


def _address(ids: Iterable[tuple[str, str]]) -> str | None:
    """The best of the printed identifiers, as an address unless it is a DOI."""
    found = dict(ids)
    for kind, prefix in _ADDRESSES:
        if found.get(kind):
            value = found[kind]
            return value if not prefix or value.startswith("http") else prefix + value
    return None


def _raw(reference: Reference) -> str:
    """The entry as printed, or composed of its parts."""
    if reference.raw:
        return reference.raw
    year = str(reference.year) if reference.year else ""
    return ". ".join(filter(None, ["; ".join(reference.authors), reference.title, reference.venue, year]))

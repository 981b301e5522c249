"""Documents and registered publications that references of a paper may be: all at once, or one that is searched for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from annotation.papers.extractions import with_inside
from corpus.documents.finding import titled_alike
from corpus.documents.similar import similar_documents
from corpus.models import Collection, Document, Paper
from engines.definitions.block_contexts import stored_references
from engines.definitions.proposals import Link
from engines.endpoints.registries import Registered
from engines.formats.papers import Reference
from engines.pdf.linking import Candidate, compare, link, registered_candidate
from engines.pdf.titles import TitleIndex, Work, surname_key
from engines.text.words import title_key

MOST_FOUND = 3  # documents, and registered publications, shown for one reference
MOST_COMPARED = 20  # documents with the words of a title, the most similar first
MOST_EXACT = 2_000  # documents with all words of any of the titles
OTHER_YEAR, OTHER_NUMBER = 10, 15  # of 100 for equal titles: what a distant year, or another number, takes away

_ARXIV = re.compile(r"https?://arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})").match
_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")

Match = tuple[Candidate, Document | Registered]


def title_index(collection: Collection) -> TitleIndex:
    """The titles of the collection's documents, streamed: some seconds and 50 MB for 100,000 documents."""
    return TitleIndex(_works(collection))


def _works(collection: Collection) -> Iterator[Work]:
    rows = Document.objects.filter(collection=collection).order_by("pk")
    fields = rows.values_list("docno", "title", "authors", "year", "doi", "url")
    for docno, title, authors, year, doi, url in fields.iterator(chunk_size=5_000):
        yield Work(docno, title, tuple(authors), year, doi or _arxiv_doi(url))


def _arxiv_doi(url: str) -> str:
    """The DOI of a paper at an address of arXiv; "" for another address."""
    found = _ARXIV(url)
    return f"10.48550/arxiv.{found[1]}" if found else ""


def link_references(references: Iterable[Reference], index: TitleIndex) -> Mapping[str, Link]:
    """The link of each reference by its key, where there is a document that it is or may be.

    The refereed version of a reference that is printed as a preprint, and documents with the same title, are only
    candidates: a person picks one.
    """
    found: dict[str, Link] = {}
    for each in (link(reference, index) for reference in references):
        others = [candidate.docno for candidate in each.candidates]
        candidates = tuple(dict.fromkeys(filter(None, (each.docno, each.refereed, *others))))
        if candidates:
            found[each.key] = Link(each.docno, candidates, refereed=each.refereed, is_ambiguous=each.is_ambiguous)
    return found


def reference_of_words(words: str) -> Reference:
    """The reference in words that somebody typed: a title, perhaps with a year."""
    years = _YEAR.findall(words)
    return Reference(key="", title=" ".join(_YEAR.sub(" ", words).split()), year=int(years[-1]) if years else None)


def references_of(paper: Paper) -> Mapping[str, Reference]:
    """The entries of the paper's bibliography, by the numbers that extractions use."""
    return {each.key: each for each in stored_references(paper.references)}


def find_documents(collection: Collection, reference: Reference) -> list[Match]:
    """The documents that share words with the reference's title (else with the whole entry), nearest first.

    Words that somebody typed are seldom a whole title: their documents are ranked by BM25, those of the year first.
    """
    words = reference.title or reference.raw
    hits = similar_documents(collection, words, size=MOST_COMPARED).hits
    documents = with_inside(Document.objects.filter(pk__in=[hit.pk for hit in hits]))
    found = [(compare(reference, _work_of(each)), each) for each in documents]
    places = {hit.pk: place for place, hit in enumerate(hits)}
    is_typed = not reference.key
    found.sort(key=lambda pair: (pair[0].year_apart != 0 if is_typed else _rank(pair[0]), places[pair[1].pk]))
    return list(found[:MOST_FOUND])


def fitting_works(reference: Reference, works: Iterable[Registered]) -> list[Match]:
    """The publications that registries found for a reference, each DOI once, nearest first."""
    by_doi = {each.doi: each for each in works if each.doi}
    found = [(registered_candidate(reference, each), each) for each in by_doi.values()]
    return list(sorted(found, key=lambda pair: _rank(pair[0]))[:MOST_FOUND])


def exact_documents(collection: Collection, references: Sequence[Reference]) -> dict[str, Match]:
    """By the keys of references: the document whose title is that of the reference to the letter, if only one fits.

    A reference to a preprint is no exact match of the refereed version. One query for any number of references.
    """
    titled = [each for each in references if title_key(each.title)]
    if not titled:
        return {}
    entries = titled_alike(collection, [each.title for each in titled], most=MOST_EXACT)
    rows = with_inside(Document.objects.filter(pk__in=entries))
    documents = {each.docno: each for each in rows}
    index = TitleIndex(_work_of(each) for each in documents.values())
    found = {}
    for reference in titled:
        document = documents.get(link(reference, index).docno)
        if document and title_key(document.title) == title_key(reference.title):
            found[reference.key] = (compare(reference, _work_of(document)), document)
    return found


def _rank(candidate: Candidate) -> int:
    """A rank that is lower for nearer titles; another number in the title, and distant years, raise it."""
    years = candidate.year_apart if candidate.year_apart is not None else OTHER_YEAR // 2
    return min(years, OTHER_YEAR) + OTHER_NUMBER * candidate.has_other_number - round(candidate.score)


def _work_of(document: Document) -> Work:
    names = tuple(surname_key(name) for name in document.authors)
    return Work(document.docno, document.title, names, document.year, document.doi)

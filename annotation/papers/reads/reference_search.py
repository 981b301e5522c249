"""Looking references up while somebody works on a paper: by title and year, one alone or all at once."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_

from django.contrib.postgres.search import SearchQuery

from annotation.definitions.block_contexts import stored_references
from annotation.papers.reads.extractions import with_inside
from corpus.documents.similar import similar_documents
from corpus.endpoints.registries import Registered
from corpus.formats.papers import Reference
from corpus.models import Collection, Document, Paper, SearchEntry
from corpus.pdf.linking import Candidate, compare, link, registered_candidate
from corpus.pdf.titles import TitleIndex, Work, surname_key
from corpus.text.words import title_key

MOST_FOUND = 3  # documents, and registered publications, shown for one reference
MOST_COMPARED = 20  # documents with the words of a title, the most similar first
MOST_EXACT = 2_000  # documents with all words of any of the titles
OTHER_YEAR, OTHER_NUMBER = 10, 15  # of 100 for equal titles: what a distant year, or another number, takes away

_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")

Found = tuple[Candidate, Document | Registered]


def reference_of_words(words: str) -> Reference:
    """Words that somebody typed, as a reference: a title, and the year among them."""
    years = _YEAR.findall(words)
    return Reference(key="", title=" ".join(_YEAR.sub(" ", words).split()), year=int(years[-1]) if years else None)


def references_of(paper: Paper) -> Mapping[str, Reference]:
    """The entries of the paper's bibliography, by the numbers that extractions use."""
    return {each.key: each for each in stored_references(paper.references)}


def find_documents(collection: Collection, reference: Reference) -> list[Found]:
    """The documents that share words with the reference's title (else with all of the entry), nearest first.

    Words that somebody typed are seldom a whole title: those documents come as BM25 ranks them, of the year first.
    """
    words = reference.title or reference.raw
    hits = similar_documents(collection, words, size=MOST_COMPARED).hits
    documents = with_inside(Document.objects.filter(pk__in=[hit.pk for hit in hits]))
    found = [(compare(reference, _work(each)), each) for each in documents]
    places = {hit.pk: place for place, hit in enumerate(hits)}
    is_typed = not reference.key
    found.sort(key=lambda pair: (pair[0].year_apart != 0 if is_typed else _rank(pair[0]), places[pair[1].pk]))
    return list(found[:MOST_FOUND])


def fitting_works(reference: Reference, works: Iterable[Registered]) -> list[Found]:
    """What registries found for a reference, each DOI once, nearest first."""
    by_doi = {each.doi: each for each in works if each.doi}
    found = [(registered_candidate(reference, each), each) for each in by_doi.values()]
    return list(sorted(found, key=lambda pair: _rank(pair[0]))[:MOST_FOUND])


def exact_documents(collection: Collection, references: Sequence[Reference]) -> dict[str, Found]:
    """For each reference that one document alone fits, title to the letter: that document. By the references' keys.

    What the reference names as a preprint is no exact match of its refereed version. One query, whatever the number.
    """
    titled = [each for each in references if title_key(each.title)]
    if not titled:
        return {}
    query = reduce(or_, (SearchQuery(each.title, config="english") for each in titled))
    entries = SearchEntry.objects.filter(collection=collection, vector=query)
    rows = with_inside(Document.objects.filter(pk__in=entries.values("document")[:MOST_EXACT]))
    documents = {each.docno: each for each in rows}
    index = TitleIndex(_work(each) for each in documents.values())
    found = {}
    for reference in titled:
        document = documents.get(link(reference, index).docno)
        if document and title_key(document.title) == title_key(reference.title):
            found[reference.key] = (compare(reference, _work(document)), document)
    return found


def _rank(candidate: Candidate) -> int:
    """Nearest title first; another number in it, and each of up to ten years apart, put it back."""
    years = candidate.year_apart if candidate.year_apart is not None else OTHER_YEAR // 2
    return min(years, OTHER_YEAR) + OTHER_NUMBER * candidate.has_other_number - round(candidate.score)


def _work(document: Document) -> Work:
    names = tuple(surname_key(name) for name in document.authors)
    return Work(document.docno, document.title, names, document.year, document.doi)

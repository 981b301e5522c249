"""Which documents of a collection the references of a paper may be."""

import re
from collections.abc import Iterable, Iterator, Mapping

from annotation.definitions.proposals import Link
from corpus.formats.papers import Reference
from corpus.models import Collection, Document
from corpus.pdf.linking import link
from corpus.pdf.titles import TitleIndex, Work

_ARXIV = re.compile(r"https?://arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})").match


def title_index(collection: Collection) -> TitleIndex:
    """The titles of the collection's documents, streamed: some seconds and 50 MB for 100,000 documents."""
    return TitleIndex(_works(collection))


def _works(collection: Collection) -> Iterator[Work]:
    rows = Document.objects.filter(collection=collection).order_by("pk")
    fields = rows.values_list("docno", "title", "authors", "year", "doi", "url")
    for docno, title, authors, year, doi, url in fields.iterator(chunk_size=5_000):
        yield Work(docno, title, tuple(authors), year, doi or _arxiv_doi(url))


def _arxiv_doi(url: str) -> str:
    """The DOI that arXiv gives to what lies at an address of its own."""
    found = _ARXIV(url)
    return f"10.48550/arxiv.{found[1]}" if found else ""


def link_references(references: Iterable[Reference], index: TitleIndex) -> Mapping[str, Link]:
    """The link of each reference by its key, where there is a document it is or may be.

    A refereed version of what the reference prints as a preprint, and documents that share one title, are candidates
    only: a person picks.
    """
    found: dict[str, Link] = {}
    for each in (link(reference, index) for reference in references):
        others = [candidate.docno for candidate in each.candidates]
        candidates = tuple(dict.fromkeys(filter(None, (each.docno, each.refereed, *others))))
        if candidates:
            found[each.key] = Link(each.docno, candidates, refereed=each.refereed, is_ambiguous=each.is_ambiguous)
    return found

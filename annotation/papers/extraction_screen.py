"""The data of the extraction screen: a paper, and one person's work on it."""

import re
from collections.abc import Iterable
from typing import Any

from django.db.models import Q

from accounts.languages import translated
from annotation.models import Extraction, ExtractionRevision, Guideline
from annotation.papers.extractions import content_of, docnos_among, with_inside
from annotation.papers.references import Match
from annotation.papers.section_reasons import reason_in_words
from corpus.models import Document, Paper
from engines.definitions.block_contexts import numbers_by_key, readings_of
from engines.definitions.extractions import Content, findings_of, write_content
from engines.definitions.paper_sections import citing_sections
from engines.pdf.linking import differing_words

_BRACKETED = re.compile(r"\[\s*\d").match
SHOWN_KINDS = ("paragraph", "footnote", "caption", "heading", "table")


def extraction_data(
    extraction: Extraction, content: Content | None = None, *, with_content: bool = True
) -> dict[str, Any]:
    """The extraction as it is now, as in every answer to the screen. Four queries.

    After a save the screen has the content already, and a long one is not sent back.
    """
    content = content or content_of(extraction)
    near = Q(number=extraction.current) | Q(parent=extraction.current)
    revisions = ExtractionRevision.objects.filter(near, extraction=extraction)
    found = list(revisions.values_list("number", "parent"))
    state = {
        "revision": extraction.current,
        "state": extraction.state,
        "inside": sorted(docnos_among(extraction.paper.collection, content.values.values())),
        "findings": [{"rule": each.rule, "text": translated(each.text)} for each in findings_of(content)],
        "undo": any(number == extraction.current and parent is not None for number, parent in found),
        "redo": any(parent == extraction.current for _, parent in found),
    }
    return {**state, "content": write_content(content)} if with_content else state


def newest_guideline(extraction: Extraction) -> Guideline | None:
    """The present guideline of the campaign of an annotator's or of an adjudicated extraction."""
    if extraction.assignment_id is None:
        return Guideline.objects.filter(campaign=extraction.campaign_id).first()
    return Guideline.objects.filter(campaign__items__assignments=extraction.assignment_id).first()


def paper_data(paper: Paper, content: Content) -> dict[str, Any]:
    """The paper's blocks, pages and the documents that its references may be. One query.

    `lines` of a block count the letters and digits of each line as printed, so that the screen can find a sentence on
    the page; `entries` are the boxes of the bibliography's entries by number, in points.
    """
    return {
        "blocks": [_block(block) for block in paper.blocks if block.get("kind", "paragraph") in SHOWN_KINDS],
        "pages": paper.pages if paper.is_pdf and paper.file.name else [],
        "entries": {entry["number"]: entry["boxes"] for entry in paper.references if "boxes" in entry},
        "documents": _documents(paper, content),
        "markers": _named_markers(paper),
        "sections": [
            {
                "heading": section.heading,
                "top": section.top,
                "part": section.part,
                "reason": reason_in_words(section.reason),
                "blocks": [block["id"] for block in section.blocks],
            }
            for section in citing_sections(paper.blocks)
        ],
        "readings": readings_data(paper, _texts(content)),
    }


def readings_data(paper: Paper, texts: Iterable[str]) -> dict[str, dict[str, Any] | None]:
    """The proposal for each sentence, by its text; None where there is none."""
    found = readings_of(texts, paper.blocks, paper.references)
    return {text: reading if reading["anonymised"] else None for text, reading in found.items()}


def _texts(content: Content) -> set[str]:
    """The sentences that can be anonymised: as they are, or as they were before names were removed."""
    sentences = (sentence for context in content.contexts for sentence in context.sentences)
    return {each.original if each.anonymised and each.original else each.text for each in sentences}


def _named_markers(paper: Paper) -> dict[str, list[str]]:
    """The markers that name authors, as printed, with the numbers of their references."""
    numbers = numbers_by_key(paper.references)
    markers = (marker for block in paper.blocks for marker in block.get("markers", ()))
    return {
        marker["text"]: [numbers[key] for key in marker.get("keys", ()) if key in numbers]
        for marker in markers
        if marker.get("text") and not _BRACKETED(marker["text"])
    }


def _block(block: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": "paragraph"}
    for key in ("id", "kind", "section", "top", "part", "text", "boxes"):
        if key in block:
            shown[key] = block[key]
    if "boxes" in block and "printed" in block:
        shown["lines"] = [sum(map(str.isalnum, line)) for line in block["printed"].splitlines()]
    return shown


def _documents(paper: Paper, content: Content) -> dict[str, dict[str, Any]]:
    """The known data of each candidate and each chosen document, from the collection or from registries.

    `pieces`, by the number of a reference that may be this document: its title as (text, whether the entry lacks it).
    """
    shown = {**_registered(paper), **_in_collection(paper, content)}
    titles = {entry["number"]: entry.get("title", "") for entry in paper.references}
    for each in content.references:
        printed = titles.get(each.number) or each.raw
        for docno in each.candidates:
            if docno in shown and printed:
                pieces = shown[docno].setdefault("pieces", {})
                pieces[each.number] = title_pieces(shown[docno]["title"], printed)
    return shown


def _in_collection(paper: Paper, content: Content) -> dict[str, dict[str, Any]]:
    docnos = {docno for each in content.references for docno in (*each.candidates, each.value) if docno}
    documents = Document.objects.filter(collection=paper.collection_id, docno__in=docnos)
    rows = with_inside(documents.only("collection", "docno", "title", "authors", "year", "venue"))
    return {row.docno: _document_json(row.title, row.authors, row.year, row.venue, inside=row.inside) for row in rows}


def _registered(paper: Paper) -> dict[str, dict[str, Any]]:
    works = (work for entry in paper.references for work in entry.get("registered", ()))
    return {
        work["doi"]: _document_json(work["title"], work["authors"], work["year"], work["venue"], inside=False)
        for work in works
    }


def _document_json(title: str, authors: list[str], year: int | None, venue: str, *, inside: bool) -> dict[str, Any]:
    return {"title": title, "authors": authors[:6], "year": year, "venue": venue, "inside": inside}


def found_json(number: str, printed: str, matches: Iterable[Match]) -> tuple[list[str], dict[str, dict[str, Any]]]:
    """Docnos (or DOIs) of the matches of a reference, and the data of each for the screen."""
    documents = {}
    for candidate, each in matches:
        inside = getattr(each, "inside", False)  # a registered publication is outside
        shown = _document_json(each.title, list(each.authors), each.year, each.venue, inside=inside)
        if not isinstance(each, Document):
            shown["source"] = "registry"
        pieces = {number: title_pieces(each.title, printed)} if printed else {}
        documents[candidate.docno] = {**shown, "pieces": pieces}
    return list(documents), documents


def title_pieces(title: str, printed: str) -> list[tuple[str, bool]]:
    """A title in pieces: (text, whether the printed entry lacks these words)."""
    pieces: list[tuple[str, bool]] = []
    done = 0
    for start, end in differing_words(title, printed):
        pieces += [(title[done:start], False), (title[start:end], True)]
        done = end
    return [piece for piece in (*pieces, (title[done:], False)) if piece[0]]

"""What the extraction screen shows of a paper and of one person's work on it."""

from typing import Any

from django.db.models import Q

from annotation.definitions.extractions import Content, findings_of, write_content
from annotation.models import Extraction, ExtractionRevision
from annotation.queries.extractions import content_of, docnos_among
from corpus.models import Document, Paper
from corpus.text.words import tokens

SHOWN_KINDS = ("paragraph", "footnote", "caption", "heading", "table")


def desk_state(extraction: Extraction, content: Content | None = None) -> dict[str, Any]:
    """The extraction as it is now: what every answer to the screen says. Four queries."""
    content = content or content_of(extraction)
    steps = ExtractionRevision.objects.filter(extraction=extraction)
    here = steps.filter(Q(number=extraction.current) | Q(parent=extraction.current)).values_list("number", "parent")
    found = list(here)
    return {
        "revision": extraction.current,
        "state": extraction.state,
        "content": write_content(content),
        "inside": sorted(docnos_among(extraction.paper.collection, content.values.values())),
        "findings": [{"rule": each.rule, "text": each.text} for each in findings_of(content)],
        "undo": any(number == extraction.current and parent is not None for number, parent in found),
        "redo": any(parent == extraction.current for _, parent in found),
    }


def desk_paper(paper: Paper, content: Content) -> dict[str, Any]:
    """The paper's blocks, pages and the documents that its references may be. One query."""
    return {
        "blocks": [_block(block) for block in paper.blocks if block.get("kind", "paragraph") in SHOWN_KINDS],
        "pages": paper.pages if paper.source == "pdf" and paper.file.name else [],
        "documents": _documents(paper, content),
    }


def _block(block: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"kind": "paragraph"}
    for key in ("id", "kind", "section", "part", "text", "boxes"):
        if key in block:
            shown[key] = block[key]
    return shown


def _documents(paper: Paper, content: Content) -> dict[str, dict[str, Any]]:
    """What is known of each candidate and each document chosen, with the words of its title that the entry lacks."""
    wanted = {docno for each in content.references for docno in (*each.candidates, each.value) if docno}
    rows = Document.objects.filter(collection=paper.collection_id, docno__in=wanted)
    found = {row.docno: row for row in rows.only("docno", "title", "authors", "year", "venue")}
    shown: dict[str, dict[str, Any]] = {
        docno: {"title": row.title, "authors": row.authors[:6], "year": row.year, "venue": row.venue}
        for docno, row in found.items()
    }
    for each in content.references:
        words = set(tokens(each.raw))
        for docno in each.candidates:
            if docno in found:
                differing = [word for word in tokens(found[docno].title) if word not in words]
                shown[docno].setdefault("differing", {})[each.number] = differing
    return shown

"""Documents in the layout of LitSearch's `corpus_s2orc`: one text with spans by kind, in columns (formats.md 8.2).

A document's full text is the text, as far as its title, authors, venue and abstract are found in it, word by word. Else
these stand before it. Its citations follow as references, matched with the documents. Which part is the full text is
marked by our own kind of span, so that the file comes back as it was; S2ORC has no place for keywords, year and
url, which have separate columns.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from engines.extras import require
from engines.formats.litsearch_parquet import written_rows
from engines.formats.records import DocumentRecord
from engines.formats.s2orc_spans import FULL_TEXT

IDS = ("acl", "arxiv", "dblp", "doi", "mag", "pubmed", "pubmedcentral")
KINDS = (
    *("abstract", "author", "authoraffiliation", "authorfirstname", "authorlastname"),
    *("bibauthor", "bibauthorfirstname", "bibauthorlastname", "bibentry", "bibref", "bibtitle", "bibvenue"),
    *("figure", "figurecaption", "figureref", "formula", "paragraph", "publisher", "sectionheader"),
    *("table", "tableref", "title", "venue"),
)
GAP = "\n\n"  # between what is written before and after a full text
_EMPTY_LINES = re.compile(r"\n\s*\n")

Span = dict[str, Any]
Spans = dict[str, list[Span]]


def write_s2orc_parquet(documents: Iterable[DocumentRecord], *, whole: bool) -> Iterator[bytes]:
    """Yield the bytes of a parquet file of documents in the columns of LitSearch's corpus_s2orc, and three more.

    `whole` says that every docno is a whole number, as LitSearch has them; else `corpusid` is a column of texts.
    Line breaks within titles and abstracts come back as blanks, as with every file of this layout.
    """
    require("pyarrow")
    import pyarrow as pa

    def texts(*names: str) -> Any:
        return pa.struct([(name, pa.string()) for name in names])

    open_access = texts("license", "openaccessurl", "status")
    source = pa.struct([("pdfurls", pa.list_(pa.string())), ("pdfsha", pa.string()), ("oainfo", open_access)])
    content = pa.struct([("source", source), ("text", pa.string()), ("annotations", texts(*KINDS, FULL_TEXT))])
    layout = {"corpusid": pa.int64() if whole else pa.string(), "externalids": texts(*IDS), "content": content}
    ours = {"keywords": pa.list_(pa.string()), "year": pa.int64(), "url": pa.string()}
    schema = pa.schema(layout | {"updated": pa.string()} | ours)
    return written_rows((_row(document, whole=whole) for document in documents), schema)


def _row(document: DocumentRecord, *, whole: bool) -> dict[str, Any]:
    known = document.extra.get("externalids")
    ids = {**(known if isinstance(known, dict) else {}), "doi": document.doi or None}
    text, spans = _annotated(document)
    updated = document.extra.get("updated")
    return {
        "corpusid": int(document.docno) if whole else document.docno,
        "externalids": {name: None if ids.get(name) is None else str(ids[name]) for name in IDS},
        "content": {"text": text, "annotations": {kind: json.dumps(found) for kind, found in spans.items()}},
        "updated": updated if isinstance(updated, str) else None,
        "keywords": list(document.keywords),
        "year": document.year,
        "url": document.url,
    }


def _annotated(document: DocumentRecord) -> tuple[str, Spans]:
    """The text of a document and its spans, in code points."""
    body = document.full_text or ""
    parts = [("title", document.title), ("venue", document.venue), ("abstract", document.abstract)]
    parts += [("author", author) for author in document.authors]
    parts = [(kind, part) for kind, part in parts if part.strip()]
    head, spans = "", _find(parts, body)
    if spans is None:
        head, spans = _set_before(parts)
        head += GAP if body else ""
    before = len(head)
    spans[FULL_TEXT] = [_span(before, before + len(body))] if body else []
    if paragraphs := [_span(before + start, before + end) for start, end in _paragraphs(body)]:
        spans["paragraph"] = paragraphs
    tail, entries = _references(document, before + len(body))
    if entries:
        spans["bibentry"] = entries
    return head + body + tail, spans


def _span(start: int, end: int, **attributes: str) -> Span:
    return {"start": start, "end": end, **({"attributes": attributes} if attributes else {})}


def _find(parts: list[tuple[str, str]], body: str) -> Spans | None:
    """Where each part stands in the text word by word, authors one after the other; None where one does not."""
    spans: Spans = defaultdict(list)
    for kind, part in parts:
        words = r"\s+".join(map(re.escape, part.split()))
        after = spans[kind][-1]["end"] if spans[kind] else 0
        found = re.compile(rf"(?<!\w){words}(?!\w)").search(body, after)
        if found is None:
            return None
        spans[kind].append(_span(*found.span()))
    return spans


def _set_before(parts: list[tuple[str, str]]) -> tuple[str, Spans]:
    text, spans = "", defaultdict(list)
    for kind, part in parts:
        text += GAP if text else ""
        spans[kind].append(_span(len(text), len(text) + len(part)))
        text += part
    return text, spans


def _paragraphs(body: str) -> Iterator[tuple[int, int]]:
    """Start and end of what empty lines part, without white space around."""
    start = 0
    for end, after in [*(gap.span() for gap in _EMPTY_LINES.finditer(body)), (len(body), len(body))]:
        part = body[start:end]
        if part.strip():
            lead = len(part) - len(part.lstrip())
            yield start + lead, start + lead + len(part.strip())
        start = after


def _references(document: DocumentRecord, at: int) -> tuple[str, list[Span]]:
    """A line for each citation, to stand at that place of the text, and the spans of these lines."""
    text, spans = "", []
    cited = document.extra.get("citations")
    for number, docno in enumerate(map(str, cited if isinstance(cited, list) else [])):
        text += "\n" if text else GAP
        start = at + len(text)
        spans.append(_span(start, start + len(docno), id=f"b{number}", matched_paper_id=docno))
        text += docno
    return text, spans

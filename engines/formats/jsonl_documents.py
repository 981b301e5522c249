"""Documents as JSON Lines: Litmus' own, BEIR's `corpus.jsonl`, LitSearch's `corpus_clean`, S2ORC metadata, and kin.

The id stands under docno, _id, id, corpusid, doc_id or paper_id, the text under abstract or text (or as labelled
`sentences`, as in CSFCube), the full text under full_text or, as in LitSearch, full_paper. Unknown keys are kept in
`extra`; lists of cited documents (S2ORC's outbound_citations among them) stand there as `citations`. Texts are taken
exactly as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, is_id, take_first, take_id, take_text, take_texts, take_year
from engines.formats.jsonl import read_objects, records_from, write_objects
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.records import DocumentRecord, Problem, id_problem

ID_KEYS = ("docno", "_id", "id", "corpusid", "doc_id", "paper_id")
TEXT_KEYS = ("abstract", "text", "contents")
FULL_TEXT = "full_text"
FULL_TEXT_KEYS = (FULL_TEXT, "full_paper")
FIELDS = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi", "url")  # as Litmus writes them
VENUE_KEYS = ("venue", "journal", "booktitle")
AUTHOR_KEYS = ("authors", "author")
_values = attrgetter(*FIELDS)

LAYOUT = Layout(
    '{"docno": "10.1145/1", "title": "Hearing of owls", "abstract": "Owls hear well.", "year": 2021}\n'
    '{"docno": "10.1145/2", "title": "Wings of moths", "abstract": "Moths are quiet.", "year": 2022}\n',
    (
        required(ID_KEYS, "the document's id, unique in the collection"),
        optional("title", "title; a document has a title or an abstract"),
        optional(TEXT_KEYS, "abstract, or the whole text of a short document"),
        optional("sentences", "the abstract as pairs of a label and a sentence"),
        optional("keywords", "list of texts, or one text with commas"),
        optional(AUTHOR_KEYS, "list of names"),
        optional(VENUE_KEYS, "where it was published"),
        optional("year", "year, four digits"),
        optional("doi", "DOI"),
        optional("url", "address"),
        optional(FULL_TEXT_KEYS, "full text"),
        optional(("citations", "outbound_citations"), "list of ids of cited documents"),
        optional(("cited_by", "inbound_citations"), "list of ids of citing documents"),
    ),
    KEPT,
)


def read_jsonl_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem]:
    """Return one document for each line, or a `Problem` for a line that is none."""
    return records_from(read_objects(stream, file), file, document_from)


def document_from(item: dict[str, Any], file: str, line: int) -> DocumentRecord:
    """Return the document in a JSON object (which is used up: what remains is `extra`).

    Raises `FieldError` for a missing or unusable id, values of a wrong type, and a document without any text.
    """
    docno = take_id(item, ID_KEYS)
    if reason := id_problem(docno):
        raise FieldError(reason)
    title, abstract = take_text(item, ("title",)), take_text(item, TEXT_KEYS) or _labelled_sentences(item)
    if not title.strip() and not abstract.strip():
        raise FieldError(f"document {docno} has neither a title nor a text")
    _name_citations(item)
    full_text = _take_full_text(item)
    return DocumentRecord(
        docno,
        title,
        abstract,
        take_texts(item, ("keywords",)),
        take_authors(item),
        take_text(item, VENUE_KEYS),
        take_year(item),
        take_text(item, ("doi",)),
        take_text(item, ("url",)),
        item,
        file,
        line,
        full_text,
    )


def _take_full_text(item: dict[str, Any]) -> str | None:
    """Take the full text out of the object; None where there is none, or something else under its name."""
    keys = [key for key in FULL_TEXT_KEYS if isinstance(item.get(key), str)]
    texts = [item.pop(key) for key in keys]
    return next((text for text in texts if text.strip()), "") if texts else None


def _name_citations(item: dict[str, Any]) -> None:
    """Put lists of cited and citing documents under `citations` and `cited_by`, as docnos."""
    for written, name in (("outbound_citations", "citations"), ("inbound_citations", "cited_by")):
        value = item.get(name, item.get(written))
        if isinstance(value, list) and all(map(is_id, value)):
            item.pop(written, None)
            item[name] = [str(docno) for docno in value]


def _labelled_sentences(item: dict[str, Any]) -> str:
    """Join sentences given as [label, text] pairs; they stay in the object, because the labels say more."""
    pairs = item.get("sentences")
    if not isinstance(pairs, list):
        return ""
    texts = [pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], str)]
    return " ".join(texts) if len(texts) == len(pairs) else ""


def take_authors(item: dict[str, Any]) -> tuple[str, ...]:
    """Return the names under authors or author; S2ORC gives objects with `name` or first, middle, last, suffix."""
    name, value = take_first(item, AUTHOR_KEYS)
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(" and " if " and " in value else ";") if part.strip())
    if not name:
        return ()
    if not isinstance(value, list):
        raise FieldError(f"{name!r} is not a list of names")
    return tuple(author for entry in value if (author := _author(entry)))


def _author(entry: object) -> str:
    if isinstance(entry, str):
        return entry.strip()
    if not isinstance(entry, dict):
        raise FieldError("'authors' holds something that is not a name")
    if isinstance(entry.get("name"), str):
        return str(entry["name"]).strip()
    middle = entry.get("middle") or []
    given = [entry.get("first"), *(middle if isinstance(middle, list) else [middle])]
    first = " ".join(part for part in given if isinstance(part, str) and part)
    last = " ".join(part for part in (entry.get("last"), entry.get("suffix")) if isinstance(part, str) and part)
    return f"{last}, {first}" if last and first else last or first


def write_jsonl_documents(documents: Iterable[DocumentRecord]) -> Iterator[str]:
    """Yield one line for each document, in Litmus' own keys; with the `extra` keys."""
    return write_objects(map(_object_from, documents))


def _object_from(document: DocumentRecord) -> dict[str, Any]:
    own = dict(zip(FIELDS, _values(document), strict=True))
    if document.year is None:
        own["year"] = document.extra.get("year")
    if document.full_text is not None:
        own[FULL_TEXT] = document.full_text
    return own | {key: value for key, value in document.extra.items() if key not in own}


def write_beir_corpus(documents: Iterable[DocumentRecord]) -> Iterator[str]:
    """Yield BEIR's `corpus.jsonl`: _id, title, text."""
    return write_beir_texts((item.docno, item.title, item.abstract) for item in documents)


def write_beir_texts(texts: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Yield BEIR's `corpus.jsonl` from (docno, title, text)."""
    return write_objects({"_id": docno, "title": title, "text": text} for docno, title, text in texts)

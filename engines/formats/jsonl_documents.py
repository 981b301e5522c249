"""Documents as JSON Lines: Litmus' own, BEIR's `corpus.jsonl`, LitSearch's `corpus_clean`, S2ORC metadata, and kin.

The keys are those of `ID_KEYS` and `TEXT_KEYS` (or the text is labelled `sentences`, as in CSFCube); the first line of
Pyserini's `contents` is the title where there is no other. Unknown keys are kept in `extra`; lists of cited documents
(S2ORC's outbound_citations among them) stand there as `citations`. Texts are taken exactly as they are. A file may also
be one list of objects, or one object (`read_any_objects`): Pyserini has such files, Zotero's CSL JSON is one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import Any, BinaryIO

from engines.formats.json_fields import (
    FieldError,
    are_texts,
    is_id,
    take_first,
    take_id,
    take_text,
    take_texts,
    take_year,
)
from engines.formats.json_objects import is_one_object, read_any_objects
from engines.formats.json_wrapping import wrapped_in
from engines.formats.jsonl import records_from, write_objects
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.records import DocumentRecord, Problem, Remark, id_problem

ID_KEYS = ("docno", "_id", "id", "corpusid", "doc_id", "paper_id", "pid", "docid", "document_id", "record_id", "pmid")
CONTENTS = "contents"  # of Pyserini, whose first line is the title
TEXT_KEYS = ("abstract", "text", CONTENTS, "body", "passage", "segment")
FULL_TEXT = "full_text"
FULL_TEXT_KEYS = (FULL_TEXT, "full_paper")
FIELDS = ("docno", "title", "abstract", "keywords", "authors", "venue", "year", "doi", "url")  # as Litmus writes them
VENUE_KEYS = ("venue", "journal", "booktitle", "container-title")
KEYWORD_KEYS = ("keywords", "keyword")
AUTHOR_KEYS = ("authors", "author")
_TITLE_KEYS = ("title",)
_values = attrgetter(*FIELDS)

LAYOUT = Layout(
    '{"docno": "10.1145/1", "title": "Hearing of owls", "abstract": "Owls hear well.", "year": 2021}\n'
    '{"docno": "10.1145/2", "title": "Wings of moths", "abstract": "Moths are quiet.", "year": 2022}\n',
    (
        required(ID_KEYS, "the document's id, unique in the collection"),
        optional("title", "title; a document has a title or an abstract"),
        optional(TEXT_KEYS, "abstract or text; of contents without a title, the first of several lines is the title"),
        optional("sentences", "the abstract as pairs of a label and a sentence"),
        optional(KEYWORD_KEYS, "list of texts, or one text with commas"),
        optional(AUTHOR_KEYS, "list of names"),
        optional(VENUE_KEYS, "where it was published"),
        optional("year", "year, four digits"),
        optional("issued", "date as in CSL JSON, of which the year is taken"),
        optional(("doi", "DOI"), "DOI"),
        optional(("url", "URL"), "address"),
        optional(FULL_TEXT_KEYS, "full text"),
        optional(("citations", "outbound_citations"), "list of ids of cited documents"),
        optional(("cited_by", "inbound_citations"), "list of ids of citing documents"),
    ),
    KEPT,
)
_CITATION_KEYS = (("outbound_citations", "citations"), ("inbound_citations", "cited_by"))  # as written, as named
_KNOWN = frozenset(name for field in LAYOUT.fields for name in field.names)
_IDS, _TEXTS = frozenset(ID_KEYS), frozenset({"title", *TEXT_KEYS})
_FURTHER = _KNOWN - {*ID_KEYS, "title", *TEXT_KEYS, "sentences"}
_SELDOM = frozenset((*FULL_TEXT_KEYS, *chain(*_CITATION_KEYS)))


def is_known(name: str) -> bool:
    """Whether a document has a field of this name."""
    return name in _KNOWN


def read_jsonl_documents(stream: BinaryIO, file: str) -> Iterator[DocumentRecord | Problem | Remark]:
    """Yield one document for each object, or a `Problem` for one that is none."""
    said: set[str] = set()
    objects = read_any_objects(stream, file, is_known, is_document, "documents", id_name="docno")
    yield from records_from(objects, file, partial(document_from, said=said))
    yield from (Remark(file, 0, text) for text in said)


def is_document(names: Collection[str]) -> bool:
    """Whether an object with these fields has an id and a title or text."""
    return not (_IDS.isdisjoint(names) or _TEXTS.isdisjoint(names))


def are_documents(text: str, keys: frozenset[str]) -> bool:
    """Whether a file that begins so, no JSON Lines but one list or object with such keys, holds documents."""
    if wrapped_in(text, is_document):
        return bool(wrapped_in(text, is_document, "documents"))
    return is_document(keys) and (text[0] == "[" or is_one_object(text, is_known))


def document_from(item: dict[str, Any], file: str, line: int, said: set[str] | None = None) -> DocumentRecord:
    """Return the document in a JSON object (which is used up: what remains is `extra`).

    `said` takes what should be remarked on. Raises `FieldError` for a missing or unusable id, values of a wrong type,
    and a document without any text.
    """
    docno = take_id(item, ID_KEYS)
    if reason := id_problem(docno):
        raise FieldError(reason)
    if CONTENTS in item and "title" not in item:
        _part_contents(item, said)
    title, abstract = take_text(item, _TITLE_KEYS), take_text(item, TEXT_KEYS) or _labelled_sentences(item)
    if not title.strip() and not abstract.strip():
        raise FieldError(f"document {docno} has neither a title nor a text")
    if _FURTHER.isdisjoint(item):
        return DocumentRecord(docno, title, abstract, extra=item, file=file, line=line)
    full_text = None
    if not _SELDOM.isdisjoint(item):
        _name_citations(item)
        full_text = _take_full_text(item)
    return DocumentRecord(
        docno,
        title,
        abstract,
        take_texts(item, KEYWORD_KEYS),
        take_authors(item),
        take_text(item, VENUE_KEYS),
        take_year(item) or _year_issued(item),
        take_text(item, ("doi", "DOI")),
        take_text(item, ("url", "URL")),
        item,
        file,
        line,
        full_text,
    )


def _part_contents(item: dict[str, Any], said: set[str] | None) -> None:
    """Make the first of several lines of `contents` the title."""
    contents = item[CONTENTS]
    if isinstance(contents, str) and not item.get("abstract") and not item.get("text"):
        first, _, rest = contents.partition("\n")
        if first.strip() and rest.strip():
            item["title"], item[CONTENTS] = first, rest
            if said is not None:
                said.add(f"the first line of “{CONTENTS}” is the title")


def _year_issued(item: dict[str, Any]) -> int | None:
    """The year of CSL JSON: {"issued": {"date-parts": [[2020, 3]]}}, which stays."""
    if "issued" not in item:
        return None
    try:
        return int(item["issued"]["date-parts"][0][0])
    except (KeyError, IndexError, TypeError, ValueError):
        return None


def _take_full_text(item: dict[str, Any]) -> str | None:
    """Take the full text out of the object; None where there is none, or something else under its name."""
    keys = [key for key in FULL_TEXT_KEYS if isinstance(item.get(key), str)]
    texts = [item.pop(key) for key in keys]
    return next((text for text in texts if text.strip()), "") if texts else None


def _name_citations(item: dict[str, Any]) -> None:
    """Put lists of cited and citing documents under `citations` and `cited_by`, as docnos."""
    for written, name in _CITATION_KEYS:
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
    if are_texts(value):
        return tuple(filter(None, map(str.strip, value)))
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
    if not first and not last:  # CSL JSON
        first, last = (entry.get(name) or "" for name in ("given", "family"))
        last = last or entry.get("literal") or ""
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

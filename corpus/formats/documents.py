"""Documents from any path: find the files it holds, tell their format, read them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from pathlib import Path

from corpus.formats.bibtex_documents import read_bibtex
from corpus.formats.doris_json import read_doris_documents
from corpus.formats.jsonl_documents import read_jsonl_documents
from corpus.formats.litsearch import read_litsearch_documents
from corpus.formats.members import DEFAULT_LIMITS, Limits
from corpus.formats.reading import Reader, choose_readers
from corpus.formats.records import DocumentRecord, Problem, Skip
from corpus.formats.repeats import without_repeats
from corpus.formats.s2orc import read_s2orc_documents
from corpus.formats.trec_documents import read_trec_documents

Documents = Iterator[DocumentRecord | Skip | Problem]

EXCLUDED_REASON = "a document on the list of exclusions"

READERS: dict[str, Reader] = {
    "bibtex": read_bibtex,
    "jsonl": read_jsonl_documents,
    "beir": read_jsonl_documents,
    "trec": read_trec_documents,
    "s2orc": read_s2orc_documents,
    "doris-mae": read_doris_documents,
    "litsearch": read_litsearch_documents,
}
DETECTED = {
    "bibtex": "bibtex",
    "jsonl-documents": "jsonl",
    "beir-corpus": "beir",
    "beir-queries": "beir",
    "trec-documents": "trec",
    "doris-mae-json": "doris-mae",
    "s2orc": "s2orc",
    "litsearch-corpus": "litsearch",
}


def read_documents(
    path: Path | str,
    format: str = "auto",  # noqa: A002 (the name users know)
    *,
    name: str = "",
    exclude: Container[str] = frozenset(),
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Documents:
    """Yield the documents in `path`: a file, plain or compressed, an archive or a folder.

    `format` is "auto" or one of `READERS`; `name` is how messages call the path; documents whose docno is in
    `exclude` become `Skip`s; a docno that occurs again in the same file is a `Problem`. In archives and folders,
    "auto" passes over files that are no documents, with a `Problem` for each. `watch` is told the bytes read from disk.

    Raises `BrokenFile`, and `ValueError` for an unknown format.
    """
    for found in choose_readers(path, format, READERS, DETECTED, "documents", name=name, limits=limits, watch=watch):
        if isinstance(found, Problem):
            yield found
            continue
        member, reader = found
        for item in without_repeats(reader(member.stream, member.name), _place, "docno"):
            if isinstance(item, DocumentRecord) and item.docno in exclude:
                yield Skip(item.file, item.line, EXCLUDED_REASON, item.docno)
            else:
                yield item


def _place(document: DocumentRecord) -> tuple[str, str, int]:
    return document.docno, document.file, document.line

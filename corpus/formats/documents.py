"""Documents from any path: find the files it holds, tell their format, read them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import BinaryIO

from corpus.formats.bibtex_documents import read_bibtex
from corpus.formats.detect import HEAD_BYTES, detect_format
from corpus.formats.jsonl_documents import read_jsonl_documents
from corpus.formats.members import DEFAULT_LIMITS, Limits, Member, open_members
from corpus.formats.records import BrokenFile, DocumentRecord, Problem, Skip
from corpus.formats.repeats import without_repeats
from corpus.formats.trec_documents import read_trec_documents

Documents = Iterator[DocumentRecord | Skip | Problem]

EXCLUDED_REASON = "a document on the list of exclusions"

READERS: dict[str, Callable[[BinaryIO, str], Documents]] = {
    "bibtex": read_bibtex,
    "jsonl": read_jsonl_documents,
    "beir": read_jsonl_documents,
    "trec": read_trec_documents,
}
_DETECTED = {
    "bibtex": "bibtex",
    "jsonl-documents": "jsonl",
    "beir-corpus": "beir",
    "beir-queries": "beir",
    "trec-documents": "trec",
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
    if format != "auto" and format not in READERS:
        raise ValueError(f"unknown format {format!r}; known are auto, {', '.join(READERS)}")
    for member in open_members(path, name=name, limits=limits, watch=watch):
        reader = _reader_for(member, format)
        if isinstance(reader, Problem):
            yield reader
            continue
        for item in without_repeats(reader(member.stream, member.name), _place, "docno"):
            if isinstance(item, DocumentRecord) and item.docno in exclude:
                yield Skip(item.file, item.line, EXCLUDED_REASON, item.docno)
            else:
                yield item


def _place(document: DocumentRecord) -> tuple[str, str, int]:
    return document.docno, document.file, document.line


def _reader_for(member: Member, format: str) -> Callable[[BinaryIO, str], Documents] | Problem:  # noqa: A002
    if format != "auto":
        return READERS[format]
    head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
    try:
        found = detect_format(head, member.name)
        if found not in _DETECTED:
            raise BrokenFile(member.name, 0, f"holds no documents: it looks like {found}")
    except BrokenFile as broken:
        if member.alone:
            raise
        return Problem(member.name, 0, broken.reason)
    return READERS[_DETECTED[found]]

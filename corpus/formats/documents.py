"""Documents from any path: find the files it holds, detect their format, read them."""

from __future__ import annotations

from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from corpus.formats.reading import read_path
from corpus.formats.records import DocumentRecord, Problem, Skip
from corpus.formats.repeats import without_repeats

EXCLUDED_REASON = "a document on the list of exclusions"


def read_documents(
    path: Path | str,
    format: str = "auto",  # noqa: A002 (the name users know)
    *,
    exclude: Container[str] = frozenset(),
    **options: Any,
) -> Iterator[DocumentRecord | Skip | Problem]:
    """Yield the documents in `path`; `options` are those of `read_path`.

    Documents whose docno is in `exclude` become `Skip`s; a docno that occurs again in the same file is a `Problem`.
    Raises `BrokenFile`, and `ValueError` for an unknown format.
    """
    for item in read_path(path, format, "documents", "documents", each=_once, **options):
        if isinstance(item, DocumentRecord) and item.docno in exclude:
            yield Skip(item.file, item.line, EXCLUDED_REASON, item.docno)
        else:
            yield item


def _once(items: Iterator[Any]) -> Iterator[Any]:
    return without_repeats(items, _place, "docno")


def _place(document: DocumentRecord) -> tuple[str, str, int]:
    return document.docno, document.file, document.line

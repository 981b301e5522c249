"""Documents from any path: find the files it holds, detect their format, read them."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.formats.reading import Places, read_path
from engines.formats.records import DocumentRecord, Problem, Skip


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """Which documents of a file come in; what is empty or None lets every document pass.

    Years are inclusive, and a document without a year is outside any range. A venue passes where one of `venues` is
    part of its name, whatever the case.
    """

    exclude: Container[str] = frozenset()
    only: Container[str] | None = None
    year_from: int | None = None
    year_to: int | None = None
    venues: tuple[str, ...] = ()

    def refusal(self, document: DocumentRecord) -> str:
        """Why the document is left out, "" where it comes in."""
        if document.docno in self.exclude:
            return "a document on the list of exclusions"
        if self.only is not None and document.docno not in self.only:
            return "a document that is not on the list"
        if self.year_from is not None or self.year_to is not None:
            year = document.year
            if year is None or year < (self.year_from or year) or year > (self.year_to or year):
                return "a year outside the range, or no year"
        venue = document.venue.casefold()
        if self.venues and not any(part.casefold() in venue for part in self.venues):
            return "another venue, or none"
        return ""


def read_documents(
    path: Path | str | Places,
    format: str = "auto",  # noqa: A002 (the name users know)
    *,
    criteria: DocumentFilter | None = None,
    **options: Any,
) -> Iterator[DocumentRecord | Skip | Problem]:
    """Yield the documents in `path`; those that do not meet the criteria become `Skip`s. See `read_path`."""
    for item in read_path("documents", path, format, **options):
        if criteria and isinstance(item, DocumentRecord) and (reason := criteria.refusal(item)):
            yield Skip(item.file, item.line, reason, item.docno)
        else:
            yield item

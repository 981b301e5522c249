"""PDF files from strangers, read in a separate process with limits on time, memory and pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from engines.formats.papers import FullPaper
from engines.guarded import limits as guarded
from engines.guarded.reading import read_guarded
from engines.pdf.child import ExtractionFailed, draw_page, read_papers
from engines.pdf.vocabulary import Vocabulary

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What a file may cost: seconds of processor time, megabytes of memory, pages and megabytes of the file.

    After `quiet_seconds` of the clock the machine counts as busy.
    """

    seconds: int = 120
    megabytes: int = 1024
    pages: int = 400
    file_megabytes: int = 100
    quiet_seconds: int = 1200


def _nothing() -> None:
    """The check of work that nobody can cancel."""


def extract(
    path: Path,
    *,
    vocabulary: Vocabulary,
    limits: PdfLimits = PdfLimits(),
    check: Callable[[], None] = _nothing,
    name: str = "",
) -> FullPaper:
    """Return the paper that a PDF file holds, read by a guarded process.

    `vocabulary` are the collection's words with their counts (`engines.pdf.vocabulary.count_words`); it decides
    which hyphens at line ends go. `check` is called several times a second and may raise to stop the work: the process
    is killed, the exception is raised to the caller. `name` stands in the paper's `file`. Raises `ExtractionFailed`.
    """
    read = partial(read_papers, path.resolve(), vocabulary, name or path.name, limits.pages)
    return _first(read, path, limits, check)


def render_page(path: Path, page: int, *, width: int = 1000) -> bytes:
    """Return the picture of a page (from 1) as WebP, `width` pixels wide, drawn by a guarded process.

    A point of the page is `width / PageSize.width` pixels, whatever its rotation. Raises `ExtractionFailed`.
    """
    if not 16 <= width <= 4000:
        raise ValueError("a picture is 16 to 4000 pixels wide")
    limits = PdfLimits(seconds=30, quiet_seconds=60)
    return _first(partial(draw_page, path.resolve(), page, width, limits.pages), path, limits, _nothing)


def _first(read: Callable[[], Iterator[T]], path: Path, limits: PdfLimits, check: Callable[[], None]) -> T:
    """The one thing that is read. Raises `ExtractionFailed`."""
    size = path.stat().st_size
    if size > limits.file_megabytes * 1024 * 1024:
        raise ExtractionFailed("too-large", f"is larger than {limits.file_megabytes} MB")
    bounds = guarded.Limits(limits.seconds, limits.megabytes, limits.quiet_seconds)
    try:
        return next(iter(read_guarded(read, limits=bounds, check=check)))
    except guarded.ReadingFailed as failed:
        raise ExtractionFailed(failed.kind, failed.reason) from failed

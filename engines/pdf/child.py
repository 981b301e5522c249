"""What opens a stranger's PDF file: called by `engines.pdf.worker` in a child with limits (engines/guarded)."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from engines.formats.papers import FullPaper
from engines.pdf.vocabulary import Vocabulary

_MOST_PIXELS = 25_000_000
_LONGEST_SIDE = 16_000  # pixels: WebP holds no more


class ExtractionFailed(Exception):
    """A file that could not be read. `reason` reads after the file's name: "is encrypted: …".

    `kind` is one of not-pdf, encrypted, broken, no-text, too-long, too-large, too-much-text, no-page, time, memory,
    room, busy, crash.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def read_papers(path: Path, vocabulary: Vocabulary, name: str, most_pages: int) -> Iterator[FullPaper]:
    """Yield the one paper of a PDF file. Raises `ExtractionFailed`."""
    import pypdfium2

    from engines.pdf.pages import TooMuchText
    from engines.pdf.paper import NoText, read_paper

    try:
        with _open(path, most_pages) as document:
            yield read_paper(document, vocabulary, name)
    except NoText:
        raise ExtractionFailed(
            "no-text", "holds pictures of pages but no text: run text recognition on it first"
        ) from None
    except TooMuchText as problem:
        raise ExtractionFailed("too-much-text", str(problem)) from None
    except pypdfium2.PdfiumError:
        raise ExtractionFailed("broken", "is damaged: some of its pages cannot be opened") from None


def _open(path: Path, most_pages: int) -> Any:
    """Open the document after the cheap checks. Raises `ExtractionFailed`."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    with path.open("rb") as stream:
        if b"%PDF-" not in stream.read(1024):
            raise ExtractionFailed("not-pdf", "is not a PDF file")
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD or "password" in str(error).lower():
            raise ExtractionFailed(
                "encrypted", "is encrypted: save it without a password, then upload it again"
            ) from None
        raise ExtractionFailed("broken", "is damaged: it begins like a PDF file but cannot be opened") from None
    pages = len(document)
    if pages > most_pages:
        raise ExtractionFailed("too-long", f"has {pages:,} pages; at most {most_pages:,} are read")
    if not pages:
        raise ExtractionFailed("broken", "has no pages")
    return document


def draw_page(path: Path, number: int, width_wanted: int, most_pages: int) -> Iterator[bytes]:
    """Draw a page (from 1) and yield the picture's file. Raises `ExtractionFailed`."""
    import pypdfium2

    with _open(path, most_pages) as document:
        if not 1 <= number <= len(document):
            raise ExtractionFailed("no-page", f"has no page {number}")
        try:
            page = document[number - 1]
            width, height = page.get_size()
            scale = min(
                width_wanted / max(width, 1.0),
                (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5,
                _LONGEST_SIDE / max(width, height, 1.0),
            )
            picture = page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError:
            raise ExtractionFailed("broken", f"is damaged: page {number} cannot be drawn") from None
        room = BytesIO()
        picture.save(room, "webp", quality=80, method=2)
        yield room.getvalue()

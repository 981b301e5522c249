"""The process that opens a stranger's PDF file, so that the process that started it survives any file.

Run by `corpus.pdf.worker` as `python -m corpus.pdf.child`: a JSON object on standard input says what to
do, the answer goes to standard output. It binds its own memory and processor time before it opens the file.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from io import BytesIO
from pathlib import Path
from typing import Any

REFUSED = 3  # exit status: the answer is a JSON object that says why

_MOST_PIXELS = 25_000_000
_LONGEST_SIDE = 16_000  # pixels: WebP holds no more


class ExtractionFailed(Exception):
    """A file that could not be read. `reason` reads after the file's name: "is encrypted: …".

    `kind` is one of not-pdf, encrypted, broken, no-text, too-long, too-large, too-much-text, no-page, time, memory,
    crash.
    """

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


def main() -> int:
    """Read the request, bind the process, answer."""
    request = json.load(sys.stdin.buffer)
    _bind(request["megabytes"], request["seconds"])
    try:
        answer = _page(request) if request["do"] == "page" else _paper(request)
    except ExtractionFailed as problem:
        return _refuse(problem.kind, problem.reason)
    except MemoryError:
        return _refuse("memory", "needs more memory than is allowed")
    sys.stdout.buffer.write(answer)
    sys.stdout.buffer.flush()
    return 0


def _refuse(kind: str, reason: str) -> int:
    sys.stdout.buffer.write(json.dumps({"kind": kind, "reason": reason}).encode())
    sys.stdout.buffer.flush()
    return REFUSED


def _bind(megabytes: int, seconds: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no limits of this kind; the parent's clock remains
        return
    size = megabytes * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _open(request: dict[str, Any]) -> Any:
    """Open the document after the cheap checks. Raises `ExtractionFailed`."""
    import pypdfium2
    import pypdfium2.raw as pdfium

    path = Path(request["path"])
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
    if pages > request["pages"]:
        raise ExtractionFailed("too-long", f"has {pages:,} pages; at most {request['pages']:,} are read")
    if not pages:
        raise ExtractionFailed("broken", "has no pages")
    return document


def _paper(request: dict[str, Any]) -> bytes:
    import pypdfium2

    from corpus.pdf.pages import TooMuchText
    from corpus.pdf.paper import NoText, read_paper

    try:
        with _open(request) as document:
            paper = read_paper(document, request["vocabulary"], request["name"])
    except NoText:
        raise ExtractionFailed(
            "no-text", "holds pictures of pages but no text: run text recognition on it first"
        ) from None
    except TooMuchText as problem:
        raise ExtractionFailed("too-much-text", str(problem)) from None
    except pypdfium2.PdfiumError:
        raise ExtractionFailed("broken", "is damaged: some of its pages cannot be opened") from None
    return json.dumps(asdict(paper)).encode("utf-8", "replace")


def _page(request: dict[str, Any]) -> bytes:
    """Draw a page and return the picture's file."""
    import pypdfium2

    with _open(request) as document:
        number = request["page"]
        if not 1 <= number <= len(document):
            raise ExtractionFailed("no-page", f"has no page {number}")
        try:
            page = document[number - 1]
            width, height = page.get_size()
            scale = min(
                request["width"] / max(width, 1.0),
                (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5,
                _LONGEST_SIDE / max(width, height, 1.0),
            )
            picture = page.render(scale=scale).to_pil().convert("RGB")
        except pypdfium2.PdfiumError:
            raise ExtractionFailed("broken", f"is damaged: page {number} cannot be drawn") from None
        room = BytesIO()
        picture.save(room, "webp", quality=80, method=2)
        return room.getvalue()


if __name__ == "__main__":
    sys.exit(main())

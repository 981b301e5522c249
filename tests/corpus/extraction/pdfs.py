"""PDF files made for tests: good ones in several layouts, and bad ones."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

WORDS = (
    "we show that a small set of careful labels tells more about a system than a large set of careless ones and that "
    "people who judge with a clear guideline agree more often than people who judge without one because they read"
).split()


def pages_of_text(path: Path, pages: int = 1, lines: int = 40, *, password: str = "") -> Path:
    """Write plain pages in one column."""
    canvas = Canvas(str(path), pagesize=A4, encrypt=StandardEncryption(password) if password else None)
    for page in range(pages):
        canvas.setFont("Times-Roman", 11)
        for line in range(lines):
            start = (page * 7 + line * 13) % len(WORDS)
            canvas.drawString(72, 760 - 14 * line, " ".join((WORDS * 2)[start : start + 13]))
        canvas.showPage()
    canvas.save()
    return path


def scanned(path: Path, pages: int = 2) -> Path:
    """Write pages that hold only a drawing."""
    canvas = Canvas(str(path), pagesize=A4)
    for _ in range(pages):
        for step in range(40):
            canvas.rect(72, 100 + 15 * step, 400, 7, fill=1)
        canvas.showPage()
    canvas.save()
    return path


def bomb(path: Path, *, megabytes: int) -> Path:
    """Write a small file whose only page unpacks to very much."""
    packed = zlib.compress(zlib.compress(b" " * (megabytes << 20), 9), 9)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 500 500]/Contents 4 0 R/Resources<<>>>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%s\nendstream" % (len(packed), packed),
    ]
    data = b"%PDF-1.5\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 5\n0000000000 65535 f \n%strailer<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        table,
        len(data),
    )
    path.write_bytes(data)
    return path


def cut_off(path: Path) -> Path:
    """Write the first half of a PDF file."""
    room = BytesIO()
    canvas = Canvas(room, pagesize=A4)
    canvas.drawString(72, 700, "Half of me is gone.")
    canvas.save()
    path.write_bytes(room.getvalue()[: len(room.getvalue()) // 3])
    return path

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


def titled(path: Path, title: str, *small: str, start: int = 0) -> Path:
    """Write a page with a title, a heading, some lines of text, these small lines, such as a notice with a DOI, and
    three references."""
    canvas = Canvas(str(path), pagesize=A4)
    canvas.setFont("Times-Bold", 18)
    canvas.drawString(72, 780, title)
    canvas.setFont("Times-Bold", 13)
    canvas.drawString(72, 758, "1 Introduction")
    canvas.setFont("Times-Roman", 11)
    for line in range(20):
        place = (start + line * 13) % len(WORDS)
        canvas.drawString(72, 740 - 14 * line, " ".join((WORDS * 2)[place : place + 13]))
    canvas.setFont("Times-Roman", 8)
    for line, words in enumerate(small):
        canvas.drawString(72, 400 - 10 * line, words)
    for line, words in enumerate(("[1] A. Potter. Pots. 2001.", "[2] B. Cup. Cups. 2002.", "[3] C. Tea. Teas. 2003.")):
        canvas.drawString(72, 300 - 10 * line, words)
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
    return by_hand(path, objects)


def by_hand(path: Path, objects: list[bytes]) -> Path:
    """Write a file of these objects, numbered from 1; the first is the catalogue."""
    data = b"%PDF-1.5\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        table,
        len(objects) + 1,
        len(data),
    )
    path.write_bytes(data)
    return path


def stream(content: bytes, more: bytes = b"") -> bytes:
    """Return an object that is a stream."""
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (more, len(content), content)


HELVETICA = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica%s>>"
WRITING = b"BT /F1 11 Tf 14 TL 60 700 Td " + b"".join(
    b"(%s) Tj T* " % " ".join(WORDS[start : start + 9]).encode() for start in range(0, 27, 9)
)


def one_page(
    path: Path,
    *,
    page: bytes = b"/MediaBox[0 0 595 842]",
    writing: bytes = WRITING + b"ET",
    fonts: bytes = b"/F1 5 0 R",
    catalogue: bytes = b"",
    more: list[bytes] | None = None,
) -> Path:
    """Write a page of a few lines; what is given is put in as it is. Objects of `more` are numbered from 6."""
    return by_hand(path, [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalogue,
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R%s/Contents 4 0 R/Resources<</Font<<%s>>>>>>" % (page, fonts),
        stream(writing),
        HELVETICA % b"",
        *(more or []),
    ])  # fmt: skip


def page_of_codes(path: Path, codes: list[int]) -> Path:
    """Write a page whose font says that some of its glyphs are these codes."""
    pairs = b"".join(b"<%02X> <%04X>\n" % (0x80 + place, code) for place, code in enumerate(codes))
    cmap = (
        b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def\n"
        b"1 begincodespacerange <00> <FF> endcodespacerange\n%d beginbfchar\n%sendbfchar\n"
        b"endcmap CMapName currentdict /CMap defineresource pop end end" % (len(codes), pairs)
    )
    hostile = b"".join(b"<%02X> Tj (word ) Tj " % (0x80 + place) for place in range(len(codes)))
    writing = WRITING + b"/F2 11 Tf T* " + hostile + b"ET"
    return one_page(
        path, writing=writing, fonts=b"/F1 5 0 R/F2 6 0 R", more=[HELVETICA % b"/ToUnicode 7 0 R", stream(cmap)]
    )


def many_pages(path: Path, count: int) -> Path:
    """Write very many pages, all with the same few lines: quick to make."""
    kids = b" ".join(b"%d 0 R" % (5 + place) for place in range(count))
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 3 0 R/Resources<</Font<</F1 4 0 R>>>>>>"
    return by_hand(path, [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%s]/Count %d>>" % (kids, count),
        stream(WRITING + b"ET"), HELVETICA % b"", *([page] * count),
    ])  # fmt: skip


def cut_off(path: Path) -> Path:
    """Write the first half of a PDF file."""
    room = BytesIO()
    canvas = Canvas(room, pagesize=A4)
    canvas.drawString(72, 700, "Half of me is gone.")
    canvas.save()
    path.write_bytes(room.getvalue()[: len(room.getvalue()) // 3])
    return path

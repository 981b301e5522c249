"""A plain PDF file from plain text, for the papers of the demo: one column, Times and Helvetica, no library needed."""

from collections.abc import Iterator

WIDTH, HEIGHT, MARGIN = 595, 842, 72  # points
LETTERS = 98  # on a line of running text
SOFT = "\u00ad"  # where a word may be divided
TITLE, HEADING, TEXT = ("F2", 16, 22, 50), ("F2", 11, 16, 80), ("F1", 10, 13, LETTERS)  # font, size, leading, letters

Line = tuple[tuple[str, int, int, int], str]


def pdf_of(text: str) -> bytes:
    """The file. Paragraphs stand between empty lines; `# ` begins the title, `## ` a heading."""
    pages = list(_pages(list(_lines(text))))
    kids = " ".join(f"{5 + 2 * place} 0 R" for place in range(len(pages)))
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>".encode(),
        _font("Times-Roman"),
        _font("Helvetica-Bold"),
    ]
    for place, stream in enumerate(pages):
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {WIDTH} {HEIGHT}]/Contents {6 + 2 * place} 0 R"
            "/Resources<</Font<</F1 3 0 R/F2 4 0 R>>>>>>".encode()
        )
        objects.append(b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream))
    return _file(objects)


def _lines(text: str) -> Iterator[Line]:
    for paragraph in text.split("\n\n"):
        words = " ".join(paragraph.split())
        style = TITLE if words.startswith("# ") else HEADING if words.startswith("## ") else TEXT
        for line in _wrapped(words.lstrip("# "), style[3]):
            yield style, line
        yield TEXT, ""


def _wrapped(text: str, most: int) -> Iterator[str]:
    """Lines of at most so many letters; a word that may be divided is, where it does not fit."""
    line = ""
    for word in text.split():
        parts = word.split(SOFT)
        whole = "".join(parts)
        if line and len(line) + 1 + len(whole) > most:
            if len(parts) > 1 and len(line) + 2 + len(parts[0]) <= most:
                yield f"{line} {parts[0]}-"
                line = "".join(parts[1:])
            else:
                yield line
                line = whole
        else:
            line = f"{line} {whole}".strip()
    if line:
        yield line


def _pages(lines: list[Line]) -> Iterator[bytes]:
    pieces: list[str] = []
    height = HEIGHT - MARGIN
    for (font, size, leading, _), text in lines:
        height -= leading
        if height < MARGIN:
            yield "\n".join(pieces).encode("cp1252")
            pieces, height = [], HEIGHT - MARGIN - leading
        if text:
            escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
            pieces.append(f"BT /{font} {size} Tf {MARGIN} {height} Td ({escaped}) Tj ET")
    if pieces:
        yield "\n".join(pieces).encode("cp1252")


def _font(name: str) -> bytes:
    return f"<</Type/Font/Subtype/Type1/BaseFont/{name}/Encoding/WinAnsiEncoding>>".encode()


def _file(objects: list[bytes]) -> bytes:
    data = b"%PDF-1.5\n"
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj%s\nendobj\n" % (number, content)
    rows = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    return data + b"xref\n0 %d\n0000000000 65535 f \n%strailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        size, rows, size, len(data),
    )  # fmt: skip

"""Made-up papers drawn line by line: quick to make, with any ending, head or margin. All words are invented."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pypdfium2
from reportlab.lib.pagesizes import LETTER
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from engines.formats.papers import FullPaper
from engines.pdf.paper import read_paper

TEXT = (
    "It has been argued that owls locate prey by sound alone [1, 2]. The asymmetry of the ears was measured earlier "
    "[3], and a model of delays was given by others [2-4]. In the present work we measure both at once, and we ask "
    "whether faint light changes what the birds do. Earlier work was done in full darkness [5]."
)
OWN = (
    "Forty nights were recorded with four microphones, and every strike was filmed at a high rate. The perch was moved "
    "after each trial, and light was kept below one hundredth of a lux. What the birds heard was heard by us as well."
)
NUMBERED = (
    "[1] A. Uhl and B. Kauz, Ears of owls, Journal of Invented Birds 11, 100 (1999).",
    "[2] C. Eule, Sound and prey, Journal of Invented Birds 12, 200 (2001).",
    "[3] D. Strix, Asymmetry in bone, Journal of Invented Birds 13, 300 (2004).",
    "[4] E. Tyto, Delays in the ear, Journal of Invented Birds 14, 400 (2009).",
    "[5] F. Bubo, Hunting in the dark, Journal of Invented Birds 15, 500 (2015).",
)
WIDTH, HEIGHT = LETTER


@dataclass
class Manuscript:
    """What a paper holds, from its title on; `works` are printed below `heading`, or after a blank line for ""."""

    title: str = "Hearing of Barn Owls in Faint Light"
    sections: Sequence[tuple[str, Sequence[str]]] = (("1 Introduction", (TEXT, TEXT)), ("2 Method", (OWN, OWN)))
    heading: str = ""
    works: Sequence[str] = NUMBERED
    described: dict[str, str] = field(default_factory=dict)
    outline: bool = False
    head: str = ""  # of each page, "#" for its number
    top: float = 720  # of the text on each page; the head stands 30 above it
    ruler: bool = False
    contents: Sequence[str] = ()
    above_title: str = ""


class _Pen:
    def __init__(self, made: Manuscript, path: Path) -> None:
        self.made = made
        self.canvas = Canvas(str(path), pagesize=LETTER)
        self.page, self.y = 0, 0.0
        self.turn()

    def turn(self) -> None:
        """Begin a page, with its head."""
        if self.page:
            self.canvas.showPage()
        self.page += 1
        self.y = self.made.top
        if self.made.head:
            self.write(self.made.head.replace("#", str(self.page)), y=self.made.top + 30, size=8)
        if self.made.ruler:
            for line in range(54):
                self.write(str(54 * (self.page - 1) + line + 1), y=720 - 12 * line, left=30, size=6)

    def write(self, text: str, *, y: float, left: float = 72, size: float = 10, font: str = "Times-Roman") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(left, y, text)

    def line(self, text: str, *, size: float = 10, font: str = "Times-Roman", left: float = 72) -> None:
        if self.y < 80:
            self.turn()
        self.write(text, y=self.y, left=left, size=size, font=font)
        self.y -= 12

    def paragraph(self, text: str, *, hang: float = 0, indent: float = 12) -> None:
        """Set a text in lines of 460 points."""
        words, line, is_first = text.split(), "", True
        for word in words:
            if stringWidth(f"{line} {word}", "Times-Roman", 10) > 460:
                self.line(line, left=72 + (indent if is_first else hang))
                line, is_first = word, False
            else:
                line = f"{line} {word}".strip()
        self.line(line, left=72 + (indent if is_first else hang))


def draw(made: Manuscript, path: Path) -> Path:
    """Write the paper."""
    pen = _Pen(made, path)
    for name, value in made.described.items():
        getattr(pen.canvas, f"set{name}")(value)
    pen.write(made.above_title, y=made.top - 20, size=24)
    pen.write(made.title, y=made.top - 50, size=16, font="Times-Bold")
    pen.write("Ada Xample and Ben Ypsilon", y=made.top - 70, size=11)
    pen.y = made.top - 110
    for row in made.contents:
        pen.line(row)
    for heading, texts in made.sections:
        _draw_section(pen, heading, texts)
    pen.y -= 18
    if made.heading:
        pen.line(made.heading, font="Times-Bold", size=12)
    for work in made.works:
        pen.paragraph(work, hang=18, indent=0)
    pen.canvas.save()
    return path


def _draw_section(pen: _Pen, heading: str, texts: Sequence[str]) -> None:
    pen.y -= 12
    if pen.made.outline:
        pen.canvas.bookmarkPage(heading)
        pen.canvas.addOutlineEntry(heading, heading, 0)
    font, size = ("Times-Roman", 10) if pen.made.outline else ("Times-Bold", 12)
    if heading:
        pen.line(heading, font=font, size=size)
        pen.y -= 6
    for text in texts:
        pen.paragraph(text)


def read(made: Manuscript, folder: Path) -> FullPaper:
    """Draw the paper and read it."""
    path = draw(made, folder / "owls.pdf")
    with pypdfium2.PdfDocument(path) as document:
        return read_paper(document, {}, path.name)

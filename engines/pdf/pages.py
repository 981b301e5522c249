"""The characters of a PDF page with their places, gathered into runs: pieces of words set in one font and size.

PDFium is called as rarely as possible: for code and box of each character, for all else once for each run.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

_LIGATURES = {
    0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st",
    0x02: "-", 0xFFFE: "-", 0xAD: "-", 0x2010: "-", 0x2011: "-",
}  # fmt: skip
# Fonts of TeX that do not name their letters leave the codes of its encoding T1 for ligatures, quotes and dashes.
_LIGATURES |= {
    0x1B: "ff", 0x1C: "fi", 0x1D: "fl", 0x1E: "ffi", 0x1F: "ffl", 0x10: "“", 0x11: "”", 0x15: "–", 0x16: "—",
}  # fmt: skip
_BLANKS = frozenset({0x09, 0x0A, 0x0D, 0x20, 0xA0, 0x2002, 0x2003, 0x2009, 0x202F, 0x3000})
# Controls stand for glyphs whose letter the file does not name.
_NOTHING = frozenset({*range(0x20), 0x7F, 0xFEFF, 0xFFFF, 0x200B, 0x200C, 0x200D} - {0x02, *_LIGATURES})
_BOLD = re.compile(r"bold|black|heavy|demi|cmbx|cmssbx|(?:[a-z]|-)T?B(?:I|Z)?\d*$|medi\b|-Bd", re.IGNORECASE).search
_ITALIC = re.compile(r"ital|obli|cmti|cmsl|cmbxti|(?:[a-z]T?(?:B|Z)?I\d*$)|-It\b", re.IGNORECASE).search
_SYMBOLS = re.compile(r"cmmi|cmsy|cmex|math|symbol|msbm|msam|txsy|txmi|pxsy|rsfs|eufm|stix.*(?:sym|mi)", re.IGNORECASE)
_MATHEMATICAL = re.compile("[\U0001d400-\U0001d7ff\u2102-\u2121\u2124-\u2134]").search
_UPRIGHT = math.radians(8)
_LEAST_BLANK = 0.105  # of the height of a line, after a small letter: PDFium misses blanks in tightly set lines
_MOST_ON_PAGE = 200_000
_MOST_CHARACTERS = 8_000_000

Box = tuple[float, float, float, float]  # left, bottom, right, top in the page's own space


def _unchecked(function: Any, result: Any) -> Callable[..., Any]:
    """Return a function of PDFium without pypdfium2's check of arguments, which takes three quarters of a short call.

    It must be given exactly what it takes: a handle as `c_void_p`, whole numbers, places as `byref`.
    """
    return ctypes.CFUNCTYPE(result)(ctypes.cast(function, ctypes.c_void_p).value or 0)


# Called for each character or run.
_unicode_of = _unchecked(pdfium.FPDFText_GetUnicode, ctypes.c_uint)
_box_of = _unchecked(pdfium.FPDFText_GetLooseCharBox, ctypes.c_int)
_origin_of = _unchecked(pdfium.FPDFText_GetCharOrigin, ctypes.c_int)
_object_of = _unchecked(pdfium.FPDFText_GetTextObject, ctypes.c_void_p)


@dataclass(frozen=True, slots=True)
class Font:
    """What the layout needs to know of a font."""

    name: str
    is_bold: bool
    is_italic: bool
    is_symbols: bool


@dataclass(slots=True)
class Run:
    """Characters that stand next to each other in one font and size; `spaced` if a blank stands before them.

    Places are in points from the page's top left as it is looked at; `base` is the baseline.
    """

    text: str
    left: float
    right: float
    top: float
    bottom: float
    base: float
    size: float
    font: Font
    spaced: bool


@dataclass(frozen=True, slots=True)
class PageRuns:
    """A page: `number` from 1, its size in points as it is looked at, and its upright text in the file's order."""

    number: int
    width: float
    height: float
    runs: list[Run]


class TooMuchText(Exception):
    """More characters than any real paper holds; says where, to be read after the file's name."""


def read_pages(document: pypdfium2.PdfDocument) -> Iterator[PageRuns]:
    """Yield the pages one after the other; only one is open at a time. Raises `TooMuchText`."""
    total = 0
    for place in range(len(document)):
        page = document[place]
        try:
            found = _read_page(page, place + 1)
        finally:
            page.close()
        total += sum(len(run.text) for run in found.runs)
        if total > _MOST_CHARACTERS:
            raise TooMuchText(f"holds more than {_MOST_CHARACTERS:,} characters")
        yield found


def _read_page(page: pypdfium2.PdfPage, number: int) -> PageRuns:
    text = page.get_textpage()
    try:
        if pdfium.FPDFText_CountChars(text.raw) > _MOST_ON_PAGE:
            raise TooMuchText(f"holds more than {_MOST_ON_PAGE:,} characters on page {number}")
        reader = _Reader(page, text.raw)
        return PageRuns(number, reader.width, reader.height, list(reader.runs()))
    finally:
        text.close()


def _placing(page: pypdfium2.PdfPage, width: float, height: float) -> Callable[[float, float], tuple[float, float]]:
    """Return how a point of the page's own space is placed on the page as looked at (cropped, rotated)."""
    fine = 100
    x, y = ctypes.c_int(), ctypes.c_int()

    def place(left: float, top: float) -> tuple[float, float]:
        wide, high = round(width * fine), round(height * fine)
        pdfium.FPDF_PageToDevice(page.raw, 0, 0, wide, high, 0, left, top, ctypes.byref(x), ctypes.byref(y))
        return x.value / fine, y.value / fine

    zero, right, up = place(0, 0), place(1000, 0), place(0, 1000)
    a, b = (right[0] - zero[0]) / 1000, (right[1] - zero[1]) / 1000
    c, d = (up[0] - zero[0]) / 1000, (up[1] - zero[1]) / 1000

    def placed(left: float, top: float) -> tuple[float, float]:
        return zero[0] + a * left + c * top, zero[1] + b * left + d * top

    return placed


class _Reader:
    """Reads the runs of one page."""

    def __init__(self, page: pypdfium2.PdfPage, text: pdfium.FPDF_TEXTPAGE) -> None:
        self.width, self.height = page.get_size()
        self.placed = _placing(page, self.width, self.height)
        self.turn = math.radians(page.get_rotation())
        self.text = text
        self.handle = ctypes.cast(text, ctypes.c_void_p)
        # Fonts are kept for the page only: PDFium may give the address of a closed one to another.
        self.fonts: dict[int, Font] = {}
        self.styles: dict[int, tuple[float, Font] | None] = {}
        self.x, self.y = ctypes.c_double(), ctypes.c_double()
        self.x_place, self.y_place = ctypes.byref(self.x), ctypes.byref(self.y)

    def runs(self) -> Iterator[Run]:
        """Yield the runs of the page in the order of the file."""
        for first, spaced, letters, box in self._pieces():
            run = self._run(first, spaced, letters, box)
            if run is not None:
                yield run

    def _pieces(self) -> Iterator[tuple[int, bool, list[str], Box]]:
        """Yield (first, spaced, letters, box) of neighbours with the same height of box, between blanks."""
        # Local names for what is asked of each character: this loop takes a fifth of the time to read a paper.
        unicode_of, box_of, text = _unicode_of, _box_of, self.handle
        room = bytearray(ctypes.sizeof(pdfium.FS_RECTF))
        where, place_of_box = ctypes.byref(pdfium.FS_RECTF.from_buffer(room)), memoryview(room).cast("f")
        blanks, nothing, ligatures = _BLANKS, _NOTHING, _LIGATURES
        letters: list[str] = []
        low = high = begin = end = 0.0
        first, spaced, is_blank_due = 0, True, True
        for place in range(pdfium.FPDFText_CountChars(self.text)):
            code = unicode_of(text, place)
            if code in blanks:
                is_blank_due = True
                continue
            if code in nothing or not box_of(text, place, where):
                continue
            if letters and 0xDC00 <= code <= 0xDFFF:
                letters[-1] += chr(code)
                continue
            left, top, right, bottom = place_of_box
            height, gap = high - low, left - end
            is_same = abs(bottom - low) <= 0.3 and abs(top - high) <= 0.3 and -0.4 * height < gap < 0.35 * height
            if not letters or is_blank_due or not is_same or (gap > _LEAST_BLANK * height and letters[-1].islower()):
                if letters:
                    yield first, spaced, letters, (begin, low, end, high)
                spaced = is_blank_due or is_same
                letters, begin, low, high = [], left, bottom, top
                first, is_blank_due = place, False
            end = right
            letters.append(ligatures.get(code) or chr(code))
        if letters:
            yield first, spaced, letters, (begin, low, end, high)

    def _run(self, first: int, spaced: bool, letters: list[str], box: Box) -> Run | None:
        style = self._style(first)
        if style is None:
            return None
        size, font = style
        _origin_of(self.handle, first, self.x_place, self.y_place)
        one, other = self.placed(box[0], box[1]), self.placed(box[2], box[3])
        base = self.placed(self.x.value, self.y.value)[1]
        left, right = (one[0], other[0]) if one[0] <= other[0] else (other[0], one[0])
        top, bottom = (other[1], one[1]) if other[1] <= one[1] else (one[1], other[1])
        if right < 0 or left > self.width or bottom < 0 or top > self.height:
            return None
        return Run(_text(letters), left, right, top, bottom, base, size or bottom - top, font, spaced)

    def _style(self, place: int) -> tuple[float, Font] | None:
        """Return size and font of a character, None if it does not stand upright; asked once for each text object."""
        key = _object_of(self.handle, place) or 0
        if key not in self.styles:
            thing = pdfium.FPDFText_GetTextObject(self.text, place)
            angle = _angle(pdfium.FPDFText_GetCharAngle(self.text, place) + self.turn)
            found = (self._size(place), self._font(thing)) if abs(angle) <= _UPRIGHT else None
            self.styles[key] = found
        return self.styles[key]

    def _size(self, place: int) -> float:
        matrix = pdfium.FS_MATRIX()
        size = float(pdfium.FPDFText_GetFontSize(self.text, place))
        if pdfium.FPDFText_GetMatrix(self.text, place, ctypes.byref(matrix)):
            size *= math.hypot(matrix.c, matrix.d)
        return size

    def _font(self, thing: pdfium.FPDF_PAGEOBJECT | None) -> Font:
        handle = pdfium.FPDFTextObj_GetFont(thing) if thing else None
        key = ctypes.addressof(handle.contents) if handle else 0
        if key not in self.fonts:
            self.fonts[key] = _font(handle)
        return self.fonts[key]


def _text(letters: list[str]) -> str:
    """Join characters; PDFium gives those beyond the basic plane in two halves."""
    text = "".join(letters)
    if text.isascii():
        return text
    if any("\ud800" <= char <= "\udfff" for char in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return unicodedata.normalize("NFKC", text) if _MATHEMATICAL(text) else text


def _angle(angle: float) -> float:
    return (angle + math.pi) % (2 * math.pi) - math.pi


def _font(handle: pdfium.FPDF_FONT | None) -> Font:
    if not handle:
        return Font("", is_bold=False, is_italic=False, is_symbols=False)
    room = ctypes.create_string_buffer(256)
    size = pdfium.FPDFFont_GetBaseFontName(handle, room, len(room))
    name = room.value.decode("utf-8", "replace") if 0 < size <= len(room) else ""
    name = re.sub(r"^[A-Z]{6}\+", "", name)
    angle = ctypes.c_int()
    slanted = bool(pdfium.FPDFFont_GetItalicAngle(handle, ctypes.byref(angle))) and angle.value != 0
    return Font(
        name,
        is_bold=bool(_BOLD(name)),
        is_italic=slanted or bool(_ITALIC(name)),
        is_symbols=bool(_SYMBOLS.search(name)),
    )

"""Text files of any usual encoding as UTF-8, in flat memory: what readers see is always UTF-8.

Recognised are a byte order mark, the declaration of an XML file, UTF-16 without a mark, and UTF-8. A byte that is no
UTF-8 is read as Windows-1252, which holds all of Latin-1's letters. Where such bytes are few among letters of UTF-8,
the file is in UTF-8 and each of them is noted by line; else all of it is in Windows-1252. Every other encoding has to
be chosen, and in a chosen one no byte is read in another.

Where the first lines end with CR alone, as old Macs and some of their programs write them, every CR becomes LF.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO

from engines.formats.lines import PIECE
from engines.formats.mixed_text import MixedText
from engines.formats.notes import Notes
from engines.formats.records import BrokenFile

AUTO = "auto"
# What people choose from, by the names of Python's codecs.
ENCODINGS = {
    AUTO: "Detect from the file",
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1, Western Europe)",
    "cp1250": "Windows-1250 (Central Europe)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8-r": "KOI8-R (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
}
_LABELS = {
    "utf-32-le": "UTF-32",
    "utf-32-be": "UTF-32",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1)",
}
_BINARY = (b"PAR1", b"%PDF", b"PK\x03\x04", b"\x80")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before that of UTF-16, which it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"\s*<\?xml[^>]*\sencoding\s*=\s*[\"']([A-Za-z][\w.-]*)[\"']").match
_HEAD = 1 << 16  # bytes that decide, and that a peek gives at least


class Recoded(io.BufferedReader):
    """A stream of UTF-8 made from one in another encoding, or in none that is known."""

    @property
    def encoding(self) -> str:
        """What the file has been read as so far, in words; "" for a file that is no text."""
        ends = " with the line ends of old Macs (CR)" if self.raw.has_old_ends else ""  # type: ignore[attr-defined]
        return f"{self.raw.label}{ends}"  # type: ignore[attr-defined]

    @property
    def notes(self) -> Notes:
        """What was noticed in lines of the file: in its bytes here, and by its reader."""
        return self.raw.notes  # type: ignore[attr-defined]


def as_utf8(stream: BinaryIO, file: str, encoding: str = AUTO) -> Recoded:
    """The stream as UTF-8 without a byte order mark; itself where it has been made so already.

    `encoding` is one of `ENCODINGS`. Reading it raises `BrokenFile` where the bytes are not valid in a chosen or
    declared encoding.
    """
    if isinstance(stream, Recoded):
        return stream
    return Recoded(_Recoder(stream, file, encoding), PIECE)


def head_as_utf8(data: bytes) -> bytes:
    """The beginning of a file as UTF-8; a character that the head cuts off is left out."""
    try:
        return Recoded(_Recoder(io.BytesIO(data), "", AUTO, is_head=True), PIECE).read()
    except BrokenFile:
        return data


class _Recoder(io.RawIOBase):
    """Passes UTF-8 on as it is, and turns everything else into it; how is decided at the first bytes."""

    def __init__(self, source: BinaryIO, file: str, encoding: str, *, is_head: bool = False) -> None:
        self.source = source
        self.file = file
        self.chosen = encoding
        self.is_head = is_head  # its end may lie within a character
        self.notes = Notes()
        self.own_label = ""
        self.line = 1  # of what is decoded next
        self.ready = b""
        self.has_old_ends = False  # CR alone ends its lines
        self.decoder: codecs.IncrementalDecoder | None = None
        self.mixed: MixedText | None = None
        self.is_begun = self.is_ended = False

    def readable(self) -> bool:
        return True

    @property
    def label(self) -> str:
        return self.mixed.label if self.mixed is not None else self.own_label

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if not self.is_begun:
            self._begin()
        while not self.ready and not self.is_ended:
            data = self.source.read(len(buffer))
            self.is_ended = not data
            self.ready = self._with_plain_ends(self._recoded(data))
        count = min(len(buffer), len(self.ready))
        buffer[:count], self.ready = self.ready[:count], self.ready[count:]
        return count

    def _begin(self) -> None:
        self.is_begun = True
        head = b""
        while len(head) < _HEAD and (more := self.source.read(_HEAD - len(head))):
            head += more
        found, head = self._encoding(head)
        if found in ("utf-8", "utf8", "us-ascii", "ascii"):
            self.own_label = "UTF-8"
            if self.chosen == AUTO:
                self.mixed = MixedText(self.file, self.notes, b"\r" if _has_old_ends(head) else b"\n")
        elif found:
            self._decode_as(found)
        head = self._recoded(head) if head else b""
        self.has_old_ends = bool(self.label) and _has_old_ends(head)
        self.ready = self._with_plain_ends(head)

    def _with_plain_ends(self, data: bytes) -> bytes:
        return data.replace(b"\r", b"\n") if self.has_old_ends else data

    def _encoding(self, head: bytes) -> tuple[str, bytes]:
        """The codec to begin with, "" for bytes that are no text, and the head without its mark."""
        mark, marked = next(((mark, name) for mark, name in _MARKS if head.startswith(mark)), (b"", ""))
        head = head[len(mark) :]
        if self.chosen == "utf-16":
            return marked if marked.startswith("utf-16") else _half_zero(head) or "utf-16-le", head
        if self.chosen != AUTO:
            return self.chosen, head
        if marked or head.startswith(_BINARY):
            return marked, head
        if b"\0" in head:
            return _half_zero(head), head
        declared = _DECLARED(head)
        return (declared[1].decode().lower() if declared else "utf-8"), head

    def _decode_as(self, name: str) -> None:
        try:
            found = codecs.lookup(name)
        except LookupError as error:
            raise BrokenFile(self.file, 1, f"says that it is written in {name}, which is not known here") from error
        if not found._is_text_encoding or found.incrementaldecoder is None:
            raise BrokenFile(self.file, 1, f"says that it is written in {name}, which is not a text encoding")
        self.decoder = found.incrementaldecoder("strict")
        self.own_label = _LABELS.get(name) or ENCODINGS.get(name) or name.upper()

    def _recoded(self, data: bytes) -> bytes:
        if self.decoder is not None:
            return self._decoded(data)
        return self.mixed.take(data, is_last=self.is_ended and not self.is_head) if self.mixed is not None else data

    def _decoded(self, data: bytes) -> bytes:
        try:
            text = self.decoder.decode(data, self.is_ended and not self.is_head)  # type: ignore[union-attr]
        except UnicodeDecodeError as error:
            line = self.line + error.object[: error.start].count(b"\n")
            byte = error.object[error.start]
            reason = f"byte 0x{byte:02x} is not {self.label} text; choose the encoding of the file"
            raise BrokenFile(self.file, line, reason) from error
        self.line += text.count("\n")
        return text.encode("utf-8", "surrogatepass")


def _has_old_ends(head: bytes) -> bool:
    return b"\n" not in head and b"\r" in head[:-1]


def _half_zero(head: bytes) -> str:
    """UTF-16 by its zero bytes, which the letters of Latin have; "" where they lie otherwise."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    most = max(even, odd)
    if most < 2 or 5 * most < len(head) or 4 * min(even, odd) > most:
        return ""
    return "utf-16-le" if odd > even else "utf-16-be"

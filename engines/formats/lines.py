"""Bytes to text, strictly: UTF-8 or a clear refusal, line by line or in chunks, in flat memory.

LF ends a line, and CRs before it are dropped; what other CRs mean is decided by the reader. U+2028 and its like are
ordinary characters. A byte order mark at the start is dropped. NUL bytes, bytes that are not UTF-8 and lines that are
too long raise `BrokenFile`.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from typing import BinaryIO

from engines.formats.lone_returns import Parted, as_ends
from engines.formats.notes import Notes, notes_of
from engines.formats.records import BrokenFile

MAX_LINE_BYTES = 32 << 20
MAX_ROW_BYTES = 1 << 20  # of a row of a few columns
# Bytes read at a time. Larger pieces are returned to the system and requested again for each read (malloc does so from
# 128 kB), which takes longer than reading them.
PIECE = 1 << 16


def read_lines(
    stream: BinaryIO,
    file: str,
    *,
    max_bytes: int = MAX_LINE_BYTES,
    with_ends: bool = False,
    parted: Callable[[str], Parted] = as_ends,
) -> Iterator[tuple[int, str]]:
    """Yield (1-based line number, line without its end, unless `with_ends`) for every line, blank ones included.

    `parted` says what a line is that has a CR in it; this is noted.
    """
    number = 0
    while raw := stream.readline(max_bytes + 1):
        number += 1
        if len(raw) > max_bytes:
            raise BrokenFile(file, number, f"the line is longer than {max_bytes >> 20 or 1} MB")
        if number == 1 and not (raw := _without_mark(raw, file)):
            return
        if b"\0" in raw:
            raise _binary(file, number)
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            raise _undecodable(file, number, error) from error
        if not with_ends:
            text = text.rstrip("\r\n")
            if "\r" in text:
                yield from ((number, piece) for piece in _pieces(text, parted, number, notes_of(stream)))
                continue
        yield number, text


def _pieces(text: str, parted: Callable[[str], Parted], line: int, notes: Notes) -> list[str]:
    pieces, note = parted(text)
    if note:
        notes.add(line, note)
    return pieces


def read_chunks(stream: BinaryIO, file: str, *, size: int = PIECE) -> Iterator[str]:
    """Yield the text in pieces of about `size` bytes; CRLF and lone CR become LF."""
    decode = codecs.getincrementaldecoder("utf-8")().decode
    number = 0
    held = ""
    raw = _without_mark(stream.read(size), file)
    while True:
        if b"\0" in raw:
            raise _binary(file, number + 1 + raw[: raw.index(b"\0")].count(b"\n"))
        try:
            text = held + decode(raw, not raw)
        except UnicodeDecodeError as error:
            line = number + 1 + error.object[: error.start].count(b"\n")
            raise _undecodable(file, line, error) from error
        text, held = _plain_line_ends(text, last=not raw)
        if text:
            yield text
        if not raw:
            return
        number += raw.count(b"\n")
        raw = stream.read(size)


class TextBuffer:
    """Text taken in by chunks: `text[at:]` is still to be read; `line` is the line at `counted`, from 1."""

    def __init__(self, chunks: Iterator[str], file: str) -> None:
        self.chunks = chunks
        self.file = file
        self.text = ""
        self.at = 0
        self.counted = 0
        self.line = 1

    def take_chunk(self) -> bool:
        """Drop what is read and take in another chunk; False at the end of the file."""
        chunk = next(self.chunks, None)
        if chunk is None:
            return False
        self.count_lines(self.at)
        self.text = self.text[self.at :] + chunk
        self.at = self.counted = 0
        return True

    def grow(self) -> bool:
        """Double what is at hand, so that a long record is not read again for every chunk; False at the end."""
        size = 2 * (len(self.text) - self.at)
        grown = self.take_chunk()
        while grown and len(self.text) < size and self.take_chunk():
            pass
        return grown

    def count_lines(self, position: int) -> int:
        """The line of a position, which is not before `counted`."""
        self.line += self.text.count("\n", self.counted, position)
        self.counted = position
        return self.line


def _plain_line_ends(text: str, *, last: bool) -> tuple[str, str]:
    """Return the text with LF as its only line end, and a final CR that may belong to an LF to come."""
    if "\r" not in text:
        return text, ""
    held = "\r" if text.endswith("\r") and not last else ""
    return text[: len(text) - len(held)].replace("\r\n", "\n").replace("\r", "\n"), held


def _without_mark(raw: bytes, file: str) -> bytes:
    if raw.startswith(codecs.BOM_UTF8):
        return raw[3:]
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BrokenFile(file, 1, "is written in UTF-16; save it as UTF-8")
    return raw


def _binary(file: str, number: int) -> BrokenFile:
    return BrokenFile(file, number, "holds a NUL byte: this is not a text file")


def _undecodable(file: str, number: int, error: UnicodeDecodeError) -> BrokenFile:
    byte = error.object[error.start]
    return BrokenFile(file, number, f"byte 0x{byte:02x} is not UTF-8 text; save the file as UTF-8")

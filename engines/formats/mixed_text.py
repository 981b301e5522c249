"""Text that is UTF-8, or Windows-1252, or UTF-8 with a few bytes of Windows-1252 in it, as people's programs leave it.

A byte that is no UTF-8 means the same in both readings. They differ only where letters of UTF-8 stand: these are read
as such unless there are more bytes that are none. What was decided so must hold to the end of the file. The fewer are
noted by line.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator

from engines.formats.notes import MOST, Notes
from engines.formats.records import BrokenFile

WESTERN = "Windows-1252 (Latin-1)"
_CODEC = "cp1252"
_ESCAPED = 0xDC00  # Python's “surrogateescape” adds it to a byte that is no UTF-8
_odd = re.compile("[\udc80-\udcff]").finditer
_letter = re.compile("[^\x00-\x7f\udc80-\udcff]").finditer
_MEANING = {_ESCAPED + byte: bytes([byte]).decode(_CODEC, "replace") for byte in range(0x80, 0x100)}
_UNKNOWN = "\ufffd"
_FEW = 40  # bytes that are not UTF-8; from so few, nothing is concluded
_ASCII_LETTERS = [bytes([each]) for each in range(0x41, 0x7B) if chr(each).isalpha()]


class MixedText:
    """Takes the bytes of one file, piece by piece, and gives them back as UTF-8."""

    def __init__(self, file: str, notes: Notes, line_end: bytes = b"\n") -> None:
        self.file = file
        self.notes = notes
        self.line_end = line_end
        self.line = 1  # of what is taken next
        self.tail = b""  # of a character that goes on in the next bytes
        self.letters = 0  # of UTF-8, or a few more
        self.odd_bytes = 0  # that are no UTF-8
        self.waiting: dict[int, str] = {}  # {line: what they mean}, until it is known what the file is
        self.is_western: bool | None = None  # None as long as both readings say the same

    @property
    def label(self) -> str:
        """What the file has been read as so far."""
        return WESTERN if self.odd_bytes and self.is_western is not False else "UTF-8"

    def take(self, data: bytes, *, is_last: bool) -> bytes:
        """The bytes as UTF-8; a character that they cut off comes with the next ones. Raises `BrokenFile`."""
        if not self.tail and data.isascii():
            self.line += self._ends_in(data)
            return data
        data = self.tail + data
        try:
            text, used = codecs.utf_8_decode(data, "strict", is_last)
            found = self._read(data[:used], text, [])
        except UnicodeDecodeError:
            text, used = codecs.utf_8_decode(data, "surrogateescape", is_last)
            found = self._read(data[:used], text, [each.start() for each in _odd(text)])
        self.tail = data[used:]
        self.line += self._ends_in(data[:used])
        return found

    def _ends_in(self, data: bytes) -> int:
        """How many lines end; counted as numbers, which takes a fifth of the time of `count`."""
        import numpy as np  # not loaded at the start of a program, which loads this module

        return int(np.count_nonzero(np.frombuffer(data, np.uint8) == self.line_end[0]))

    def _read(self, data: bytes, text: str, odd: list[int]) -> bytes:
        """Bytes as UTF-8; `text` has those at the places `odd` escaped."""
        letters = len(data) - len(text)
        self.letters += letters
        self.odd_bytes += len(odd)
        if self.is_western is None and letters:
            self.is_western = self.letters < self.odd_bytes
        found = self._read_odd(data, text, odd) if odd or self.is_western else data
        if self.is_western is not None:
            self._note_waiting()
        return found

    def _read_odd(self, data: bytes, text: str, odd: list[int]) -> bytes:
        if self.is_western is False and self.odd_bytes > self.letters:
            raise self._broken(text, odd[0], "is not UTF-8 text, and there are more such bytes than letters of UTF-8")
        if len(odd) > _FEW and 2 * len(odd) > sum(map(data.count, _ASCII_LETTERS)):
            raise self._broken(text, odd[0], "is not UTF-8 text, and there are too many such bytes for Windows-1252")
        return self._western(data, text) if self.is_western else self._repaired(text, odd)

    def _western(self, data: bytes, text: str) -> bytes:
        letters = [each.start() for each in _letter(text)]
        if self.letters > self.odd_bytes:
            raise self._broken(text, letters[0], "is UTF-8 text, and what comes before it is not")
        for line, place in self._lines(text, letters):
            written = text[place].encode().decode(_CODEC, "replace")
            self.notes.add(line, f"“{written}” would be “{text[place]}” in UTF-8; it was read as Windows-1252")
        try:
            return data.decode(_CODEC).encode()
        except UnicodeDecodeError as error:
            raise self._unknown(data[error.start], data[: error.start].count(self.line_end)) from error

    def _repaired(self, text: str, odd: Iterable[int]) -> bytes:
        """The text with the odd bytes as letters."""
        for line, place in self._lines(text, odd):
            letter = _MEANING[ord(text[place])]
            if letter == _UNKNOWN:
                raise self._unknown(ord(text[place]) - _ESCAPED, line - self.line)
            if line in self.waiting or len(self.waiting) < MOST:
                self.waiting[line] = self.waiting.get(line, "") + letter
        return text.translate(_MEANING).encode()

    def _note_waiting(self) -> None:
        """Note the odd bytes by line, unless the file is in Windows-1252."""
        for line, letters in self.waiting.items() if not self.is_western else ():
            self.notes.add(line, f"“{letters[:40]}” is not in UTF-8, as the file is; it was read as Windows-1252")
        self.waiting.clear()

    def _lines(self, text: str, places: Iterable[int]) -> Iterator[tuple[int, int]]:
        """(line, place) of each of the places."""
        line, counted, end = self.line, 0, self.line_end.decode()
        for place in places:
            line, counted = line + text.count(end, counted, place), place
            yield line, place

    def _broken(self, text: str, place: int, what: str) -> BrokenFile:
        byte = text[place].encode("utf-8", "surrogateescape")[0]
        line = self.line + text.count(self.line_end.decode(), 0, place)
        return BrokenFile(self.file, line, f"byte 0x{byte:02x} {what}; choose the encoding of the file")

    def _unknown(self, byte: int, lines: int) -> BrokenFile:
        reason = f"byte 0x{byte:02x} is neither UTF-8 nor {WESTERN} text; choose the encoding of the file"
        return BrokenFile(self.file, self.line + lines, reason)

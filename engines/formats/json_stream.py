"""One large JSON object (or array) read piece by piece: arrays element by element, everything else value by value.

Memory holds one element (and a chunk of text) at a time, whatever the size of the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from engines.formats.jsonl import Decoder, check_characters
from engines.formats.lines import TextBuffer, read_chunks
from engines.formats.notes import Notes, notes_of
from engines.formats.records import BrokenFile

MAX_ELEMENT_CHARS = 64 << 20

_another = re.compile(r"[ \t]*,[ \t]*[^\s]").match
_SPACE = re.compile(r"[ \t\n\r]*")
_ENDS = frozenset(" \t\n\r,]}:")
_TAIL = 64  # a fault this close to the end of the text read so far may only be the end of the chunk


@dataclass(frozen=True, slots=True)
class Part:
    """A value of the object: `index` is the place in the array `key`, or None for a value that is no array.

    `problem` says why the value cannot be stored, where it cannot (NUL, half a surrogate pair). `place` says which
    element it is ("element 5: ") where the line has several.
    """

    key: str
    index: int | None
    value: Any
    line: int
    problem: str | None = None
    place: str = ""


def read_parts(stream: BinaryIO, file: str) -> Iterator[Part]:
    """Yield the parts of the object in file order. Raises `BrokenFile` where it is not JSON, with the line."""
    return _Reader(read_chunks(stream, file), file, notes_of(stream)).parts()


def read_elements(stream: BinaryIO, file: str) -> Iterator[Part]:
    """Yield the elements of a file that is one array, their `key` "". Errors: as of `read_parts`."""
    return _Reader(read_chunks(stream, file), file, notes_of(stream)).elements()


class _Reader(TextBuffer):
    def __init__(self, chunks: Iterator[str], file: str, notes: Notes) -> None:
        super().__init__(chunks, file)
        self.escaped = False  # whether the last value was written with \\u escapes
        self.decoder = Decoder()
        self.notes = notes
        self.line_before = 0  # where the element before began

    def parts(self) -> Iterator[Part]:
        self._expect("{")
        if self._next() == "}":
            self.at += 1
        else:
            yield from self._fields()
        self._check_end("object")

    def elements(self) -> Iterator[Part]:
        yield from self._elements("")
        self._check_end("list")

    def _check_end(self, what: str) -> None:
        if self._next():
            raise self._broken(f"text follows the end of the {what}")

    def _fields(self) -> Iterator[Part]:
        while True:
            key = self._value()
            if not isinstance(key, str):
                raise self._broken("a key is not a string")
            self._expect(":")
            if self._next() == "[":
                yield from self._elements(key)
            else:
                yield self._part(key, None)
            if self._expect(",}") == "}":
                return

    def _elements(self, key: str) -> Iterator[Part]:
        self._expect("[")
        if self._next() == "]":
            self.at += 1
            return
        index = 0
        while True:
            yield self._part(key, index)
            index += 1
            if self._expect(",]") == "]":
                return

    def _part(self, key: str, index: int | None) -> Part:
        self._next()
        line = self.count_lines(self.at)
        value = self._value()
        place = "" if index is None or not self._shares_line(line) else f"element {index + 1:,}: "
        self.line_before = line
        self.decoder.note_repeats(self.notes, line, place)
        problem = None
        if self.escaped:
            try:
                check_characters(value)
            except ValueError as error:
                problem = str(error)
        return Part(key, index, value, line, problem, place)

    def _shares_line(self, line: int) -> bool:
        """Whether the element at hand, which began in this line, is not the only one there."""
        return self.line_before == line or _another(self.text, self.at) is not None

    def _next(self) -> str:
        """Skip white space and return the next character, "" at the end of the file."""
        while True:
            self.at = _SPACE.match(self.text, self.at).end()  # type: ignore[union-attr]
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.take_chunk():
                return ""

    def _expect(self, characters: str) -> str:
        found = self._next()
        if not found:
            raise self._broken("the file ends in the middle of the object")
        if found not in characters:
            raise self._broken(f"{' or '.join(characters)} is expected, not {found!r}")
        self.at += 1
        return found

    def _value(self) -> Any:
        """Decode the value at hand, taking in more text while it is not complete."""
        self._next()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                complete = error.pos < len(self.text) - _TAIL and not error.msg.startswith("Unterminated string")
                if complete or len(self.text) - self.at > MAX_ELEMENT_CHARS or not self.grow():
                    raise self._broken(f"is not JSON: {error.msg}", min(error.pos, len(self.text))) from error
            except (ValueError, RecursionError) as error:
                reason = "is nested too deeply" if isinstance(error, RecursionError) else str(error)
                raise self._broken(reason) from error
            else:
                # A number that ends with the chunk may go on in the next one: "1" and ".5", "1e" and "9".
                if self.text[end : end + 1] in _ENDS or not self.grow():
                    self.escaped = self.text.find("\\u", self.at, end) >= 0
                    self.at = end
                    return value

    def _broken(self, reason: str, position: int | None = None) -> BrokenFile:
        return BrokenFile(self.file, self.count_lines(self.at if position is None else position), reason)

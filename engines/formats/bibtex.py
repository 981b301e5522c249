"""BibTeX as databases export it: entries with their raw field values, in flat memory.

A scanner of balanced braces; it takes a quarter of the time of pybtex, with which the tests compare it.

Text outside entries is a comment, as in BibTeX. Where a field occurs twice in an entry the first counts, and the others
are kept under other names. A word that no @string has defined so far stays as it is written, and is named in `words`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.bibtex_words import STANDARD_WORDS, Joined, bare_word
from engines.formats.lines import TextBuffer, read_chunks
from engines.formats.records import BrokenFile, PartProblem, Problem

MAX_ENTRY_CHARS = 4 << 20
_MAX_UNCLOSED = 100
_MAX_MACROS = 100_000
_MAX_MACRO_CHARS = 32 << 20  # of all together
_TOO_LONG = f"the entry that begins here is longer than {MAX_ENTRY_CHARS:,} characters, or its braces do not balance"

_NOT_ENTRIES = frozenset({"comment", "preamble", "string"})

_HEAD = re.compile(r"@[ \t]*([A-Za-z]\w*)\s*([{(])")
_LINE_HEAD = re.compile(r"\n[ \t]*@[ \t]*[A-Za-z]\w*\s*[{(]")
_KEYS = {closer: re.compile(rf"\s*+([^,{{}}\"{closer}]*+)(?:,|(?=\{closer}))") for closer in "})"}
_NAME = re.compile(r"[\s,]*+([^\s=,{}\"()#%@\\]++)\s*+=\s*+")
_JOIN = re.compile(r"\s*+#\s*+")
_BRACES = re.compile(r"[{}]")
_QUOTES = re.compile(r"[{}\"]")
_GAP = re.compile(r"[\s,]*")
_ENDS = (",", "\n}", "}")  # what follows a value to which nothing is joined
_CLOSES = ("\n}", ",\n}", "}")  # what ends most entries
_AFTER = re.compile(r"\s*,\s*[A-Za-z][\w-]*\s*=\s*[{\"\w]").match  # entries may be separated by a comma alone


@dataclass(slots=True)
class Entry:
    """One entry: `kind` and field names in lower case, values as written between their delimiters.

    `words` are the fields whose values hold words that were not defined before the entry.
    """

    kind: str
    key: str
    fields: dict[str, str]
    line: int
    file: str = ""
    words: dict[str, Joined] | None = None


class _Unclosed(Exception):
    """The text ended before the entry did."""


class _Malformed(Exception):
    """The entry is closed but cannot be understood; `end` is where reading goes on."""

    def __init__(self, reason: str, end: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.end = end


def read_entries(stream: BinaryIO, file: str, macros: dict[str, str] | None = None) -> Iterator[Entry | Problem]:
    """Yield the entries of a BibTeX file in order, and a `Problem` for each that cannot be understood.

    `macros` are the words defined so far, in lower case; those that the file defines are added. Raises `BrokenFile` if
    the file is not text or ends inside an entry.
    """
    return _Reader(read_chunks(stream, file), file, macros).read()


class _Reader(TextBuffer):
    def __init__(self, chunks: Iterator[str], file: str, macros: dict[str, str] | None = None) -> None:
        super().__init__(chunks, file)
        self.unclosed = 0
        self.macro_chars = 0
        self.macros = dict(STANDARD_WORDS) if macros is None else macros

    def read(self) -> Iterator[Entry | Problem]:
        seen = any_text = False
        while True:
            head = _HEAD.search(self.text, self.at)
            if head is None:
                any_text = any_text or bool(self.text.strip())
                self.at = max(self.at, self.text.rfind("@")) if "@" in self.text[-200:] else len(self.text)
                if not self.take_chunk():
                    break
                continue
            seen = True
            self.count_lines(head.start())
            entry = self._entry(head)
            if entry is not None:
                yield entry
        if any_text and not seen:
            yield Problem(self.file, 1, "no BibTeX entry was found in this file")

    def _entry(self, head: re.Match[str]) -> Entry | Problem | None:
        """Read the entry with the scanner, taking in more text while it is not closed; None for @string and such."""
        start = head.start()
        while True:
            try:
                entry, self.at = _scan(self.text, start, self)
            except _Malformed as bad:
                self.at = bad.end
                return Problem(self.file, self.line, bad.reason)
            except _Unclosed:
                room = MAX_ENTRY_CHARS - (len(self.text) - start)
                self.at = start
                if room > 0 and self.grow():
                    start = 0
                    continue
                return self._give_up(too_long=room <= 0)
            return entry

    def define(self, fields: dict[str, str], words: dict[str, Joined], end: int) -> Problem | None:
        """Take in what @string defines; a problem where that holds words that are not defined before it."""
        self.macro_chars += sum(map(len, fields.values()))
        if len(self.macros) + len(fields) > _MAX_MACROS or self.macro_chars > _MAX_MACRO_CHARS:
            most = f"{_MAX_MACROS:,} words, or {_MAX_MACRO_CHARS >> 20} million characters,"
            raise _Malformed(f"more than {most} are defined by @string", end)
        self.macros.update(fields)
        unknown = [word for joined in words.values() for word in joined.unknown(self.macros)]
        if not unknown:
            return None
        reason = f"@string uses the word “{unknown[0]}”, which is not defined before it"
        return PartProblem(self.file, self.line, reason)

    def _give_up(self, *, too_long: bool) -> Problem:
        """Leave an entry that is never closed: go on at the next one, or refuse the file where there is none."""
        following = _LINE_HEAD.search(self.text, self.at + 1)
        if following is None:
            cut = "the file ends inside the entry that begins here: it is cut short"
            raise BrokenFile(self.file, self.line, _TOO_LONG if too_long else cut)
        self.unclosed += 1
        if self.unclosed > _MAX_UNCLOSED:
            raise BrokenFile(self.file, self.line, f"more than {_MAX_UNCLOSED} entries are never closed")
        self.at = following.start() + 1
        return Problem(self.file, self.line, _TOO_LONG if too_long else "the braces of this entry do not balance")


def _scan(text: str, start: int, reader: _Reader) -> tuple[Entry | Problem | None, int]:
    """Read the entry at `start`; return it (None for @comment, @preamble, @string) and where it ends."""
    head = _HEAD.match(text, start)
    assert head is not None  # noqa: S101 (the caller searched for it)
    kind = head[1].lower()
    closer = "}" if head[2] == "{" else ")"
    if kind == "string":
        words: dict[str, Joined] = {}
        fields, end = _scan_fields(text, head.end(), closer, reader.macros, words)
        return reader.define(fields, words, end), end
    if kind in _NOT_ENTRIES:
        return None, _skip_block(text, head.end(), closer)
    key = _KEYS[closer].match(text, head.end())
    if key is None and _NAME.match(text, head.end()) is None:
        raise _Malformed("the entry has no key", _skip_block(text, head.end(), closer))
    words = {}
    fields, end = _scan_fields(text, key.end() if key else head.end(), closer, reader.macros, words)
    for joined in words.values():  # from places to lines
        joined.line = reader.line + text.count("\n", start, joined.line)
    return Entry(kind, key[1].rstrip() if key else "", fields, reader.line, reader.file, words or None), end


def _scan_fields(
    text: str, at: int, closer: str, macros: dict[str, str], words: dict[str, Joined]
) -> tuple[dict[str, str], int]:
    """Read fields up to the end of the entry; values with words that are not defined come into `words` as well."""
    fields: dict[str, str] = {}
    opened, find, begins = at, text.find, text.startswith
    while name := _NAME.match(text, at) or (not begins(_CLOSES, at) and _name_after_comment(text, at)):
        at = name.end()
        end = find("}", at) if begins("{", at) else -1
        if end >= 0 and find("{", at + 1, end) < 0 and begins(_ENDS, end + 1):  # as most values: no braces, no join
            value: str | Joined = text[at + 1 : end]
            at = end + 1
        else:
            value, at = _scan_value(text, at, macros, opened, closer)
        field = name[1].lower()
        if type(value) is str and field not in fields:
            fields[field] = value
        else:
            _keep(field, value, fields, words, name.start(1))
    end = _end_of_gap(text, at)
    if end >= len(text):
        raise _Unclosed
    if text[end] != closer:
        near = " ".join(text[end : end + 30].split())
        raise _Malformed(f"cannot be understood near {near!r}", _skip_block(text, opened, closer))
    if _AFTER(text, end + 1):
        raise _Malformed("a closing brace too many: text follows the end of the entry", end + 1)
    return fields, end + 1


def _name_after_comment(text: str, at: int) -> re.Match[str] | None:
    """The name of the next field, where lines that begin with % stand before it."""
    end = _GAP.match(text, at).end()  # type: ignore[union-attr]
    return _NAME.match(text, _end_of_gap(text, end)) if text.startswith("%", end) else None


def _end_of_gap(text: str, at: int) -> int:
    """Where white space, commas and comments end."""
    end = _GAP.match(text, at).end()  # type: ignore[union-attr]
    while text.startswith("%", end):
        line_end = text.find("\n", end)
        if line_end < 0:
            raise _Unclosed
        end = _GAP.match(text, line_end).end()  # type: ignore[union-attr]
    return end


def _keep(field: str, value: str | Joined, fields: dict[str, str], words: dict[str, Joined], at: int) -> None:
    """Keep one more field of the same name by another one, unless it says the same; note the words of a value."""
    number, name = 2, field
    while name in fields and fields[name] != value:
        name = f"{field} ({number})"
        number += 1
    if isinstance(value, Joined):
        value.line = at
        words[name] = value
        value = value.value({})
    fields[name] = value


def _scan_value(text: str, at: int, macros: dict[str, str], opened: int, closer: str) -> tuple[str | Joined, int]:
    """Read `{…}`, `"…"` or a bare word, and what `#` joins to it; return the value and where it ends."""
    parts: list[str] = []
    unknown: list[int] = []
    while True:
        end = _delimited(text, at)
        if end > 0:
            parts.append(text[at + 1 : end - 1])
        elif (end := bare_word(text, at, macros, parts, unknown)) < 0:
            raise _Malformed("a field has no value", _skip_block(text, opened, closer))
        join = _JOIN.match(text, end)
        if join is None:
            return Joined(parts, unknown, at) if unknown else "".join(parts), end
        at = join.end()


def _delimited(text: str, at: int) -> int:
    """Where a value between braces or quotes ends, 0 for a word."""
    if text.startswith("{", at):
        return _matching_brace(text, at + 1)
    if text.startswith('"', at):
        return _closing_quote(text, at + 1)
    if at >= len(text):
        raise _Unclosed
    return 0


def _matching_brace(text: str, at: int) -> int:
    """Return the position after the brace that closes the one before `at`."""
    first = text.find("}", at)
    if first >= 0 and text.find("{", at, first) < 0:  # most values hold no braces
        return first + 1
    depth = 1
    for brace in _BRACES.finditer(text, at):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise _Unclosed


def _closing_quote(text: str, at: int) -> int:
    """Return the position after the quote that ends a quoted value: the first one outside braces."""
    depth = 0
    for mark in _QUOTES.finditer(text, at):
        if mark[0] == '"' and depth <= 0:
            return mark.end()
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    raise _Unclosed


def _skip_block(text: str, at: int, closer: str) -> int:
    """Return the position after the closer of a block opened before `at`."""
    if closer == "}":
        return _matching_brace(text, at)
    depth = 0
    for mark in re.compile(r"[{})]").finditer(text, at):
        if mark[0] == ")" and depth <= 0:
            return mark.end()
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    raise _Unclosed

"""Records of tagged lines, as reference managers and databases export them: where each begins and ends.

Three dialects: RIS (`TY  - ` to `ER  - `), MEDLINE as PubMed writes it (`PMID- ` to an empty line) and the Web of
Science's (`PT ` to `ER`). A line without a tag continues the one before. What stands outside of records is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from engines.formats.records import BrokenFile, PartProblem, Remark

MAX_RECORD_CHARS = 64 << 20


@dataclass(frozen=True)
class Dialect:
    """How a line with a tag looks (two groups: tag and value), and which tags begin and end a record.

    Where `end` is "", a record ends at an empty line and may begin with any tag. A continued line of `lists` is a
    further value; of `verses` it stays a separate line; any other continues the text. `outside` are tags around the
    records.
    """

    name: str
    line: re.Pattern[str]
    start: str
    end: str = ""
    lists: frozenset[str] = frozenset()
    verses: frozenset[str] = frozenset()
    outside: frozenset[str] = frozenset()


@dataclass(slots=True)
class Tagged:
    """One record: the line where it begins and its (tag, value) pairs in order."""

    line: int
    pairs: list[tuple[str, str]] = field(default_factory=list)
    size: int = 0
    more: list[str] = field(default_factory=list)  # how the last value goes on, line by line

    def whole(self) -> Tagged:
        """Itself with its last value complete; joined once: joining line by line would take time that grows with the
        square of the lines."""
        if self.more:
            tag, value = self.pairs[-1]
            self.pairs[-1] = (tag, "".join([value, *self.more]))
            self.more.clear()
        return self


RIS = Dialect(
    "RIS",
    re.compile(r"([A-Z][A-Z0-9])(?:  ?-[ \t]*|\t-?[ \t]*)(.*)"),
    "TY",
    "ER",
    lists=frozenset({"KW", "AU", "A1", "A2", "A3", "A4", "UR", "L1", "L2"}),
    verses=frozenset({"N1", "RN"}),
)
MEDLINE = Dialect("PubMed", re.compile(r"([A-Z][A-Z0-9]{1,3}) {0,2}- ?(.*)"), "PMID")
WEB_OF_SCIENCE = Dialect(
    "Web of Science",
    re.compile(r"([A-Z][A-Z0-9])(?: (.*)|)$"),
    "PT",
    "ER",
    lists=frozenset({"AU", "AF", "BA", "BF", "BE", "CA", "GP", "CR", "RI", "OI"}),
    outside=frozenset({"FN", "VR", "EF"}),
)


def read_tagged(
    lines: Iterable[tuple[int, str]], file: str, dialect: Dialect
) -> Iterator[Tagged | PartProblem | Remark]:
    """Yield the records. A record that the file's end or the next one cuts off comes with a `PartProblem`.

    Raises `BrokenFile` for a record beyond `MAX_RECORD_CHARS`.
    """
    reader = _Reader(file, dialect)
    for number, text in lines:
        yield from reader.take(number, text)
    yield from reader.finish()


class _Reader:
    def __init__(self, file: str, dialect: Dialect) -> None:
        self.file = file
        self.dialect = dialect
        self.draft: Tagged | None = None
        self.strays = 0
        self.first_stray = ""
        self.is_spaced = True  # RIS: two characters between tag and dash, as its first line has it

    def take(self, number: int, text: str) -> Iterator[Tagged | PartProblem]:
        """Take a line in; gives the record that it ends."""
        found = self._tag(text)
        tag, value = found if found else ("", text.strip())
        if self._begins(tag):
            yield from self._cut_off(f"another {tag}")
            self.is_spaced = text[2:4] != " -"
            self.draft = Tagged(number, [(tag, value)])
        elif self.draft is None:
            self._pass_over(tag, text)
        elif (tag and tag == self.dialect.end) or not (text.strip() or self.dialect.end):
            yield self.draft.whole()
            self.draft = None
        else:
            self._add(self.draft, tag, value)

    def _begins(self, tag: str) -> bool:
        """Whether a line with this tag begins a record; where none is ended by a tag, its own tag comes once in it."""
        if self.dialect.end or self.draft is None:
            return bool(tag) and (tag == self.dialect.start or not self.dialect.end)
        return tag == self.dialect.start and any(tag == each for each, _ in self.draft.pairs)

    def finish(self) -> Iterator[Tagged | PartProblem | Remark]:
        """Gives the record that is open, and what to say of lines outside."""
        if self.draft is not None and not self.dialect.end:
            yield self.draft.whole()
        else:
            yield from self._cut_off("the end of the file")
        if self.strays:
            lines = "line outside of records was" if self.strays == 1 else "lines outside of records were"
            yield Remark(self.file, 0, f"{self.strays:,} {lines} skipped, such as “{self.first_stray[:60]}”")

    def _tag(self, text: str) -> tuple[str, str] | None:
        found = self.dialect.line.match(text)
        if found is None or (self.draft is not None and self.is_spaced and text[2:4] == " -"):
            return None
        return found[1], (found[2] or "").strip()

    def _cut_off(self, by: str) -> Iterator[Tagged | PartProblem]:
        if self.draft is not None:
            if self.dialect.end:
                reason = f"the record has no {self.dialect.end} line before {by}; it may be cut off"
                yield PartProblem(self.file, self.draft.line, reason)
            yield self.draft.whole()
            self.draft = None

    def _pass_over(self, tag: str, text: str) -> None:
        if text.strip() and tag not in self.dialect.outside:
            self.strays += 1
            self.first_stray = self.first_stray or text.strip()

    def _add(self, draft: Tagged, tag: str, value: str) -> None:
        draft.size += len(value)
        if draft.size > MAX_RECORD_CHARS:
            reason = f"the record is longer than {MAX_RECORD_CHARS >> 20} million characters"
            raise BrokenFile(self.file, draft.line, reason)
        last, before = draft.pairs[-1]
        if tag or (value and last in self.dialect.lists):
            draft.whole().pairs.append((tag or last, value))
        elif value:
            mark = "\n" if last in self.dialect.verses else " "
            draft.more.append(f"{mark}{value}" if before or draft.more else value)

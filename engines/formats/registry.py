"""The formats of files: one object each says how a file is recognised, what is read from it and what is written as it.

A new format is one module with a `Format` and one line in `BUILT_IN`, or an entry point of another package in the group
`litmus.formats`. Forms, the API, commands, help and messages read the formats here and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache, cached_property
from typing import Any, BinaryIO, Protocol

from engines.formats.comments import is_comment
from engines.formats.encodings import head_as_utf8
from engines.formats.foreign import HINTS, foreign
from engines.formats.json_wrapping import IsRecord, wrapped_in
from engines.formats.jsonl import parse_object
from engines.formats.layouts import Layout
from engines.formats.records import BrokenFile
from engines.plugins import Registry

AUTO = "auto"
GROUP = "litmus.formats"  # of entry points; each leads to a `Format`, under its name
HEAD_BYTES = 1 << 16
MARK_CHARS = 4096  # within which a text says what it is
SAMPLE_LINES = 20

# In the order of lists. Paths and not objects: some readers belong to packages above this one.
BUILT_IN = (
    "engines.formats.bibtex_documents:BIBTEX",
    "engines.formats.ris:RIS_FORMAT",
    "engines.formats.ris:NBIB_FORMAT",
    "engines.formats.ris:WOS_FORMAT",
    "engines.formats.judgments:CSV",
    "engines.formats.known_answers:KNOWN_ANSWERS",
    "engines.formats.json_lines:JSONL",
    "engines.formats.beir:BEIR",
    "engines.formats.topic_tables:TABLE",
    "engines.formats.table_documents:WORKBOOK",
    "engines.formats.trec:TREC",
    "engines.formats.trec:TREC_XML",
    "engines.formats.trec:QRELS",
    "engines.formats.qrels_json:QRELS_JSON",
    "engines.formats.pool_lists:PAIRS",
    "engines.formats.s2orc:S2ORC",
    "engines.formats.doris_mae:DORIS_MAE",
    "engines.formats.litsearch:LITSEARCH",
    "engines.pdf.pdf_format:PDF",
    "engines.formats.tei_format:TEI",
    "engines.formats.acm_cr:ACM_CR",
    "engines.formats.paper_files:ORDER",
    "engines.formats.paper_files:SHEET",
)

Read = Callable[..., Iterator[Any]]  # (stream, name of the file, options of what is carried): records, Skips, Problems
Write = Callable[..., Iterator[str]]


class Together(Protocol):
    """Reads all files of one import, which refer to each other; it says itself which ids occur twice in a file."""

    def read(self, stream: BinaryIO, file: str) -> Iterator[Any]:
        """What of a file is complete already."""
        ...

    def finish(self) -> Iterator[Any]:
        """What is complete once all files were read, with a problem for each file that gave nothing."""
        ...


class Certainty(IntEnum):
    """How certain a format is where a file fits the shape; the surest shape that fits wins."""

    SURE = 0
    LIKELY = 1
    IF_REQUESTED = 2  # considered only where such records are requested; its reader gives the best reasons
    POSSIBLE = 3
    MEANT = 4  # bears a mark of what is requested, and fits nothing else of it: its reader says what is missing
    LAST = 5  # fits nothing else, and such records are requested: the reader says what is wrong, by line


_COMMENT = re.compile(r"\s*#(?![,;\t])").match  # “#” alone may be the name of a column
_REQUESTED = (Certainty.IF_REQUESTED, Certainty.MEANT, Certainty.LAST)


class Head:
    """The beginning of a file, as shapes look at it."""

    def __init__(self, data: bytes, file: str) -> None:
        self.data = data
        self.suffix = file.lower().removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz").rpartition(".")[2]
        self.text = data.decode("utf-8-sig", "replace").lstrip()
        self.is_binary = b"\0" in data
        self.is_json = self.text.startswith("{")
        self.is_list = re.match(r"\[\s*\{", self.text) is not None  # of JSON objects
        # How all protocols since 2003 begin; a file of an older one looks like text and has only its name.
        self.is_pickle = (data[:1] == b"\x80" and data[1:2] <= b"\x05") or self.suffix in ("pkl", "pickle")

    @cached_property
    def keys(self) -> frozenset[str]:
        """Of the first JSON object, all at hand where it goes on beyond the head or over several lines."""
        return self.keys_at_hand if self.is_json else frozenset()

    @cached_property
    def keys_at_hand(self) -> frozenset[str]:
        """As `keys`; of a list of objects all that the head holds."""
        if not self.is_json and not self.is_list:
            return frozenset()
        try:
            return frozenset(parse_object(self.text.split("\n", 1)[0]))
        except (ValueError, RecursionError):
            return frozenset(re.findall(r"\"([\w-]+)\"\s*:", self.text))

    @cached_property
    def marks(self) -> str:
        """The first characters of a text that is not JSON, in lower case."""
        return "" if self.is_json else self.text[:MARK_CHARS].lower()

    @cached_property
    def lines(self) -> list[str]:
        """The first lines that are not blank of a text that is not JSON; one that the head cuts off is left out."""
        lines = [] if self.is_json else self.text.split("\n")
        return [line for line in (lines[:-1] if len(lines) > 1 else lines)[:SAMPLE_LINES] if line.strip()]

    @cached_property
    def rows(self) -> list[list[str]]:
        """The columns of the lines that are no comments (#), as of a file whose columns are separated by white space.

        None of a file that begins like XML.
        """
        lines = [] if self.text.startswith("<") else self.lines
        return [line.split() for line in lines if not line.lstrip().startswith("#")]

    @cached_property
    def columns(self) -> list[str]:
        """The names in the first line that is no comment, as of a table with commas, semicolons or tabs."""
        lines = [] if self.is_json else self.text.split("\n", SAMPLE_LINES)
        first = next((line for line in lines if not _COMMENT(line)), "")
        return [name.strip().strip('"').lower() for name in re.split(r"[,;\t]", first)]

    def has_keys(self, *sets: set[str]) -> bool:
        """Whether the first JSON object has all keys of one of the sets."""
        return any(self.keys >= some for some in sets)

    def holds_list(self, carried: str, is_record: IsRecord) -> bool:
        """Whether it is a list of such records, or one JSON object around one."""
        if self.is_list:
            return is_record(self.keys_at_hand)
        return self.is_json and bool(wrapped_in(self.text, is_record, carried))


@dataclass(frozen=True)
class Shape:
    """What a file may look like, and which records it carries then. `name` tells shapes apart."""

    name: str
    carries: tuple[str, ...]
    fits: Callable[[Head], object]
    certainty: Certainty = Certainty.SURE
    is_binary: bool = False  # such a file may hold NUL bytes
    label: str = ""  # what messages call it, where that is not the format's label


@dataclass(frozen=True)
class Format:
    """A format. `name` is what people choose and imports store, `help` says in a sentence what such a file looks like.

    `reads` and `writes` are by what is carried: documents, topics, runs, pool, judgments, mentions, papers. All that is
    read has a layout, with lines to copy and the names of the fields. `together` makes readers for all files of an
    import (options of what is carried). Errors: ValueError for one that is missing.
    """

    name: str
    label: str
    help: str
    reads: Mapping[str, Read] = field(default_factory=dict)
    writes: Mapping[str, Write] = field(default_factory=dict)
    shapes: tuple[Shape, ...] = ()
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    together: Mapping[str, Callable[..., Together]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if lacking := sorted(self.reads.keys() - self.layouts.keys()):
            raise ValueError(f"the format {self.name} has no layout of {', '.join(lacking)}")


@cache
def formats() -> Registry[Format]:
    """All formats by name: Litmus's own in the order of `BUILT_IN`, then those of other packages."""
    return Registry(GROUP, Format, *BUILT_IN)


def formats_for(carried: str) -> list[Format]:
    """The formats from which such records are read."""
    return [each for each in formats().values() if carried in each.reads]


def format_names(carried: str) -> tuple[str, ...]:
    """The choices of format for an import of such records: "auto" and, where there are several, their names."""
    names = [each.name for each in formats_for(carried)]
    return (AUTO, *names) if len(names) > 1 else (AUTO,)


def format_label(name: str) -> str:
    """The label of a format that was chosen or stored; its package may have been removed since."""
    return "Detect from the file" if name == AUTO else formats().label_of(name)


def labels_for(carried: str) -> str:
    """The formats from which such records are read, as words: "BibTeX, JSON Lines or BEIR"."""
    *labels, last = [each.label for each in formats_for(carried)]
    return f"{', '.join(labels)} or {last}" if labels else last


def detect(data: bytes, file: str, carried: str = "") -> tuple[Format, Shape]:
    """Return the format and the shape that `data`, the beginning of a file, has.

    `carried` is what should be read from it; the shape found may carry something else nevertheless. Raises `BrokenFile`
    with the reason where it is none.
    """
    if not data.strip():
        raise BrokenFile(file, 0, "the file is empty")
    written, data = data, head_as_utf8(data)
    head = Head(data, file)
    if reason := foreign(written, head.text):
        raise BrokenFile(file, 0, reason)
    fitting = _fitting(head, carried)
    found = next(fitting, None) or _behind_first_line(data, file, carried)
    if found is not None and carried and carried not in found[1].carries:
        found = next((one for one in fitting if one[1].certainty is Certainty.MEANT), found)
    if found is not None:
        return found
    if head.is_pickle:
        reason = "is a Python pickle, which is never read, as reading one runs what is in it"
        raise BrokenFile(file, 0, f"{reason}. Save it as text instead, scores as a TREC run")
    if head.is_binary:
        raise BrokenFile(file, 0, "is not a text file")
    if head.lines and all(map(is_comment, head.lines)):
        raise BrokenFile(
            file, 0, "its format is not recognised (all lines at its beginning are comments); name the format"
        )
    words = " ".join(head.text[:200].split())[:60]
    raise BrokenFile(
        file, 0, f"its format is not recognised (it begins with “{words}”); name the format{HINTS.get(carried, '')}"
    )


def _behind_first_line(data: bytes, file: str, carried: str) -> tuple[Format, Shape] | None:
    """What the file is but for its first line, where that is what is requested: the reader says what is wrong in it."""
    rest = data.partition(b"\n")[2]
    while rest.startswith(b"#"):
        rest = rest.partition(b"\n")[2]
    head = Head(rest, file)
    fitting = _fitting(head, carried) if carried and head.text else ()
    return next((one for one in fitting if carried in one[1].carries), None)


def _fitting(head: Head, carried: str) -> Iterator[tuple[Format, Shape]]:
    """What the file may be, the surest first."""
    for each, shape in _surest_first():
        if head.is_binary and not shape.is_binary:
            continue
        if shape.certainty in _REQUESTED and carried not in shape.carries:
            continue
        if shape.fits(head):
            yield each, shape


def _surest_first() -> list[tuple[Format, Shape]]:
    found = [(each, shape) for each in formats().values() for shape in each.shapes]
    return sorted(found, key=lambda pair: pair[1].certainty)

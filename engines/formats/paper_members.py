"""The papers of a path, with the bytes of the files that hold them and what comes with them."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines.formats.archives import Member, open_files
from engines.formats.encodings import as_utf8
from engines.formats.papers import PaperFormat
from engines.formats.reading import detected_format
from engines.formats.records import BrokenFile, Problem
from engines.formats.registry import AUTO, Format, formats

MOST_BYTES = 100 << 20  # of one file that holds one paper
COMING_WITH = ("paper-order", "reference-notes")  # what is read from files that come with papers


@dataclass(frozen=True, slots=True)
class PaperMember:
    """A file of papers, or one that comes with them; what was read from it follows until the next one.

    `carried` is what it holds: papers, paper-order or reference-notes. `data` are its bytes, where it holds one paper.
    """

    name: str
    format: str
    carried: str
    data: bytes = b""


def read_paper_files(
    path: Path,
    format: str = AUTO,  # noqa: A002 (the name users know)
    *,
    name: str = "",
    watch: Callable[[int], None] = lambda _: None,
    encoding: str = AUTO,
    complete: Callable[[Any], Any] = lambda paper: paper,
) -> Iterator[Any]:
    """Yield each file as a `PaperMember` and, behind it, its papers, rows or lines; a bad file is a `Problem`.

    Papers of a format that `is_read_apart` do not follow: their files are given to its own reader. The others are given
    as `complete` makes them.
    Raises `BrokenFile` where the path cannot be opened at all.
    """
    for member in open_files(path, name=name, watch=watch):
        try:
            found = formats()[format] if format != AUTO else detected_format(member, "papers", "papers")
            if isinstance(found, PaperFormat):
                yield from _read_papers(member, found, complete, encoding)
            for carried in COMING_WITH:
                if carried in found.reads:
                    yield from _read_coming_with(member, found, carried)
        except BrokenFile as broken:
            yield Problem(member.name, broken.line, broken.reason)


def _read_papers(member: Member, found: PaperFormat, complete: Callable[[Any], Any], encoding: str) -> Iterator[Any]:
    stream, data = member.stream, b""
    if found.is_one_paper:
        data = stream.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise BrokenFile(member.name, 0, f"is larger than {MOST_BYTES >> 20} MB")
        stream = io.BytesIO(data)
    yield PaperMember(member.name, found.name, "papers", data)
    if not found.is_read_apart:
        text = as_utf8(stream, member.name, encoding)
        for paper in found.reads["papers"](text, member.name, vocabulary=dict, check=lambda: None):
            yield paper if isinstance(paper, Problem) else complete(paper)
        yield from text.notes.problems(member.name)


def _read_coming_with(member: Member, found: Format, carried: str) -> Iterator[Any]:
    """All of it or, where it breaks off, nothing."""
    text = as_utf8(member.stream, member.name)
    rows = [*found.reads[carried](text, member.name), *text.notes.problems(member.name)]
    yield PaperMember(member.name, found.name, carried)
    yield from rows

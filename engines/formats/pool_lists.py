"""Lists of documents to judge: a topic and a docno in each line, or qrels of TREC and BEIR, whose values are not read.

101 10.1145/1                       topic docno, also with tabs, commas or semicolons and a line of names
101 0 10.1145/1 2                   TREC qrels: topic iteration docno value
query-id  corpus-id  score          BEIR qrels: this line, then topic docno value
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from engines.formats.comments import Comments, is_comment
from engines.formats.layouts import Layout, required
from engines.formats.lines import MAX_ROW_BYTES, read_lines
from engines.formats.qrels import DOCNO_NAMES, TOPIC_NAMES, header_places, place_of
from engines.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, Remark, id_problem
from engines.formats.registry import Certainty, Format, Head, Shape
from engines.formats.tables import cells_of

# Where the docno stands, by the number of columns.
_DOCNO = {2: 1, 3: 1, 4: 2}
_MARKUP = frozenset("<[{@%")  # what other files begin with
_DIGIT = re.compile("[0-9]").search


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One document to be judged for one topic."""

    topic: str
    docno: str
    file: str = ""
    line: int = 0


def read_pool_list(stream: BinaryIO, file: str) -> Iterator[PoolRow | Remark | Problem]:
    """Yield the rows of one list; blank lines and comments (#) are passed over.

    The first line determines how many columns there are.

    Raises `BrokenFile` where the file is not text, is empty, or does not begin like a list.
    """
    mark, places, comments = "", _Places(0, 0, 0), Comments(file)
    for line, text in read_lines(stream, file, max_bytes=MAX_ROW_BYTES):
        if not text or text.isspace() or comments.take(text):
            continue
        if not places.width:
            mark = _mark(text)
            header = _header(_cells(text, mark))
            places = header or _unnamed(_cells(text, mark), file, line)
            if header:
                continue
        yield _row(_cells(text, mark), places, file=file, line=line)
    if not places.width:
        raise BrokenFile(file, 0, "the file is empty")
    yield from comments.remarks()


def _mark(row: str) -> str:
    """What separates the columns of a list whose first row this is; "" stands for any white space."""
    return "" if len(row.split()) > 1 else next((mark for mark in ",;" if mark in row), "")


def _cells(row: str, mark: str) -> list[str]:
    return [cell.strip() for cell in cells_of(row, mark)] if mark else row.split()


class _Places(NamedTuple):
    """How many columns there are, and where topic and docno stand."""

    width: int
    topic: int
    docno: int


def _header(columns: list[str]) -> _Places | None:
    """The places that a first line names; None where it names none."""
    if found := header_places(columns):
        return _Places(found.width, found.topic, found.docno)
    topic, docno = (place_of(columns, names) for names in (TOPIC_NAMES, DOCNO_NAMES))
    return None if topic is None or docno is None or len(columns) != 2 else _Places(2, topic, docno)


def _unnamed(columns: list[str], file: str, line: int) -> _Places:
    if len(columns) in _DOCNO:
        return _Places(len(columns), 0, _DOCNO[len(columns)])
    what = "this is a run: import it as one" if len(columns) == 6 else "expected are topic docno, or qrels"
    raise BrokenFile(file, line, f"has {len(columns)} column{'s' if len(columns) > 1 else ''}; {what}")


def _row(columns: list[str], places: _Places, *, file: str, line: int) -> PoolRow | Problem:
    if len(columns) != places.width:
        return Problem(file, line, f"has {len(columns)} columns where the first line has {places.width}")
    topic, docno = columns[places.topic], columns[places.docno]
    if reason := id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno):
        return Problem(file, line, reason)
    return PoolRow(topic, docno, file, line)


def _pairs(head: Head) -> list[list[str]]:
    """The first rows of a list whose lines are two ids each, the second one with a digit, or named by a header.

    Nothing else has them so; none of any other file.
    """
    lines = [line for line in head.lines if not is_comment(line)] if head.text[:1] not in _MARKUP else []
    rows = [_cells(line, _mark(lines[0])) for line in lines]
    is_named = bool(rows) and len(rows[0]) == 2 and _header(rows[0]) is not None
    return rows if is_named or all(len(row) == 2 and _DIGIT(row[1]) for row in rows) else []


def _is_list(head: Head) -> bool:
    """Whether the first row has as many columns as a list may have; with commas, two ids in each."""
    if not head.rows or len(head.rows[0]) in _DOCNO:
        return bool(head.rows)
    lines = [line for line in head.lines if not is_comment(line)]
    rows = [_cells(line, _mark(lines[0])) for line in lines]
    return all(len(row) == 2 and not any(map(id_problem, row)) for row in rows)


PAIRS = Format(
    name="pairs",
    label="Pairs",
    help="Topic and docno on each line, separated by spaces, tabs or commas.",
    reads={"pool": read_pool_list},
    shapes=(
        Shape("pairs", ("pool",), lambda head: len(_pairs(head)) > 1, Certainty.LIKELY),
        Shape("pairs", ("pool",), _is_list, Certainty.IF_REQUESTED),
        Shape("pairs", ("pool",), _pairs, Certainty.POSSIBLE),  # one line may be a topic as well
    ),
    layouts={
        "pool": Layout(
            "1 10.1145/1\n1 10.1145/2\n",
            (required(TOPIC_NAMES, "number of the topic"), required(DOCNO_NAMES, "id of the document")),
            "Spaces, tabs or commas separate the columns. A first line may name them. "
            "Lines that begin with # are comments.",
        )
    },
)

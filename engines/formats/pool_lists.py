"""Lists of documents to judge: a topic and a docno in each line, or qrels of TREC and BEIR, whose values are not read.

101 10.1145/1                       topic docno
101 0 10.1145/1 2                   TREC qrels: topic iteration docno value
query-id  corpus-id  score          BEIR qrels: this line, then topic docno value
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.layouts import Layout, required
from engines.formats.lines import MAX_ROW_BYTES, read_lines
from engines.formats.qrels import BEIR_HEADER
from engines.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, id_problem
from engines.formats.registry import Certainty, Format, Head, Shape

# Where the docno stands, by the number of columns.
_DOCNO = {2: 1, 3: 1, 4: 2}


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One document to be judged for one topic."""

    topic: str
    docno: str
    file: str = ""
    line: int = 0


def read_pool_list(stream: BinaryIO, file: str) -> Iterator[PoolRow | Problem]:
    """Yield the rows of one list; blank lines are passed over. The first line determines how many columns there are.

    Raises `BrokenFile` where the file is not text, is empty, or begins like no list.
    """
    width = 0
    for line, text in read_lines(stream, file, max_bytes=MAX_ROW_BYTES):
        columns = text.split()
        if not columns:
            continue
        if not width:
            width = _width(columns, file, line)
            if tuple(columns) == BEIR_HEADER:
                continue
        yield _row(columns, width, file, line)
    if not width:
        raise BrokenFile(file, 0, "the file is empty")


def _width(columns: list[str], file: str, line: int) -> int:
    if len(columns) in _DOCNO:
        return len(columns)
    what = "this is a run: import it as one" if len(columns) == 6 else "expected are topic docno, or qrels"
    raise BrokenFile(file, line, f"has {len(columns)} column{'s' if len(columns) > 1 else ''}; {what}")


def _row(columns: list[str], width: int, file: str, line: int) -> PoolRow | Problem:
    if len(columns) != width:
        return Problem(file, line, f"has {len(columns)} columns where the first line has {width}")
    topic, docno = columns[0], columns[_DOCNO[width]]
    if reason := id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno):
        return Problem(file, line, reason)
    return PoolRow(topic, docno, file, line)


def _is_list(head: Head) -> bool:
    """Whether the first line has as many columns as a list may have."""
    return bool(head.lines) and len(head.lines[0].split()) in _DOCNO


PAIRS = Format(
    name="pairs",
    label="Pairs",
    help="Topic and docno in each line, separated by spaces.",
    reads={"pool": read_pool_list},
    shapes=(Shape("pairs", ("pool",), _is_list, Certainty.IF_REQUESTED),),
    layouts={
        "pool": Layout(
            "1 10.1145/1\n1 10.1145/2\n",
            (required("topic", "number of the topic"), required("docno", "id of the document")),
            "Columns have no header and are separated by spaces or tabs.",
        )
    },
)

"""Lists of documents to judge: a topic and a docno in each line, or qrels of TREC and BEIR, whose values are not read.

101 10.1145/1                       topic docno
101 0 10.1145/1 2                   TREC qrels: topic iteration docno value
query-id  corpus-id  score          BEIR qrels: this line, then topic docno value
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.comments import Comments
from engines.formats.layouts import Layout, required
from engines.formats.lines import MAX_ROW_BYTES, read_lines
from engines.formats.qrels import header_places
from engines.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, Remark, id_problem
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


def read_pool_list(stream: BinaryIO, file: str) -> Iterator[PoolRow | Remark | Problem]:
    """Yield the rows of one list; blank lines and comments (#) are passed over.

    The first line determines how many columns there are.

    Raises `BrokenFile` where the file is not text, is empty, or begins like no list.
    """
    width, docno, comments = 0, 0, Comments(file)
    for line, text in read_lines(stream, file, max_bytes=MAX_ROW_BYTES):
        columns = text.split()
        if not columns or comments.take(text):
            continue
        if not width:
            width = _width(columns, file, line)
            header = header_places(columns)
            docno = header.docno if header else _DOCNO[width]
            if not header:
                yield _row(columns, width, docno, file=file, line=line)
        else:
            yield _row(columns, width, docno, file=file, line=line)
    if not width:
        raise BrokenFile(file, 0, "the file is empty")
    yield from comments.remarks()


def _width(columns: list[str], file: str, line: int) -> int:
    if len(columns) in _DOCNO:
        return len(columns)
    what = "this is a run: import it as one" if len(columns) == 6 else "expected are topic docno, or qrels"
    raise BrokenFile(file, line, f"has {len(columns)} column{'s' if len(columns) > 1 else ''}; {what}")


def _row(columns: list[str], width: int, docno_at: int, *, file: str, line: int) -> PoolRow | Problem:
    if len(columns) != width:
        return Problem(file, line, f"has {len(columns)} columns where the first line has {width}")
    topic, docno = columns[0], columns[docno_at]
    if reason := id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno):
        return Problem(file, line, reason)
    return PoolRow(topic, docno, file, line)


def _is_list(head: Head) -> bool:
    """Whether the first row has as many columns as a list may have."""
    return bool(head.rows) and len(head.rows[0]) in _DOCNO


PAIRS = Format(
    name="pairs",
    label="Pairs",
    help="Topic and docno on each line, separated by spaces.",
    reads={"pool": read_pool_list},
    shapes=(Shape("pairs", ("pool",), _is_list, Certainty.IF_REQUESTED),),
    layouts={
        "pool": Layout(
            "1 10.1145/1\n1 10.1145/2\n",
            (required("topic", "number of the topic"), required("docno", "id of the document")),
            "Columns have no header and are separated by spaces or tabs. Lines that begin with # are comments.",
        )
    },
)

"""Lists of documents to judge: a topic and a docno in each line, or qrels of TREC and BEIR, whose values are not read.

101 10.1145/1                       topic docno
101 0 10.1145/1 2                   TREC qrels: topic iteration docno value
query-id  corpus-id  score          BEIR qrels: this line, then topic docno value

DORIS-MAE's JSON is read as well: its candidate pools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from corpus.formats.detect import HEAD_BYTES
from corpus.formats.json_stream import read_parts
from corpus.formats.lines import read_lines
from corpus.formats.members import DEFAULT_LIMITS, Limits, open_members
from corpus.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, id_problem

MAX_LINE_BYTES = 1 << 20
BEIR_HEADER = ["query-id", "corpus-id", "score"]
DORIS_KEYS = frozenset({"Query", "Corpus", "Annotation", "aspect_id2aspect", "aspect2aspect_id"})
# Where the docno stands, by the number of columns.
_DOCNO = {2: 1, 3: 1, 4: 2}


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One document to be judged for one topic."""

    topic: str
    docno: str
    file: str = ""
    line: int = 0


def read_pool_lists(
    path: Path | str,
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[PoolRow | Problem]:
    """Yield the rows of every list in `path`: a file, plain or compressed, an archive or a folder.

    `name` is how messages call the path; `watch` is told the bytes read from disk. A file of an archive or folder
    whose first line is that of no list is passed over with a `Problem`. Raises `BrokenFile`.
    """
    for member in open_members(path, name=name, limits=limits, watch=watch):
        head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
        read = read_doris_pools if head.lstrip().startswith(b"{") else read_pool_list
        try:
            yield from read(member.stream, member.name)
        except _NoListError as error:
            if member.alone:
                raise
            yield Problem(error.file, error.line, error.reason)


def read_pool_list(stream: BinaryIO, file: str) -> Iterator[PoolRow | Problem]:
    """Yield the rows of one list; blank lines are passed over. The first line tells how many columns there are.

    Raises `BrokenFile` where the file is not text, is empty, or begins like no list.
    """
    width = 0
    for line, text in read_lines(stream, file, max_bytes=MAX_LINE_BYTES):
        columns = text.split()
        if not columns:
            continue
        if not width:
            width = _width(columns, file, line)
            if columns == BEIR_HEADER:
                continue
        yield _row(columns, width, file, line)
    if not width:
        raise _NoListError(file, 0, "the file is empty")


def read_doris_pools(stream: BinaryIO, file: str) -> Iterator[PoolRow | Problem]:
    """Yield the candidate pools of `Query`: topics and documents are named by their positions. Read as a stream."""
    is_known = False
    for part in read_parts(stream, file):
        is_known = is_known or part.key in DORIS_KEYS
        if part.key != "Query" or part.index is None:
            continue
        pool = part.value.get("candidate_pool", []) if isinstance(part.value, dict) else None
        if not isinstance(pool, list) or not all(type(place) is int and place >= 0 for place in pool):
            yield Problem(file, part.line, f"query {part.index}: candidate_pool is not a list of abstract ids")
            continue
        yield from (PoolRow(str(part.index), str(place), file, part.line) for place in pool)
    if not is_known:
        raise _NoListError(file, 1, "is neither a list of pairs nor DORIS-MAE's JSON")


class _NoListError(BrokenFile):
    """The file is something else."""


def _width(columns: list[str], file: str, line: int) -> int:
    if len(columns) in _DOCNO:
        return len(columns)
    what = "this is a run: import it as one" if len(columns) == 6 else "expected are topic docno, or qrels"
    raise _NoListError(file, line, f"has {len(columns)} column{'s' if len(columns) > 1 else ''}; {what}")


def _row(columns: list[str], width: int, file: str, line: int) -> PoolRow | Problem:
    if len(columns) != width:
        return Problem(file, line, f"has {len(columns)} columns where the first line has {width}")
    topic, docno = columns[0], columns[_DOCNO[width]]
    if reason := id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno):
        return Problem(file, line, reason)
    return PoolRow(topic, docno, file, line)

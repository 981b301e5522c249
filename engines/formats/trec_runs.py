"""Runs of retrieval systems: `topic Q0 docno rank score tag`, white space between, no header; see formats.md 3.2.

Only topic, docno, score and tag mean anything: the order is that of the scores, whatever the ranks say. A row that
cannot be read leaves its topic without a trustworthy ranking, so problems carry the topic.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import isfinite
from typing import BinaryIO

from engines.formats.comments import is_comment
from engines.formats.lines import MAX_ROW_BYTES, read_lines
from engines.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, RunRow, id_problem
from engines.formats.repeats import SeenIds

COLUMNS = "topic Q0 docno rank score tag"
_seen_before = lru_cache(64)(id_problem)  # topics and tags stand in row after row


@dataclass(frozen=True, slots=True)
class BadRow(Problem):
    """A row that was left out. `topic` is its first column, whose ranking it would have belonged to."""

    topic: str


@dataclass(frozen=True, slots=True)
class RunComment:
    """A line of metadata (formats.md 16): what follows its #."""

    file: str
    line: int
    text: str


def read_run(stream: BinaryIO, file: str) -> Iterator[RunRow | RunComment | BadRow]:
    """Yield the rows in the order of the file; blank lines are passed over.

    A line that begins with # is a comment, unless it is a row of a topic whose number begins so.

    Memory: eight bytes for each row. Raises `BrokenFile` where the file is not text, and where a document is listed
    twice for one topic: it is not known which of the two was meant, and trec_eval stops there as well.
    """
    seen = SeenIds()
    for line, text in read_lines(stream, file, max_bytes=MAX_ROW_BYTES):
        columns = text.split()
        if not columns:
            continue
        row = _row(columns, file, line)
        if columns[0] == "#" or (is_comment(text) and isinstance(row, BadRow)):
            yield RunComment(file, line, text.strip().removeprefix("#").removeprefix(" ").rstrip())
            continue
        yield row
        if isinstance(row, RunRow) and not seen.add(f"{row.topic} {row.docno}"):
            raise BrokenFile(
                file,
                line,
                f"document {row.docno} is ranked twice for topic {row.topic} (here in the run {row.tag}); "
                "a run holds a document once for a topic, so each run needs a separate file",
            )


def _row(columns: list[str], file: str, line: int) -> RunRow | BadRow:
    if len(columns) != 6:
        count = f"{len(columns)} field{'s' if len(columns) > 1 else ''}"
        return BadRow(file, line, f"has {count}, not the six of a run: {COLUMNS}", columns[0])
    topic, _, docno, rank, written, tag = columns
    reason = _seen_before(topic, MAX_TOPIC_LENGTH) or id_problem(docno) or _seen_before(tag)
    if reason:
        return BadRow(file, line, reason, topic)
    try:
        position, score = int(rank), float(written)
    except ValueError:  # a rank means nothing, but a line without one has its columns elsewhere
        return BadRow(file, line, f"rank {rank[:40]!r} or score {written[:40]!r} is not a number", topic)
    if not isfinite(score):
        return BadRow(file, line, f"the score {written[:40]!r} is not a finite number: it gives no rank", topic)
    if "_" in written or not written.isascii():  # numbers to Python, but to nobody else
        return BadRow(file, line, f"the score {written[:40]!r} is not a number", topic)
    return RunRow(topic, docno, position, score, tag, file, line)

"""TREC runs: `topic Q0 docno rank score tag` (formats.md 3.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import BinaryIO

from corpus.formats.lines import read_lines
from corpus.formats.members import DEFAULT_LIMITS, Limits
from corpus.formats.reading import choose_readers
from corpus.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, RunRow, id_problem
from corpus.formats.repeats import SeenIds


def read_run(stream: BinaryIO, file: str) -> Iterator[RunRow | Problem]:
    """Yield the rows of a run in file order; blank lines are passed over.

    Raises `BrokenFile` if a document occurs twice for a topic, as trec_eval refuses such runs.
    """
    seen = SeenIds()
    for number, text in read_lines(stream, file):
        fields = text.split()
        if not fields:
            continue
        row = _row(fields, file, number)
        if isinstance(row, RunRow) and not seen.add(f"{row.topic} {row.docno}"):
            raise BrokenFile(file, number, f"document {row.docno} is ranked twice for topic {row.topic}")
        yield row


def _row(fields: list[str], file: str, line: int) -> RunRow | Problem:
    if len(fields) != 6:
        return Problem(file, line, f"has {len(fields)} fields; topic, Q0, docno, rank, score and tag are wanted")
    topic, _, docno, rank, score, tag = fields
    try:
        position, value = int(rank), float(score)
    except ValueError:
        return Problem(file, line, f"rank {rank!r} or score {score!r} is not a number")
    if not isfinite(value):
        return Problem(file, line, f"the score {score!r} is not a finite number")
    reason = id_problem(topic, MAX_TOPIC_LENGTH) or id_problem(docno)
    return Problem(file, line, reason) if reason else RunRow(topic, docno, position, value, tag, file, line)


def read_runs(
    path: Path | str,
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[RunRow | Problem]:
    """Yield the rows of every run in `path`; `row.file` tells the runs of an archive apart. See `read_run`."""
    found = choose_readers(
        path, "auto", {"trec": read_run}, {"trec-run": "trec"}, "runs", name=name, limits=limits, watch=watch
    )
    for item in found:
        if isinstance(item, Problem):
            yield item
        else:
            member, reader = item
            yield from reader(member.stream, member.name)


def in_trec_order(rows: Iterable[RunRow]) -> list[RunRow]:
    """Return the rows of one topic best first, as trec_eval ranks: score falling, ties by docno falling (bytes)."""
    return sorted(rows, key=lambda row: (row.score, row.docno.encode()), reverse=True)


def write_run(rankings: Iterable[tuple[str, Sequence[str]]], tag: str) -> Iterator[str]:
    """Yield the lines of a run from (topic, docnos best first).

    Scores fall strictly (length − position), so that readers that go by score and those that go by rank agree.
    Raises `ValueError` for ids and tags with white space, and for a document that is ranked twice.
    """
    if reason := id_problem(tag):
        raise ValueError(f"tag: {reason}")
    for topic, docnos in rankings:
        if reason := id_problem(topic, MAX_TOPIC_LENGTH):
            raise ValueError(reason)
        if len(set(docnos)) != len(docnos):
            raise ValueError(f"a document is ranked twice for topic {topic}")
        for place, docno in enumerate(docnos):
            if reason := id_problem(docno):
                raise ValueError(reason)
            yield f"{topic} Q0 {docno} {place + 1} {len(docnos) - place} {tag}\n"

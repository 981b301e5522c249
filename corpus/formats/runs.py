"""Runs of retrieval systems from any path, their order, and writing them; reading one file is in `trec_runs`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from corpus.formats.detect import HEAD_BYTES, detect_format
from corpus.formats.members import DEFAULT_LIMITS, Limits, Member, open_members
from corpus.formats.records import MAX_TOPIC_LENGTH, BrokenFile, Problem, RunRow, id_problem
from corpus.formats.trec_runs import COLUMNS, BadRow, read_run


def read_runs(
    path: Path | str,
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[RunRow | BadRow | Problem]:
    """Yield the rows of every run in `path`, file after file; `row.file` tells the runs of an archive apart.

    `name` is how messages call the path; `watch` is told the bytes read from disk. Files of an archive or folder that
    are no runs are passed over with a `Problem` each. Raises `BrokenFile`; see `read_run`.
    """
    for member in open_members(path, name=name, limits=limits, watch=watch):
        if reason := _no_run(member):
            if member.alone:
                raise BrokenFile(member.name, 0, reason)
            yield Problem(member.name, 0, reason)
        else:
            yield from read_run(member.stream, member.name)


def _no_run(member: Member) -> str:
    """Why this file cannot be a run, or "". A damaged run is read, so that its bad rows are told by their lines."""
    head = member.stream.peek(HEAD_BYTES)[:HEAD_BYTES]  # type: ignore[attr-defined]
    try:
        found = detect_format(head, member.name)
    except BrokenFile as broken:
        sample = [line for line in head.decode("utf-8-sig", "replace").split("\n")[:20] if line.strip()]
        alike = sum(len(line.split()) == 6 for line in sample)
        return "" if 2 * alike > len(sample) else broken.reason
    return "" if found == "trec-run" else f"holds no run ({COLUMNS}): it looks like {found}"


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

"""Topics from any path: find the files it holds, tell their format, read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from corpus.formats.doris_json import read_doris_topics
from corpus.formats.doris_queries import read_doris_queries
from corpus.formats.jsonl_topics import read_jsonl_topics
from corpus.formats.litsearch import read_litsearch_queries
from corpus.formats.members import DEFAULT_LIMITS, Limits
from corpus.formats.reading import Reader, choose_readers
from corpus.formats.records import Problem, TopicRecord
from corpus.formats.repeats import without_repeats
from corpus.formats.trec_topics import read_trec_topics, read_web_topics


def _read_doris(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Read the queries of DORIS-MAE from `queries.txt` or from the large JSON file, whichever this is."""
    is_json = stream.peek(64).lstrip().startswith(b"{")  # type: ignore[attr-defined]
    return read_doris_topics(stream, file) if is_json else read_doris_queries(stream, file)


def _read_trec(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Read topics in the old style or, where that is what comes, in the XML of the Web track."""
    is_xml = b"<topics" in stream.peek(4096)[:4096]  # type: ignore[attr-defined]
    return read_web_topics(stream, file) if is_xml else read_trec_topics(stream, file)


READERS: dict[str, Reader] = {
    "trec": _read_trec,
    "trec-xml": read_web_topics,
    "jsonl": read_jsonl_topics,
    "beir": read_jsonl_topics,
    "doris-mae": _read_doris,
    "litsearch": read_litsearch_queries,
}
DETECTED = {
    "trec-topics": "trec",
    "trec-xml-topics": "trec",
    "jsonl-topics": "jsonl",
    "jsonl-documents": "jsonl",
    "beir-queries": "beir",
    "beir-corpus": "beir",
    "litsearch-queries": "litsearch",
    "doris-mae": "doris-mae",
    "doris-mae-json": "doris-mae",
}


def read_topics(
    path: Path | str,
    format: str = "auto",  # noqa: A002 (the name users know)
    *,
    name: str = "",
    limits: Limits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[TopicRecord | Problem]:
    """Yield the topics in `path`: a file, plain or compressed, an archive or a folder.

    `format` is "auto" or one of `READERS`; `name` is how messages call the path; `watch` is told the bytes read from
    disk. A number that occurs again in the same file is a `Problem`.

    Raises `BrokenFile`, and `ValueError` for an unknown format.
    """
    for found in choose_readers(path, format, READERS, DETECTED, "topics", name=name, limits=limits, watch=watch):
        if isinstance(found, Problem):
            yield found
            continue
        member, reader = found
        for item in without_repeats(reader(member.stream, member.name), _place, "topic"):
            if isinstance(item, TopicRecord | Problem):
                yield item


def _place(topic: TopicRecord) -> tuple[str, str, int]:
    return topic.number, topic.file, topic.line

"""`queries.txt` of DORIS-MAE: complex queries with their sentences, aspects and sub-aspects (formats.md 1.2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from engines.formats.lines import read_lines
from engines.formats.records import MAX_TOPIC_LENGTH, AspectRecord, BrokenFile, Problem, TopicRecord, id_problem
from engines.formats.trec_topics import one_line

KIND = "complex-query"
_RULE = "=" * 50
_MAX_LINES = 10_000

_HEAD = re.compile(r"Query:\s*(\S+)\s*").fullmatch
_BLOCK_END = re.compile(r"={20,}\s*").fullmatch
_ASPECT = re.compile(r"\d+\.\s+(.*\S)\s*").fullmatch
_SUB_ASPECT = re.compile(r"\s+[a-z]+\.\s+(.*\S)\s*").fullmatch


class _Malformed(Exception):
    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


def read_doris_queries(stream: BinaryIO, file: str) -> Iterator[TopicRecord | Problem]:
    """Yield one topic for each block.

    Raises `BrokenFile` if the file is not text or ends inside a block.
    """
    block: list[tuple[int, str]] = []
    for number, text in read_lines(stream, file):
        if not _BLOCK_END(text):
            if text.strip():
                block.append((number, text))
            if len(block) > _MAX_LINES:
                raise BrokenFile(file, block[0][0], f"the query has more than {_MAX_LINES} lines")
            continue
        if block:
            try:
                yield _topic(block, file)
            except _Malformed as bad:
                yield Problem(file, bad.line, bad.reason)
        block = []
    if block:
        raise BrokenFile(file, block[0][0], "the file ends inside the query that begins here")


def _topic(block: list[tuple[int, str]], file: str) -> TopicRecord:
    first_line, first = block[0]
    head = _HEAD(first)
    if head is None:
        raise _Malformed(first_line, "the block does not begin with “Query: N”")
    if reason := id_problem(head[1], MAX_TOPIC_LENGTH):
        raise _Malformed(first_line, reason)
    marks = [place for place, (_, text) in enumerate(block) if text.strip() == "Aspects:"]
    if not marks:
        raise _Malformed(first_line, f"query {head[1]} has no line “Aspects:”")
    sentences = tuple(text.strip() for _, text in block[1 : marks[0]])
    if not sentences:
        raise _Malformed(first_line, f"query {head[1]} has no text")
    aspects = _aspects(block[marks[0] + 1 :])
    text = " ".join(sentences)
    return TopicRecord(head[1], "", text, kind=KIND, sentences=sentences, aspects=aspects, file=file, line=first_line)


def _aspects(lines: list[tuple[int, str]]) -> tuple[AspectRecord, ...]:
    found: list[tuple[str, list[AspectRecord]]] = []
    for number, text in lines:
        if aspect := _ASPECT(text):
            found.append((aspect[1], []))
        elif (sub_aspect := _SUB_ASPECT(text)) and found:
            found[-1][1].append(AspectRecord(sub_aspect[1]))
        else:
            raise _Malformed(number, "the line is neither an aspect (“1. …”) nor a sub-aspect (TAB “a. …”)")
    return tuple(AspectRecord(text, tuple(children)) for text, children in found)


def write_doris_queries(topics: Iterable[TopicRecord]) -> Iterator[str]:
    """Yield each topic as a block; a topic without sentences is written as a single one.

    Raises `ValueError` for more than 26 sub-aspects (letters run out) and for texts the layout cannot carry.
    """
    for topic in topics:
        sentences = topic.sentences or (topic.text,)
        yield f"Query: {topic.number}\n\n" + "".join(f"{_checked(text)}\n" for text in sentences) + "\nAspects:\n\n"
        for number, aspect in enumerate(topic.aspects, 1):
            if len(aspect.children) > 26:
                raise ValueError(f"aspect {number} of topic {topic.number} has more than 26 sub-aspects")
            yield f"{number}. {_checked(aspect.text)}\n"
            for letter, child in zip("abcdefghijklmnopqrstuvwxyz", aspect.children, strict=False):
                yield f"\t{letter}. {_checked(child.text)}\n"
            yield "\n"
        yield f"\n{_RULE}\n"


def _checked(text: str) -> str:
    line = one_line(text)
    if not line or line == "Aspects:" or _BLOCK_END(line):
        raise ValueError(f"the text {line!r} would be read as a part of the layout")
    return line

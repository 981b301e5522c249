"""Qrels and pool lists as JSON: grades by document by topic, or an object for each grade or pair.

{"1": {"10.1145/1": 2}}                                as pytrec_eval, ranx and BEIR's evaluation take them
{"query_id": "1", "doc_id": "10.1145/1", "score": 2}   one a line, a list of them, or a list within one object
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, BinaryIO

from engines.formats.json_fields import FieldError, is_id
from engines.formats.json_objects import head_of, read_any_objects
from engines.formats.json_stream import Part, read_parts
from engines.formats.json_wrapping import IsRecord
from engines.formats.jsonl import records_from
from engines.formats.jsonl_documents import TEXT_KEYS
from engines.formats.layouts import DROPPED, Layout, optional, required
from engines.formats.pool_lists import PoolRow
from engines.formats.qrels import (
    DOCNO_NAMES,
    ITERATION_NAMES,
    TOPIC_NAMES,
    VALUE_NAMES,
    checked_row,
    row_problem,
)
from engines.formats.records import Problem, QrelRow, Remark
from engines.formats.registry import Certainty, Format, Head, Shape

_NESTED = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*-?\d+(?:\.0*)?\s*[,}]').match
_OBJECTS = re.compile(r'\[\s*\{|\{\s*"(?:[^"\\]|\\.)*"\s*:\s*[^\s{]').match
_ITERATION = ITERATION_NAMES[:3]  # the others name a judge
_READ = frozenset({*TOPIC_NAMES, *_ITERATION, *DOCNO_NAMES, *VALUE_NAMES})
_TEXTS = frozenset({*TEXT_KEYS, "title", "url"})
_OTHERS = frozenset({"rank", "annotator", "aspect", "criterion"})  # of runs and judgments
_SORT = "judgments"  # what a list may be called: qrels, labels, …


def read_json_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Problem | Remark]:
    """Yield the grades. Raises `BrokenFile` where the file is no JSON, or not one object of objects."""
    if _OBJECTS(head_of(stream)):
        yield from records_from(_objects(stream, file), file, _row)
        return
    for part in read_parts(stream, file):
        if part.problem or not isinstance(part.value, dict):
            yield Problem(
                file, part.line, part.problem or f"topic {part.key[:100]} has no object of grades by document"
            )
        else:
            yield from _rows(part, file)


def read_json_pool(stream: BinaryIO, file: str) -> Iterator[PoolRow | Problem | Remark]:
    """Yield topics and docnos, whatever the grades. Raises `BrokenFile` as `read_json_qrels`."""
    if _OBJECTS(head_of(stream)):
        yield from records_from(_objects(stream, file), file, _pair)
        return
    for row in read_json_qrels(stream, file):
        yield PoolRow(row.topic, row.docno, row.file, row.line) if isinstance(row, QrelRow) else row


def _objects(stream: BinaryIO, file: str) -> Iterator[tuple[int, dict[str, Any]] | Problem | Remark]:
    return read_any_objects(stream, file, _READ.__contains__, _is_named, _SORT)


def _row(item: dict[str, Any], file: str, line: int) -> QrelRow | Problem:
    iteration = _value(item, _ITERATION, "0")
    topic, docno, value = (_value(item, names) for names in (TOPIC_NAMES, DOCNO_NAMES, VALUE_NAMES))
    return checked_row(topic, iteration, docno, value, file=file, line=line)


def _pair(item: dict[str, Any], file: str, line: int) -> PoolRow | Problem:
    topic, docno = _value(item, TOPIC_NAMES), _value(item, DOCNO_NAMES)
    reason = row_problem(topic, "0", docno)
    return Problem(file, line, reason) if reason else PoolRow(topic, docno, file, line)


def _value(item: dict[str, Any], names: Sequence[str], default: str = "") -> str:
    """The value under the first of the names that is there, as text. Errors: FieldError."""
    name = next((each for each in names if each in item), "")
    if not name:
        if default:
            return default
        raise FieldError(f"has no {names[0]} (one of the keys {', '.join(names)})")
    value = item[name]
    if not is_id(value) and not isinstance(value, float):
        raise FieldError(f"{name!r} is neither text nor a number")
    return str(value)


def _rows(part: Part, file: str) -> Iterator[QrelRow | Problem]:
    for docno, value in part.value.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        written = str(value) if is_number else repr(value)[:40]
        yield checked_row(part.key, "0", docno, written, file=file, line=part.line)


def _has(names: Collection[str], *some: Sequence[str]) -> bool:
    """Whether there is a name of each."""
    return all(any(name in names for name in each) for each in some)


def joins_two(names: Collection[str]) -> bool:
    """Whether an object with these fields names a topic and a document, and is neither."""
    return _has(names, TOPIC_NAMES, DOCNO_NAMES) and _TEXTS.isdisjoint(names)


def _is_named(names: Collection[str]) -> bool:
    """Whether it is that, and no judgment of somebody and no row of a run."""
    return joins_two(names) and _OTHERS.isdisjoint(names)


def _is_row(names: Collection[str]) -> bool:
    return _is_named(names) and _has(names, VALUE_NAMES)


def _is_pair(names: Collection[str]) -> bool:
    return _is_named(names) and not _has(names, VALUE_NAMES)


def _is_list_of(is_record: IsRecord) -> Callable[[Head], bool]:
    """Whether a file is one list, or one object around lists, of such records."""
    return lambda head: head.holds_list(_SORT, is_record)


_BOTH = ("pool", "qrels")
QRELS_JSON = Format(
    name="qrels-json",
    label="JSON qrels",
    help="One JSON object of topics, each an object of grades by document, as pytrec_eval and ranx read it; or an "
    "object for each grade, as JSON Lines or a list.",
    reads={"pool": read_json_pool, "qrels": read_json_qrels},
    shapes=(
        Shape("qrels-json", _BOTH, lambda head: _NESTED(head.text)),
        Shape("qrels-jsonl", _BOTH, lambda head: _is_row(head.keys)),
        Shape("pool-jsonl", ("pool",), lambda head: _is_pair(head.keys), label="pairs in JSON"),
        # Behind judgments, which are named like that as well.
        Shape("qrels-jsonl", _BOTH, _is_list_of(_is_row), Certainty.LIKELY),
        Shape("pool-jsonl", ("pool",), _is_list_of(_is_pair), Certainty.LIKELY, label="pairs in JSON"),
        Shape("qrels-jsonl", _BOTH, _is_list_of(_is_row), Certainty.MEANT),
    ),
    layouts={
        "qrels": Layout(
            '{"1": {"10.1145/1": 2, "10.1145/2": 0},\n"2": {"10.1145/3": 1}}\n',
            (
                required(TOPIC_NAMES, "number of the topic; or a key of the object"),
                required(DOCNO_NAMES, "id of the document; or a key below its topic"),
                required(VALUE_NAMES, "grade, a whole number (1.0 is one)"),
                optional(_ITERATION, "any word"),
            ),
            f"JSON Lines, or a list, have these fields in each object. {DROPPED}",
        ),
        "pool": Layout(
            '{"topic": "1", "docno": "10.1145/1"}\n{"topic": "1", "docno": "10.1145/2"}\n',
            (
                required(TOPIC_NAMES, "number of the topic"),
                required(DOCNO_NAMES, "id of the document"),
            ),
            "One object may hold an object of documents for each topic instead. Grades and other fields are not read.",
        ),
    },
)

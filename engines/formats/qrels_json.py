"""Qrels as one JSON object, as pytrec_eval, ranx and BEIR's evaluation take them: grades by document by topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from engines.formats.json_stream import Part, read_parts
from engines.formats.layouts import Layout, required
from engines.formats.qrels import checked_row
from engines.formats.records import Problem, QrelRow
from engines.formats.registry import Format, Shape

_NESTED = re.compile(r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*-?\d').match


def read_json_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Problem]:
    """Yield the grades of `{topic: {docno: grade}}`. Raises `BrokenFile` where the file is not such an object."""
    for part in read_parts(stream, file):
        if part.problem or not isinstance(part.value, dict):
            yield Problem(
                file, part.line, part.problem or f"topic {part.key[:100]} has no object of grades by document"
            )
        else:
            yield from _rows(part, file)


def _rows(part: Part, file: str) -> Iterator[QrelRow | Problem]:
    for docno, value in part.value.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        written = str(value) if is_number else repr(value)[:40]
        yield checked_row(part.key, "0", docno, written, file=file, line=part.line)


QRELS_JSON = Format(
    name="qrels-json",
    label="JSON qrels",
    help="One JSON object of topics, each an object of grades by document, as pytrec_eval and ranx read it.",
    reads={"qrels": read_json_qrels},
    shapes=(Shape("qrels-json", ("qrels",), lambda head: _NESTED(head.text)),),
    layouts={
        "qrels": Layout(
            '{"1": {"10.1145/1": 2, "10.1145/2": 0},\n"2": {"10.1145/3": 1}}\n',
            (
                required("topic", "number of the topic, a key of the object"),
                required("docno", "id of the document, a key below its topic"),
                required("value", "grade, a whole number (1.0 is one)"),
            ),
        )
    },
)

"""TREC: documents and topics in its old style, the Web track's topics, runs, qrels (formats.md 3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from engines.formats.judgments import read_qrels_judgments
from engines.formats.layouts import KEPT, Layout, optional, required
from engines.formats.pool_lists import read_pool_list
from engines.formats.qrels import (
    DOCNO_NAMES,
    FIELDS,
    ITERATION,
    TOPIC_NAMES,
    header_places,
    is_value,
    place_of,
    read_qrels,
    write_qrels,
)
from engines.formats.records import Problem, TopicRecord
from engines.formats.registry import MARK_CHARS, Certainty, Format, Head, Shape
from engines.formats.topic_fields import FIELDS_READ
from engines.formats.topic_xml import read_marked_up_topics
from engines.formats.trec_documents import TEXT_TAGS, TITLE_TAGS, read_trec_documents
from engines.formats.trec_runs import COLUMNS, read_run
from engines.formats.trec_topics import read_trec_topics, write_trec_topics

_RUN_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+\s*").fullmatch
_KEY = r'\{\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_SCORES = re.compile(rf"{_KEY}{_KEY}-?\d+(?:\.0*[1-9]|[eE])").match
NO_RUN = (
    "a run as a table or JSON; write six columns with spaces between and no header, "
    f"{COLUMNS}, and import them as a run"
)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d*)?").fullmatch
_DOC = re.compile(r"^\s*<doc(?:\s[^<>]*)?>", re.MULTILINE).search
_TOP = re.compile(r"^\s*<top\b[^<>]*>", re.MULTILINE).search
_PROLOGUE = r"(?:<!--.*?-->\s*|<!doctype[^\[>]*\[.*?\]\s*>\s*|<[?!][^>]*>\s*)*"
_FIRST = re.compile(rf"{_PROLOGUE}<([a-z_][\w.-]*)[\s>/]", re.DOTALL).match
_TOPIC = re.compile(r"<topic[\s>/]").search


def _read_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem]:
    """Read topics in the old style or, where that is what comes, in XML."""
    head = stream.peek(MARK_CHARS)[:MARK_CHARS].decode("utf-8-sig", "replace")  # type: ignore[attr-defined]
    is_tagged = _first_element(head.lstrip().lower()) in ("", "top")
    return (read_trec_topics if is_tagged else read_marked_up_topics)(stream, file, text_from=text_from)


def _first_element(marks: str) -> str:
    """The name of the element that a text begins with, "" where it begins with none."""
    first = _FIRST(marks)
    return first[1] if first else ""


def _is_topics_xml(head: Head) -> bool:
    first = _first_element(head.marks)
    return first in ("topics", "topic", "queries") or bool(first and _TOPIC(head.marks))


def _is_run(head: Head) -> bool:
    rows = [line for line in head.lines if not line.startswith("#")]
    is_header = not rows and any("ir_metadata" in line for line in head.lines)
    return is_header or (bool(rows) and all(map(_RUN_LINE, rows)))


def _is_damaged_run(head: Head) -> bool:
    """A damaged run is read, so that its bad rows are reported by line; a text of six words is none."""
    rows = [row for row in map(str.split, head.lines) if len(row) == 6 and any(map(_NUMBER, row[1:]))]
    return 2 * len(rows) > len(head.lines)


def _is_table_of_runs(head: Head) -> bool:
    """Whether the first line, or the first object of JSON, names a topic, a document and a rank."""
    names = head.columns if len(head.columns) > 2 else [*head.keys_at_hand]
    return all(place_of(names, known) is not None for known in (TOPIC_NAMES, DOCNO_NAMES, ("rank",)))


def _is_text_of_columns(head: Head) -> bool:
    """Whether half of the rows have a column that is a number, which prose does not have."""
    numbered = sum(any(map(_NUMBER, row)) for row in head.rows)
    return not head.is_pickle and 2 * numbered >= max(len(head.rows), 1)


def _are_qrels(head: Head) -> bool:
    """Whether all rows are qrels of four columns, the first may be a header; an iteration sets them off from pairs."""
    rows = head.rows[1:] if head.rows and len(head.rows[0]) == 4 and header_places(head.rows[0]) else head.rows
    return bool(rows) and all(map(_is_qrels_row, rows))


def _are_damaged_qrels(head: Head) -> bool:
    """Damaged qrels are read, so that their bad rows are reported by line."""
    return 2 * sum(map(_is_qrels_row, head.rows)) >= max(len(head.rows), 1)


def _is_qrels_row(row: list[str]) -> bool:
    return len(row) == 4 and is_value(row[3])


TREC = Format(
    name="trec",
    label="TREC",
    help="Documents in <DOC>, topics in <top>; runs with the six columns topic, Q0, docno, rank, score and tag.",
    reads={"documents": read_trec_documents, "topics": _read_topics, "runs": read_run},
    writes={"topics": write_trec_topics},
    shapes=(
        Shape("trec-documents", ("documents",), lambda head: _DOC(head.marks), Certainty.LIKELY),
        Shape("trec-topics", ("topics",), lambda head: _TOP(head.marks)),
        Shape("trec-run", ("runs",), _is_run, Certainty.LIKELY),
        Shape("run-table", (), _is_table_of_runs, label=NO_RUN),
        Shape("json-run", (), lambda head: _SCORES(head.text), label=NO_RUN),
        Shape("trec-run", ("runs",), _is_damaged_run, Certainty.IF_REQUESTED, is_binary=True),
        Shape("trec-run", ("runs",), _is_text_of_columns, Certainty.LAST),
    ),
    layouts={
        "documents": Layout(
            "<DOC>\n<DOCNO>10.1145/1</DOCNO>\n<TITLE>Hearing of owls</TITLE>\n"
            "<TEXT>\nOwls hear well.\n</TEXT>\n</DOC>\n",
            (
                required("DOCNO", "the document's id, unique in the collection"),
                optional(TITLE_TAGS, "title; a document has a title or a text"),
                optional(TEXT_TAGS, "abstract or text"),
            ),
            KEPT,
        ),
        "topics": Layout(
            "<top>\n<num> Number: 1\n<title> Owl hearing\n<desc> Description:\nHow do owls hear?\n"
            "<narr> Narrative:\nEars count.\n</top>\n",
            FIELDS_READ,
            "A line that begins with another tag begins a field that is kept with the topic and written by exports.",
        ),
        "runs": Layout(
            "1 Q0 10.1145/1 1 2.5 bm25\n1 Q0 10.1145/2 2 1.5 bm25\n",
            (
                required("topic", "number of the topic"),
                required("Q0", "any word; not read"),
                required("docno", "id of the document"),
                required("rank", "a whole number; the order is that of the scores"),
                required("score", "a number"),
                required("tag", "name of the run"),
            ),
            "Columns have no header and are separated by spaces or tabs. Lines that begin with # are notes.",
        ),
    },
)

TREC_XML = Format(
    name="trec-xml",
    label="Topics in XML",
    help="Elements with a number and texts (query, question, description, title, narrative, subtopics), in any root.",
    reads={"topics": read_marked_up_topics},
    shapes=(
        Shape("trec-xml-topics", ("topics",), _is_topics_xml),
        Shape("trec-xml-topics", ("topics",), lambda head: _first_element(head.marks), Certainty.IF_REQUESTED),
    ),
    layouts={
        "topics": Layout(
            '<topics>\n<topic number="1">\n<query>owl hearing</query>\n<description>How do owls hear?</description>\n'
            '<subtopic number="1">What do ears do?</subtopic>\n</topic>\n</topics>\n',
            (*FIELDS_READ, optional("subtopic", "an aspect")),
            "Other elements and attributes are kept with the topic.",
        )
    },
)

QRELS = Format(
    name="qrels",
    label="TREC qrels",
    help="Four columns: topic, iteration, docno, value. As judgments, the iteration is the annotator.",
    reads={"judgments": read_qrels_judgments, "pool": read_pool_list, "qrels": read_qrels},
    writes={"qrels": write_qrels},
    shapes=(
        Shape("trec-qrels", ("judgments", "pool", "qrels"), _are_qrels, Certainty.LIKELY),
        Shape("trec-qrels", ("judgments", "qrels"), _are_damaged_qrels, Certainty.IF_REQUESTED),
        Shape("trec-qrels", ("qrels",), _is_text_of_columns, Certainty.LAST),
    ),
    layouts=dict.fromkeys(
        ("judgments", "pool", "qrels"),
        Layout(
            "1 0 10.1145/1 2\n1 0 10.1145/2 0\n",
            (FIELDS[0], ITERATION, *FIELDS[1:]),
            "Spaces or tabs separate the columns. They are in this order, or in that of a first line with their names. "
            "Lines that begin with # are comments.",
        ),
    ),
)

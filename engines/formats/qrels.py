"""TREC qrels, BEIR qrels and TREC diversity qrels: reading and writing (formats.md 3.1, 4, 5)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.comments import Comments, is_comment
from engines.formats.layouts import required
from engines.formats.lines import read_lines
from engines.formats.records import MAX_TOPIC_LENGTH, Problem, QrelRow, Remark, id_problem
from engines.formats.tables import cells_of

LOWEST, HIGHEST = -127, 127
BEIR_HEADER = ("query-id", "corpus-id", "score")

# Under which names a header may have the columns.
TOPIC_NAMES = ("topic", "query-id", "query_id", "queryid", "qid", "query", "topic_id", "topicid", "topic-id")
ITERATION_NAMES = ("iteration", "iter", "q0", "annotator", "judge", "run")
DOCNO_NAMES = (
    *("docno", "corpus-id", "corpus_id", "corpusid", "doc_id", "docid", "doc-id", "document_id", "did"),
    *("pid", "passage_id", "cord_id", "cord-id"),
)
VALUE_NAMES = (
    *("value", "score", "relevance", "rel", "label", "grade", "judgment", "judgement", "qrel", "relevance_score"),
    "relevancy",
)

_WHOLE = re.compile(r"([+-]?[0-9]{1,9})(?:\.0*)?").fullmatch
# Topic, iteration and docno that are surely right, and that CSV does not quote: most rows, in one look.
_PLAIN = re.compile(rf"(?!#)[!#-~]{{1,{MAX_TOPIC_LENGTH}}} [!#-~]{{1,255}} [!#-~]{{1,255}}").fullmatch
_DIGITS = re.compile(r"[0-9]{1,9}").fullmatch

FIELDS = (
    required(TOPIC_NAMES, "number of the topic"),
    required(DOCNO_NAMES, "id of the document"),
    required(VALUE_NAMES, "grade, a whole number (1.0 is one); not read for a pool"),
)
ITERATION = required(ITERATION_NAMES, "any word; for judgments, the annotator")


@dataclass(frozen=True, slots=True)
class Places:
    """Where topic, iteration (None: there is none), docno and value stand in a row of `width` columns."""

    width: int
    topic: int
    iteration: int | None
    docno: int
    value: int


FOUR = Places(4, 0, 1, 2, 3)
THREE = Places(3, 0, None, 1, 2)


def header_places(cells: Sequence[str]) -> Places | None:
    """The places that a header names; None where the row is no header of qrels, which names topic, docno and value.

    One with ranks is the header of a run.
    """
    found = [place_of(cells, known) for known in (TOPIC_NAMES, ITERATION_NAMES, DOCNO_NAMES, VALUE_NAMES)]
    topic, iteration, docno, value = found
    if topic is None or docno is None or value is None or place_of(cells, ("rank",)) is not None:
        return None
    return Places(len(cells), topic, iteration, docno, value)


def place_of(cells: Sequence[str], known: Sequence[str]) -> int | None:
    """The place of the first of the known names that a header has, None for none."""
    names = [cell.strip().strip('"').lower() for cell in cells]
    return next((names.index(name) for name in known if name in names), None)


def read_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Remark | Problem]:
    """Yield the rows of `topic iteration docno value`, with or without a header; blank lines are passed over.

    A line that begins with # is a comment, as for trec_eval.
    """
    lines = ((number, text, text.split()) for number, text in read_lines(stream, file))
    return _rows(lines, file, FOUR, "topic, iteration, docno and value are expected")


def read_beir_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Remark | Problem]:
    """Yield the rows of BEIR's table `query-id corpus-id score`, with or without its header.

    Tabs separate the columns, or commas or blanks where the first row has no tab. With a header, columns may have
    other usual names and any order; further columns are reported once and not read.
    """
    return _rows(_split(read_lines(stream, file)), file, THREE, "query-id, corpus-id and score are expected")


def delimiter_of(row: str) -> str:
    """What separates the columns of a table whose first row this is; "" stands for any white space."""
    marks = "\t" if "\t" in row or len(row.split()) >= THREE.width else ",;"
    return next((mark for mark in marks if mark in row), "")


def _split(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str, list[str]]]:
    delimiter: str | None = None
    for number, text in lines:
        if delimiter is None and text.strip() and not is_comment(text):
            delimiter = delimiter_of(text)
        fields = cells_of(text, delimiter) if delimiter and '"' in text else text.split(delimiter or None)
        yield number, text, fields if any(fields) else []


def _rows(
    lines: Iterator[tuple[int, str, list[str]]], file: str, places: Places, wanted: str
) -> Iterator[QrelRow | Remark | Problem]:
    is_first, comments = True, Comments(file)
    for number, text, fields in lines:
        if not fields or comments.take(text):
            continue
        if is_first and len(fields) == FOUR.width:
            places = FOUR  # a table of three columns may have the iteration too
        if is_first and (header := header_places(fields)):
            places = header
            others = [name for at, name in enumerate(fields) if at not in _read(places)]
            yield from (Remark(file, number, f"the column {name[:40]} is not read") for name in others)
        elif len(fields) == places.width:
            iteration = "0" if places.iteration is None else fields[places.iteration]
            topic, docno, value = fields[places.topic], fields[places.docno], fields[places.value]
            yield checked_row(topic, iteration, docno, value, file=file, line=number)
        else:
            yield Problem(file, number, f"has {len(fields)} field{'s' * (len(fields) > 1)}; {wanted}")
        is_first = False
    yield from comments.remarks()


def _read(places: Places) -> tuple[int | None, ...]:
    return places.topic, places.iteration, places.docno, places.value


def checked_row(topic: str, iteration: str, docno: str, written: str, *, file: str, line: int) -> QrelRow | Problem:
    """The row, or what is wrong with it."""
    whole = _WHOLE(written)
    value = int(whole[1]) if whole else 0
    reason = row_problem(topic, iteration, docno)
    if reason is None and not whole:
        reason = f"the value {written!r} is not a whole number"
    elif reason is None and not LOWEST <= value <= HIGHEST:
        reason = f"the value {written} is outside of {LOWEST} to {HIGHEST}"
    return Problem(file, line, reason) if reason else QrelRow(topic, iteration, docno, value, file, line)


def whole_number(text: str) -> str:
    """A whole number that is written with a point (1.0) without it; any other text as it is."""
    whole = _WHOLE(text) if "." in text else None
    return whole[1] if whole else text


def is_value(text: str) -> bool:
    """Whether a text is the value of a row, as far as its form goes."""
    return _WHOLE(text) is not None


def row_problem(topic: str, iteration: str, docno: str) -> str | None:
    """Return why the three cannot stand in qrels, or None."""
    for what, text, longest in (
        ("topic", topic, MAX_TOPIC_LENGTH),
        ("iteration", iteration, 255),
        ("docno", docno, 255),
    ):
        if reason := id_problem(text, longest):
            return f"{what}: {reason}"
    return None


def write_qrels(rows: Iterable[QrelRow], *, separator: str = " ") -> Iterator[str]:
    """Yield one line for each row.

    Raises `ValueError` for ids with white space, topics that begin with # (readers take the line for a comment) and
    values that trec_eval cannot hold. The caller must make sure that no document is judged twice.
    """
    for row in rows:
        topic, iteration, docno, value = row.topic, row.iteration, row.docno, row.value
        if not _PLAIN(f"{topic} {iteration} {docno}"):
            if reason := row_problem(topic, iteration, docno):
                raise ValueError(reason)
            if topic.startswith("#"):
                raise ValueError(f"topic: {topic!r} begins with #, as comments of qrels do")
        if not LOWEST <= value <= HIGHEST:
            raise ValueError(f"the value {value} is outside of {LOWEST} to {HIGHEST}")
        yield f"{topic}{separator}{iteration}{separator}{docno}{separator}{value}\n"


def write_diversity_qrels(rows: Iterable[QrelRow]) -> Iterator[str]:
    """Yield `topic subtopic docno judgment`; the row's iteration is the subtopic.

    ndeval wants digits for topic, subtopic and judgment, so negative values (unjudged) are left out, as absence
    means the same. Raises `ValueError` for anything else that is not made of digits.
    """
    for row in rows:
        if row.value < 0:
            continue
        for what, text in (("topic", row.topic), ("subtopic", row.iteration)):
            if not _DIGITS(text):
                raise ValueError(f"the {what} {text!r} is not made of digits, as diversity qrels want it")
        if reason := id_problem(row.docno):
            raise ValueError(reason)
        yield f"{row.topic} {row.iteration} {row.docno} {row.value}\n"


def write_beir_qrels(rows: Iterable[QrelRow]) -> Iterator[str]:
    """Yield BEIR's table with its header (the loader throws the first line away, whatever it is)."""
    yield "\t".join(BEIR_HEADER) + "\n"
    for row in rows:
        if _PLAIN(f"{row.topic} 0 {row.docno}"):
            yield f"{row.topic}\t{row.docno}\t{row.value}\n"
            continue
        if reason := row_problem(row.topic, "0", row.docno):
            raise ValueError(reason)
        yield _quoted(row)


def _quoted(row: QrelRow) -> str:
    """The row as CSV; a topic that begins with # is quoted, so that the line is no comment."""
    line = io.StringIO()
    csv.writer(line, delimiter="\t", lineterminator="\n").writerow((row.topic, row.docno, row.value))
    text = line.getvalue()
    return text if not text.startswith("#") else f'"{row.topic}"' + text[len(row.topic) :]

"""TREC qrels, BEIR qrels and TREC diversity qrels: reading and writing (formats.md 3.1, 4, 5)."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from engines.formats.lines import read_lines
from engines.formats.records import MAX_TOPIC_LENGTH, Problem, QrelRow, id_problem

LOWEST, HIGHEST = -127, 127
BEIR_HEADER = ("query-id", "corpus-id", "score")

_INTEGER = re.compile(r"[+-]?[0-9]{1,9}").fullmatch
# Topic, iteration and docno that are surely right, and that CSV does not quote: most rows, in one look.
_PLAIN = re.compile(rf"[!#-~]{{1,{MAX_TOPIC_LENGTH}}} [!#-~]{{1,255}} [!#-~]{{1,255}}").fullmatch
_DIGITS = re.compile(r"[0-9]{1,9}").fullmatch


def read_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Problem]:
    """Yield the rows of `topic iteration docno value`; blank lines and comment lines (`#`) are passed over."""
    for number, text in read_lines(stream, file):
        fields = text.split()
        if len(fields) == 4:
            yield _row(fields, file, number)
        elif fields and not text.startswith("#"):
            yield Problem(file, number, f"has {len(fields)} fields; topic, iteration, docno and value are wanted")


def read_beir_qrels(stream: BinaryIO, file: str) -> Iterator[QrelRow | Problem]:
    """Yield the rows of BEIR's table `query-id corpus-id score`, separated by tabs, with or without its header."""
    for number, text in read_lines(stream, file):
        fields = next(csv.reader([text], delimiter="\t"), [])
        if len(fields) == 3 and tuple(fields) != BEIR_HEADER:
            yield _row([fields[0], "0", *fields[1:]], file, number)
        elif fields and len(fields) != 3:
            yield Problem(file, number, f"has {len(fields)} fields; query-id, corpus-id and score are wanted")


def _row(fields: list[str], file: str, line: int) -> QrelRow | Problem:
    topic, iteration, docno, value = fields
    reason = row_problem(topic, iteration, docno)
    if reason is None and not _INTEGER(value):
        reason = f"the value {value!r} is not a whole number"
    elif reason is None and not LOWEST <= int(value) <= HIGHEST:
        reason = f"the value {value} is outside of {LOWEST} to {HIGHEST}"
    return Problem(file, line, reason) if reason else QrelRow(topic, iteration, docno, int(value), file, line)


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

    Raises `ValueError` for ids with white space and values that trec_eval cannot hold. That no document is judged
    twice is for the caller to know.
    """
    for row in rows:
        topic, iteration, docno, value = row.topic, row.iteration, row.docno, row.value
        if not _PLAIN(f"{topic} {iteration} {docno}") and (reason := row_problem(topic, iteration, docno)):
            raise ValueError(reason)
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
        line = io.StringIO()
        csv.writer(line, delimiter="\t", lineterminator="\n").writerow((row.topic, row.docno, row.value))
        yield line.getvalue()

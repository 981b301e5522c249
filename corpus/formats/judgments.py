"""Labels from elsewhere: CSV and JSON Lines of single judgments, or TREC qrels with the annotator in column 2."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from corpus.formats.csv_text import read_csv
from corpus.formats.json_fields import FieldError, take_first
from corpus.formats.jsonl import read_objects
from corpus.formats.qrels import read_qrels
from corpus.formats.reading import read_path
from corpus.formats.records import MAX_TOPIC_LENGTH, JudgmentRow, Problem, id_problem
from corpus.formats.registry import Format, Shape
from corpus.formats.repeats import without_repeats

COLUMNS = ("annotator", "topic", "aspect", "docno", "criterion", "value", "machine")
DETAILS = ("reason", "note", "flagged", "guideline", "at", "active_ms", "model", "run")  # how a label was given
SAID = "said"  # a machine's words; kept where its value is -1, an answer that could not be read
MAX_NAME_LENGTH = 200
MAX_REASON_LENGTH, MAX_MODEL_LENGTH, MAX_NOTE_LENGTH = 60, 150, 10_000
MAX_NUMBERS = {"guideline": 2**31 - 1, "active_ms": 2**31 - 1, "run": 2**15 - 1}

_YES = frozenset({"1", "true", "yes", "y", "machine"})
_NO = frozenset({"", "0", "false", "no", "n", "human"})


def read_csv_judgments(stream: BinaryIO, file: str, *, annotator: str = "") -> Iterator[JudgmentRow | Problem]:
    """Yield one judgment for each row; columns other than `COLUMNS`, `DETAILS` and `SAID` are passed over."""
    required = ("topic", "value") if annotator else ("annotator", "topic", "value")
    for found in read_csv(stream, file, required=required):
        yield found if isinstance(found, Problem) else _row(found[1], file, found[0], annotator)


def read_jsonl_judgments(stream: BinaryIO, file: str, *, annotator: str = "") -> Iterator[JudgmentRow | Problem]:
    """Yield one judgment for each line; keys other than `COLUMNS`, `DETAILS` and `SAID` are passed over."""
    for found in read_objects(stream, file):
        if isinstance(found, Problem):
            yield found
            continue
        line, item = found
        try:
            yield _row({name: _cell(item, name) for name in (*COLUMNS, *DETAILS, SAID)}, file, line, annotator)
        except FieldError as error:
            yield Problem(file, line, str(error))


def read_qrels_judgments(stream: BinaryIO, file: str, *, annotator: str = "") -> Iterator[JudgmentRow | Problem]:
    """Yield one judgment for each row of qrels: the iteration is the annotator."""
    for row in read_qrels(stream, file):
        if isinstance(row, Problem):
            yield row
        else:
            who = annotator or row.iteration
            yield JudgmentRow(who, row.topic, "", row.docno, "", str(row.value), False, file, row.line)


def read_judgments(
    path: Path | str,
    format: str = "auto",  # noqa: A002 (the name users know)
    *,
    annotator: str = "",
    **options: Any,
) -> Iterator[JudgmentRow | Problem]:
    """Yield the judgments in `path`; a second one of the same annotator on the same thing is a `Problem`.

    `annotator`, where given, is whose labels these are, whatever the file says (qrels that hold "0" there); the other
    options are those of `read_path`. Raises `BrokenFile`, and `ValueError` for an unknown format.
    """
    return read_path(path, format, "judgments", "judgments", each=_once, annotator=annotator, **options)


def _once(items: Iterator[Any]) -> Iterator[Any]:
    return without_repeats(items, _place, "the judgment")


def _place(row: JudgmentRow) -> tuple[str, str, int]:
    what = (row.annotator, row.topic, row.aspect, row.docno, row.criterion)
    return " · ".join(filter(None, what)), row.file, row.line


def _cell(item: dict[str, Any], name: str) -> str:
    value = take_first(item, (name,))[1]
    if value is None:
        return ""
    if isinstance(value, bool) and name in ("machine", "flagged"):
        return "1" if value else "0"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError(f"{name!r} is neither text nor a number")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _row(cells: dict[str, str], file: str, line: int, annotator: str) -> JudgmentRow | Problem:
    named, topic, aspect, docno, criterion, value, machine = (cells.get(name, "").strip() for name in COLUMNS)
    annotator = annotator or named
    reason = _problem(annotator, topic, docno, value)
    if reason is None and machine.lower() not in _YES | _NO:
        reason = f"machine is {machine!r}; 1 or 0 is wanted"
    if reason:
        return Problem(file, line, reason)
    is_machine = machine.lower() in _YES
    said = cells.get(SAID, "") if value == "-1" else ""  # also where a choice says later that all are a machine's
    try:
        details = _details(cells)
    except ValueError as error:
        return Problem(file, line, str(error))
    return JudgmentRow(annotator, topic, aspect, docno, criterion, value, is_machine, file, line, said, **details)


def _details(cells: dict[str, str]) -> dict[str, Any]:
    """How the label was given. Raises `ValueError` with the reason for what cannot be read or kept."""
    found: dict[str, Any] = {name: cells.get(name, "").strip() for name in DETAILS}
    found["note"] = cells.get("note", "")
    for name, most in (("reason", MAX_REASON_LENGTH), ("model", MAX_MODEL_LENGTH), ("note", MAX_NOTE_LENGTH)):
        if len(found[name]) > most:
            raise ValueError(f"{name} is longer than {most:,} characters")
    for name, most in MAX_NUMBERS.items():
        text = found[name]
        if text and not (text.isascii() and text.isdigit() and int(text) <= most):
            raise ValueError(f"{name} is {text[:40]!r}; a whole number up to {most:,} is wanted")
        found[name] = int(text) if text else None
    if found["flagged"].lower() not in _YES | _NO:
        raise ValueError(f"flagged is {found['flagged'][:40]!r}; 1 or 0 is wanted")
    found["flagged"] = found["flagged"].lower() in _YES if found["flagged"] else None
    found["at"] = _time(found["at"]) if found["at"] else None
    return found


def _time(text: str) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"at is {text[:40]!r}; a time with its zone is wanted, such as 2026-11-22T09:30:00+00:00")
    return found


def _problem(annotator: str, topic: str, docno: str, value: str) -> str | None:
    if not annotator:
        return "has no annotator"
    if len(annotator) > MAX_NAME_LENGTH or not annotator.isprintable():
        return f"the annotator's name is longer than {MAX_NAME_LENGTH} characters or cannot be printed"
    if not value:
        return "has no value"
    if reason := id_problem(topic, MAX_TOPIC_LENGTH):
        return f"topic: {reason}"
    reason = id_problem(docno) if docno else None
    return f"docno: {reason}" if reason else None


CSV = Format(
    name="csv",
    label="CSV",
    help="A table with the columns annotator, topic, aspect, docno, criterion and value.",
    reads={"judgments": read_csv_judgments},
    shapes=(Shape("csv-judgments", ("judgments",), lambda head: {"annotator", "value"} <= set(head.columns)),),
)

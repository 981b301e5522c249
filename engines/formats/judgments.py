"""Labels from elsewhere: CSV and JSON Lines of single judgments, or TREC qrels with the annotator in column 2."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, BinaryIO

from engines.formats.comments import Comments
from engines.formats.csv_text import read_csv, write_csv
from engines.formats.json_fields import FieldError, take_first
from engines.formats.json_objects import read_any_objects
from engines.formats.jsonl import records_from, write_objects
from engines.formats.judgment_columns import COLUMNS, DETAILS, MARKS, NAMES, flag
from engines.formats.layouts import DROPPED, Field, Layout
from engines.formats.qrels import read_qrels, whole_number
from engines.formats.records import MAX_TOPIC_LENGTH, JudgmentRow, Problem, Remark, id_problem
from engines.formats.registry import Certainty, Format, Head, Shape

MAX_NAME_LENGTH = 200
REQUIRED = {"annotator", "topic", "value"}
_HASH = re.compile(r"'+#").match  # apostrophes before it keep a name from being read as a comment
FLAGS = [column.name for column in COLUMNS if column.is_flag]


def read_csv_judgments(stream: BinaryIO, file: str, *, annotator: str = "") -> Iterator[JudgmentRow | Remark | Problem]:
    """Yield one judgment for each row; comments (#) and other columns than `COLUMNS` are remarked on."""
    required = ("topic", "value") if annotator else ("annotator", "topic", "value")
    others, comments = _OtherNames(file, "column"), Comments(file)
    for found in read_csv(stream, file, required=required, comments=comments):
        if isinstance(found, Problem):
            yield found
            continue
        line, cells = found
        yield from others.of(cells, line)
        if next(iter(cells)) == "annotator" and _HASH(cells["annotator"]):
            cells["annotator"] = cells["annotator"][1:]  # written so that it is no comment
        yield _row(cells, file, line, annotator)
    yield from comments.remarks()


@dataclass
class _OtherNames:
    """The columns or keys that are not read; each is reported once."""

    file: str
    label: str
    seen: set[str] = field(default_factory=set)

    def of(self, row: Iterable[str], line: int) -> Iterator[Remark]:
        """What of a row was not reported yet."""
        for name in [name for name in row if name not in NAMES and name not in self.seen]:
            self.seen.add(name)
            yield Remark(self.file, line, f"the {self.label} {name[:40]} is not read")


def is_judgment(names: Collection[str]) -> bool:
    """Whether an object with these fields is a judgment; who gave it may be said for all of them."""
    return {"topic", "value"}.issubset(names)


def read_jsonl_judgments(
    stream: BinaryIO, file: str, *, annotator: str = ""
) -> Iterator[JudgmentRow | Remark | Problem]:
    """Yield one judgment for each line; other keys than `COLUMNS` are remarked on."""
    others = _OtherNames(file, "key")
    remarks: list[Remark] = []
    objects = read_any_objects(stream, file, NAMES.__contains__, is_judgment, "judgments")

    def judgment(item: dict[str, Any], file: str, line: int) -> JudgmentRow | Problem:
        remarks.extend(others.of(item, line))
        found = _row({name: _cell(item, name) for name in NAMES}, file, line, annotator)
        if isinstance(found, Problem) and not item.keys() >= REQUIRED:
            return _with_others(found, item)
        return found

    for found in records_from(objects, file, judgment):
        yield from remarks
        remarks.clear()
        yield found


def read_qrels_judgments(
    stream: BinaryIO, file: str, *, annotator: str = ""
) -> Iterator[JudgmentRow | Remark | Problem]:
    """Yield one judgment for each row of qrels: the iteration is the annotator."""
    for row in read_qrels(stream, file):
        if isinstance(row, Remark | Problem):
            yield row
        else:
            who = annotator or row.iteration
            yield JudgmentRow(who, row.topic, "", row.docno, "", str(row.value), False, file, row.line)


def _with_others(problem: Problem, item: dict[str, Any]) -> Problem:
    """The problem with the keys that were not read: what is missing may have another name."""
    others = ", ".join(name[:40] for name in item if name not in NAMES)
    return replace(problem, reason=f"{problem.reason}; it has {others[:200]}") if others else problem


def _cell(item: dict[str, Any], name: str) -> str:
    value = take_first(item, (name,))[1]
    if value is None:
        return ""
    if isinstance(value, bool) and name in FLAGS:
        return "1" if value else "0"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise FieldError(f"{name!r} is neither text nor a number")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _row(cells: dict[str, str], file: str, line: int, annotator: str) -> JudgmentRow | Problem:
    named, topic, aspect, docno, criterion, value = (cells.get(name, "").strip() for name in NAMES[:6])
    annotator, value = annotator or named, whole_number(value)
    if reason := _problem(annotator, topic, docno, value):
        return Problem(file, line, reason)
    try:
        is_machine = bool(_read_cell("machine", flag, cells))
        read = (
            (column.name, _read_cell(column.name, column.read, cells)) for column in DETAILS if column.name in cells
        )
        details = {name: found for name, found in read if found not in (None, "")}
    except ValueError as error:
        return Problem(file, line, str(error))
    return JudgmentRow(annotator, topic, aspect, docno, criterion, value, is_machine, file, line, details)


def _read_cell(name: str, reader: Callable[[str], Any], cells: dict[str, str]) -> Any:
    """The value of one cell. Raises `ValueError` that names the column."""
    try:
        return reader(cells.get(name, ""))
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None


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


def write_csv_judgments(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield rows of values in the order of `COLUMNS` as CSV, guarded as `engines.formats.csv_text` says."""
    cells = (tuple(map(_cell_text, row)) for row in rows)
    return write_csv(NAMES, ((f"'{row[0]}" if _HASH(f"'{row[0]}") else row[0], *row[1:]) for row in cells))


def write_jsonl_judgments(rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield the same as JSON Lines, without what is not known."""
    return write_objects(map(_object, rows))


def _object(row: tuple[Any, ...]) -> dict[str, Any]:
    found = {name: _cell_text(value) for name, value in zip(NAMES, row, strict=True) if value not in (None, "")}
    return found | {name: bool(found[name]) for name in FLAGS if name in found}


def cells_of(row: JudgmentRow) -> tuple[Any, ...]:
    """The values of one label in the order of `COLUMNS`."""
    what = (row.annotator, row.topic, row.aspect, row.docno, row.criterion, row.value, row.machine)
    return (*what, *(row.details.get(column.name) for column in DETAILS))


def _cell_text(value: Any) -> Any:
    """A value as files have it: yes and no are 1 and 0, times in ISO 8601."""
    if isinstance(value, bool):
        return int(value)
    return value.isoformat() if isinstance(value, datetime) else value


def _is_meant(head: Head) -> bool:
    """A table of known answers has their explanation, and no annotator."""
    columns = set(head.columns)
    return bool(MARKS & columns) and ("explanation" not in columns or "annotator" in columns)


FIELDS = tuple(Field((column.name,), column.meaning, column.name in REQUIRED) for column in COLUMNS)
JSONL_LAYOUT = Layout(
    '{"annotator": "ana", "topic": "1", "docno": "10.1145/1", "criterion": "relevance", "value": 2}\n'
    '{"annotator": "ana", "topic": "1", "docno": "10.1145/2", "criterion": "relevance", "value": 0}\n',
    FIELDS,
    DROPPED,
)

CSV = Format(
    name="csv",
    label="CSV",
    help="A table with the columns annotator, topic, aspect, docno, criterion and value.",
    reads={"judgments": read_csv_judgments},
    shapes=(
        Shape("csv-judgments", ("judgments",), lambda head: {"annotator", "value"} <= set(head.columns)),
        Shape("csv-judgments", ("judgments",), _is_meant, Certainty.MEANT),
        Shape("csv-judgments", ("judgments",), lambda head: len(head.columns) >= len(REQUIRED), Certainty.LAST),
    ),
    layouts={
        "judgments": Layout(
            "annotator,topic,docno,criterion,value\nana,1,10.1145/1,relevance,2\n",
            FIELDS,
            f"The first line names the columns, in any order; commas, semicolons or tabs separate them. {DROPPED}",
        )
    },
)

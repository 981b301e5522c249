"""Topics as tables: id<TAB>text as of MS MARCO and TREC Deep Learning, or columns with names, in TSV or CSV.

The first line names the columns where one of its cells is a known name of an id and another one of a text; else every
line is a topic, its first cell the number, its second the text. Cells beyond these go to `extra`, as `column 3` where
they have no name. Queries of the Million Query track have colons instead of tabs, and a priority in between.

Cells between tabs are taken as they are, since quotes stand in queries; only a cell in quotes all of whose inner quotes
are doubled is what a spreadsheet wrote. Commas and semicolons separate the cells of CSV, which has its own quotes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from engines.formats.comments import Comments
from engines.formats.csv_text import csv_fault
from engines.formats.json_fields import FieldError
from engines.formats.layouts import KEPT, Layout
from engines.formats.lines import MAX_ROW_BYTES, read_lines
from engines.formats.lone_returns import in_table
from engines.formats.records import BrokenFile, Problem, Remark, TopicRecord, id_problem
from engines.formats.registry import Certainty, Format, Head, Shape
from engines.formats.table_columns import NO_NAMES, has_text, in_order
from engines.formats.table_columns import is_header as is_document_header
from engines.formats.table_documents import DOCUMENT_TABLE, is_document_table, read_table_documents
from engines.formats.tables import cells_of, is_all_quoted
from engines.formats.topic_fields import FIELDS_READ, gathered, is_header, is_published, topic_from

UNNAMED = ("number", "text")
WITH_PRIORITY = ("number", "priority", "text")
_NUMBERED = re.compile(r"([0-9]+):(?:([0-9]):)?(?=\S)").match  # what a line with colons begins with
_TEXT = re.compile(r".*(?:\s|[^\W\d_a-zA-Z])").match
_QUOTED = re.compile(r'"((?:[^"]|"")*)"').fullmatch

Row = tuple[int, list[str]]


def read_table_topics(stream: BinaryIO, file: str, *, text_from: str = "") -> Iterator[TopicRecord | Problem | Remark]:
    """Yield one topic for each row; `text_from` as in `topic_from`.

    Raises `BrokenFile` where the file is not text or its first line has one cell.
    """
    comments = Comments(file)
    every = read_lines(stream, file, max_bytes=MAX_ROW_BYTES, parted=in_table)
    lines = ((number, text) for number, text in every if text.strip() and not _is_comment(text, comments))
    first = next(lines, None)
    if first is None:
        raise BrokenFile(file, 0, "the file is empty")
    delimiter = _delimiter(first[1])
    if not delimiter:
        raise BrokenFile(file, first[0], "is not a table: the line has no tab, comma or semicolon after an id")
    names: Sequence[str] = ()
    unnamed = WITH_PRIORITY if delimiter == ":" and first[1].split(":")[1].isdigit() else UNNAMED
    rows = _rows(chain((first,), lines), delimiter, file, is_quoted=is_all_quoted(first[1]))
    for place, found in enumerate(rows):
        if isinstance(found, Problem):
            yield found
            continue
        if place == 0 and is_header(found[1]):
            names = [cell.strip().lstrip("#") for cell in found[1]]
            continue
        if place == 0:
            yield Remark(file, 0, NO_NAMES.format(in_order(unnamed)))
        if delimiter in ",;" and any(cell.strip() for cell in found[1][len(names or unnamed) :]):
            yield _too_long(found, names, file, delimiter)
        else:
            yield _topic(found, names or unnamed, file, text_from)
    yield from comments.remarks()


def _is_comment(text: str, comments: Comments) -> bool:
    """Whether a line begins with # and has no cells: a name of a column, or a number, may begin so as well."""
    return text[0] == "#" and not any(mark in text for mark in "\t,;") and comments.take(text)


def _too_long(row: Row, names: Sequence[str], file: str, delimiter: str) -> Problem:
    """A text that was cut at its commas must not come in as its beginning."""
    wanted = f"the header has {len(names)}" if names else f"{len(UNNAMED)} are expected"
    mark = {",": "comma", ";": "semicolon"}[delimiter]
    advice = f"put texts that hold a {mark} into double quotes, or use tabs"
    return Problem(file, row[0], f"has {len(row[1])} cells, but {wanted}: {advice}")


def _delimiter(line: str) -> str:
    """The separator of the cells of a line: a tab where there is one, a colon after a number, else the more frequent
    of , and ;"""
    if "\t" in line:
        return "\t"
    if _NUMBERED(line):
        return ":"
    found = max(",;", key=line.count)
    return found if found in line else ""


def _rows(lines: Iterable[tuple[int, str]], delimiter: str, file: str, *, is_quoted: bool) -> Iterator[Row | Problem]:
    if delimiter == "\t" and not is_quoted:
        return ((number, [_plain(cell) for cell in text.split("\t")]) for number, text in lines)
    if delimiter == ":":
        return ((number, _parts(text)) for number, text in lines)
    return _csv_rows(lines, delimiter, file)


def _csv_rows(lines: Iterable[tuple[int, str]], delimiter: str, file: str) -> Iterator[Row | Problem]:
    at = 0  # the line that the reader has taken last

    def texts() -> Iterator[str]:
        nonlocal at
        for number, text in lines:
            at = number
            yield f"{text}\n"

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Problem(file, at, f"is not CSV: {csv_fault(error)}")
        else:
            yield at, cells


def _parts(line: str) -> list[str]:
    """The parts of `1:text` and of `1:2:text`."""
    found = _NUMBERED(line)
    return [*filter(None, found.groups()), line[found.end() :]] if found else [line]


def _plain(cell: str) -> str:
    """A cell between tabs; without the quotes that a spreadsheet put round one that holds quotes."""
    quoted = _QUOTED(cell) if '""' in cell else None
    return quoted[1].replace('""', '"') if quoted else cell


def _topic(row: Row, names: Sequence[str], file: str, text_from: str) -> TopicRecord | Problem:
    line, cells = row
    if len(cells) < 2:
        return Problem(file, line, "has one cell; an id and a text are expected")
    names = [*names, *[""] * (len(cells) - len(names))]
    fields, more = gathered((names[at] or f"column {at + 1}", cell.strip()) for at, cell in enumerate(cells))
    try:
        return topic_from(fields, file, line, text_from=text_from, more=more)
    except FieldError as error:
        return Problem(file, line, str(error))


def _is_table(head: Head) -> bool:
    """Whether most lines have a tab; or commas, where the first line has names of columns or the file ends in .csv."""
    lines = head.lines
    if not lines or head.text[0] in "<[{@%" or _names_documents(head):
        return False
    if 2 * sum("\t" in line for line in lines) > len(lines):
        return True
    if all(map(_NUMBERED, lines)):
        return True
    delimiter = _delimiter(lines[0])
    if delimiter in ("", "\t", ":"):
        return False
    return head.suffix == "csv" or is_header(cells_of(lines[0], delimiter))


def _has_texts(head: Head) -> bool:
    """Whether most lines are an id, a tab and texts: several words, or letters beyond a to z."""
    rows = [line.split("\t") for line in head.lines if head.text[0] not in "<[{@%"]
    texts = [row for row in rows if id_problem(row[0]) is None and any(_TEXT(cell.strip()) for cell in row[1:])]
    return 2 * len(texts) > len(head.lines)


def _first_cells(head: Head) -> list[str]:
    lines = [] if head.text[:1] in ("", *"<[{@%") else head.lines
    return cells_of(lines[0], _delimiter(lines[0]) or ",") if lines else []


def _names_documents(head: Head) -> bool:
    """Whether the first line names columns of documents, which are none of topics."""
    cells = _first_cells(head)
    return is_document_header(cells) and (is_published(cells) or not is_header(cells))


def _names_topics(head: Head) -> bool:
    """Whether the first line names columns of topics, which are none of documents."""
    cells = _first_cells(head)
    return is_header(cells) and not has_text(cells)


TABLE = Format(
    name="table",
    label="Table",
    help="One record per line: its id, a tab, its text. Or a table (TSV, CSV) whose first line names its columns.",
    reads={"topics": read_table_topics, "documents": read_table_documents},
    shapes=(
        Shape("topic-table", ("topics",), _is_table, Certainty.IF_REQUESTED),
        Shape(
            "document-table",
            ("documents",),
            lambda head: is_document_table(head) and not _names_topics(head),
            Certainty.IF_REQUESTED,
        ),
        Shape("topic-table", ("topics",), _names_topics, Certainty.POSSIBLE),
        Shape(
            "document-table",
            ("documents",),
            lambda head: is_document_header(_first_cells(head)),
            Certainty.POSSIBLE,
        ),
        Shape("unnamed-table", ("topics", "documents"), _has_texts, Certainty.POSSIBLE),
        Shape("document-table", ("documents",), lambda head: head.suffix in ("csv", "tsv"), Certainty.LAST),
    ),
    layouts={
        "documents": DOCUMENT_TABLE,
        "topics": Layout(
            "q1\teffect of birdsong on sleep\nq2\tcheap sensors for soil moisture\n",
            FIELDS_READ,
            "Without a line of names the first cell is the number, the second one the text. " + KEPT,
        ),
    },
)

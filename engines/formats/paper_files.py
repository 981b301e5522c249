"""Files that come with papers: the table of their order (ACM-CR's `papers.tsv`) and the `.dois` sheets."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from engines.formats.acm_cr import read_dois
from engines.formats.layouts import DROPPED, Layout, optional, required
from engines.formats.records import BrokenFile, Problem
from engines.formats.registry import Certainty, Format, Head, Shape

_MOST_TABLE = 10_000_000
NUMBERS = "first_sentence_number"
_SHEET = re.compile(r"-?\[\d+\]\t(?:10\.\d|https?:)").match


@dataclass(frozen=True, slots=True)
class PlaceInOrder:
    """A row of the table: a paper's DOI and the number of its first sentence topic, None where it runs on."""

    doi: str
    first_sentence_number: int | None
    file: str
    line: int


def read_order(stream: BinaryIO, file: str) -> Iterator[PlaceInOrder | Problem]:
    """Yield the rows of a table with a header: a column `doi` and, if wanted, `first_sentence_number`.

    Raises `BrokenFile` if it is not such a table.
    """
    data = stream.read(_MOST_TABLE + 1)
    if len(data) > _MOST_TABLE:
        raise BrokenFile(file, 0, f"a table of papers has at most {_MOST_TABLE // 1_000_000} MB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFile(file, 0, "is not text in UTF-8") from error
    lines = io.StringIO(text, newline="")
    if "\t" in text.split("\n", 1)[0]:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
    else:
        rows = csv.DictReader(lines)
    try:
        if "doi" not in (rows.fieldnames or ()):
            raise BrokenFile(file, 1, "has no column doi")
        for row in rows:
            yield _place(row, file, rows.line_num)
    except csv.Error as error:
        raise BrokenFile(file, rows.line_num, f"is not a table: {error}") from error


def _place(row: dict[str, str], file: str, line: int) -> PlaceInOrder | Problem:
    doi, number = (row.get("doi") or "").strip(), (row.get("first_sentence_number") or "").strip()
    if not doi:
        return Problem(file, line, "the row has no doi")
    if number and not (number.isascii() and number.isdigit() and len(number) < 10):
        return Problem(file, line, f"first_sentence_number {number!r:.40} is not a whole number")
    return PlaceInOrder(doi, int(number) if number else None, file, line)


def _is_order(head: Head) -> bool:
    return len(head.columns) > 1 and head.columns[0] == "doi"


def _is_surely_order(head: Head) -> bool:
    """Whether the columns are those of the table, and not also those of documents."""
    return _is_order(head) and NUMBERS in head.columns and not {"title", "abstract"}.intersection(head.columns)


def _is_sheet(head: Head) -> bool:
    return head.suffix == "dois" or _SHEET(head.text) is not None


ORDER = Format(
    name="paper-order",
    label="Table of papers",
    help="A table (TSV or CSV) with the columns doi and first_sentence_number.",
    reads={"paper-order": read_order},
    shapes=(
        Shape("paper-order", ("papers", "paper-order"), _is_surely_order),
        Shape("paper-order", ("papers", "paper-order"), _is_order, Certainty.IF_REQUESTED),
    ),
    layouts={
        "paper-order": Layout(
            "doi\tfirst_sentence_number\n10.1145/1\t1\n",
            (
                required("doi", "DOI of the paper"),
                optional(
                    "first_sentence_number", "number of the paper's first sentence topic; empty to continue numbering"
                ),
            ),
            f"The first line names the columns; commas or tabs separate them. {DROPPED}",
        )
    },
)

SHEET = Format(
    name="dois",
    label=".dois sheet",
    help="ACM-CR's worksheet of a paper's references, for their notes.",
    reads={"reference-notes": read_dois},
    shapes=(Shape("dois", ("papers", "reference-notes"), _is_sheet),),
    layouts={
        "reference-notes": Layout(
            "[1]\t10.1145/1\tthe extended version\n-[2]\thttps://example.org/report\tnot in the collection\n",
            (
                required("number", "number of the reference, in brackets; a - before it means outside the collection"),
                required("address", "DOI or URL of the reference"),
                optional("note", "any text"),
            ),
            "Columns have no header and are separated by tabs. The file's name is the paper's, and ends with .dois.",
        )
    },
)

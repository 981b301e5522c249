"""Which kind of paper a file holds, and the table that says in which order papers come (ACM-CR's `papers.tsv`)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from corpus.formats.records import BrokenFile, Problem

PDF, TEI, S2ORC, ACM_CR, TABLE, SHEET = "pdf", "tei", "s2orc", "acm-cr", "table", "dois"
FORMATS = (PDF, TEI, S2ORC, ACM_CR)
HEAD_BYTES = 1 << 14

_MOST_TABLE = 10_000_000
_PDF_MARK = b"%PDF-"


@dataclass(frozen=True, slots=True)
class PlaceInOrder:
    """A row of the table: a paper's DOI and the number of its first sentence topic, None where it runs on."""

    doi: str
    first_sentence_number: int | None
    file: str
    line: int


def tell_format(head: bytes, name: str) -> str:
    """Return what a file is, from its first bytes and its name: one of FORMATS, TABLE or SHEET (a `.dois` worksheet).

    Raises `BrokenFile` where it is none of them.
    """
    if not head.strip():
        raise BrokenFile(name, 0, "the file is empty")
    suffix = name.lower().rpartition(".")[2]
    if _PDF_MARK in head[:1024] or suffix == PDF:
        return PDF
    if b"\0" in head:
        raise BrokenFile(name, 0, "is neither a PDF file nor text")
    if suffix == SHEET:
        return SHEET
    text = head.decode("utf-8-sig", "replace").lstrip()
    found = _told_by_marks(text)
    if not found:
        raise BrokenFile(name, 0, "is no paper that is read here: PDF, GROBID TEI, S2ORC JSON or ACM-CR XML")
    return found


def _told_by_marks(text: str) -> str:
    if text.startswith("{"):
        return S2ORC
    if "<TEI" in text:
        return TEI
    if "<doc" in text and ("<doi" in text or "<contexts" in text):
        return ACM_CR
    first = text.split("\n", 1)[0].replace(",", "\t").split("\t")
    return TABLE if len(first) > 1 and first[0].strip().strip('"').lower() == "doi" else ""


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

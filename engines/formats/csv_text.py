"""CSV for people and back: safe to open in a spreadsheet, and read again without loss.

A cell that begins with = + - @ TAB or CR is run as a formula by spreadsheets, so an apostrophe is put before it;
plain numbers are left alone ("-0.05" is a number, not a formula). Cells that already begin with apostrophes and such
a sign get one more, which makes the guard reversible: `unguard(guard(text)) == text` for every text. Write with
`guarded=False` where another program reads the file and apostrophes would be in its way.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import BinaryIO

from engines.formats.comments import Comments
from engines.formats.lines import read_lines
from engines.formats.records import BrokenFile, Problem

_FORMULA = re.compile(r"'*[=+\-@\t\r]").match
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?").fullmatch


def guard(text: str) -> str:
    """Return `text` as a cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA(text) and not _NUMBER(text) else text


def unguard(text: str) -> str:
    """Return the text of a cell that `guard` made."""
    return text[1:] if text.startswith("'") and _FORMULA(text) else text


def write_csv(
    header: Sequence[str], rows: Iterable[Sequence[object]], *, guarded: bool = True, delimiter: str = ","
) -> Iterator[str]:
    """Yield the header and the rows as lines (a cell may hold line ends); None is an empty cell."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    for row in chain((header,), rows):
        cells = ("" if cell is None else str(cell) for cell in row)
        writer.writerow([guard(cell) for cell in cells] if guarded else list(cells))
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def read_csv(
    stream: BinaryIO, file: str, *, required: Iterable[str] = (), comments: Comments | None = None
) -> Iterator[tuple[int, dict[str, str]] | Problem]:
    """Yield (line, {column: cell}) for each row under the header; guards are taken off.

    With `comments`, which counts them, rows that begin with # are passed over, also before the header. Column names are
    lower-cased and trimmed; the delimiter is the one of , ; TAB that the header holds most of. Rows with more cells
    than the header are `Problem`s, missing cells are "".

    Raises `BrokenFile` if the file is not text, its header is no CSV, lacks a `required` column or names one twice, or
    a quote is never closed.
    """
    lines = read_lines(stream, file, with_ends=True)  # a cell may hold CR and LF
    at, first = next(lines, (0, ""))
    while comments and comments.take(first):
        at, first = next(lines, (0, ""))
    if not at:
        raise BrokenFile(file, 0, "the file is empty")
    delimiter = max(",;\t", key=first.count)
    header = _header(first, delimiter, file, at)
    if len(set(header)) != len(header):
        raise BrokenFile(file, at, "the header names a column twice")
    if missing := [name for name in required if name not in header]:
        found = ", ".join(name[:40] for name in header[:20])
        raise BrokenFile(file, at, f"the header has no column {', '.join(missing)}; its columns are {found}")
    reader = csv.reader((text for _, text in lines), delimiter=delimiter, strict=True)
    for line, cells in _rows(reader, file, at + 1):
        if not (comments and isinstance(cells, list) and comments.take(cells[0])):
            yield cells if isinstance(cells, Problem) else _named(cells, header, file, line)


def _header(line: str, delimiter: str, file: str, at: int) -> list[str]:
    try:
        return [name.strip().lower() for name in next(csv.reader([line], delimiter=delimiter, strict=True))]
    except csv.Error as error:
        raise BrokenFile(file, at, f"the header is not CSV: {csv_fault(error)}") from error


def csv_fault(error: csv.Error) -> str:
    """What is wrong with a row, in users' words."""
    if "new-line character" in str(error):
        return "a carriage return (CR) is outside of quotes; save the file with line ends LF or CRLF"
    return str(error)


def _named(cells: list[str], header: list[str], file: str, line: int) -> tuple[int, dict[str, str]] | Problem:
    if len(cells) > len(header):
        return Problem(file, line, f"has {len(cells)} cells, but the header has {len(header)}")
    cells += [""] * (len(header) - len(cells))
    return line, dict(zip(header, map(unguard, cells), strict=True))


def _rows(reader: Iterator[list[str]], file: str, first: int) -> Iterator[tuple[int, list[str] | Problem]]:
    """Yield (line, cells) of the rows that are not empty."""
    line = first
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                raise BrokenFile(file, line, "a quoted cell that begins here is never closed") from error
            yield line, Problem(file, line, f"is not CSV: {csv_fault(error)}")
        else:
            if any(cells):
                yield line, cells
        line = reader.line_num + first  # type: ignore[attr-defined]

"""Excel workbooks (.xlsx) as rows, one at a time; what a workbook may hold once it is unpacked is bounded.

A number, a date and a formula come as the value that Excel stored: 2020, 2020-03-01, what the formula gave last.
"""

from __future__ import annotations

import shutil
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from defusedxml import DefusedXmlException

from engines.formats.records import BrokenFile
from engines.formats.tables import Row, plain_cell

MAX_BYTES = 1 << 30  # of all parts of a workbook, unpacked
MOST_PARTS = 10_000
_DAMAGED: tuple[type[Exception], ...] = (
    *(zipfile.BadZipFile, zlib.error, LookupError, ValueError, TypeError, AttributeError, OSError, EOFError),
    *(SyntaxError, DefusedXmlException),  # what parsers of XML raise, lxml too, is a SyntaxError
)


def read_sheets(stream: BinaryIO, file: str) -> Iterator[tuple[str, Iterator[Row]]]:
    """Yield each sheet's name with its rows, which are read before the next sheet is asked for.

    Raises `BrokenFile` for a file that is no workbook, or one that is larger than allowed once it is unpacked.
    """
    import openpyxl

    with TemporaryFile() as spool:
        shutil.copyfileobj(stream, spool)
        with _reading(file):
            _check_size(spool, file)
            book = openpyxl.load_workbook(spool, read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # the stated ones may be of a million empty columns
            yield sheet.title, _rows(sheet, file)
        book.close()


@contextmanager
def _reading(file: str) -> Iterator[None]:
    """What openpyxl raises for damaged workbooks, as `BrokenFile`."""
    try:
        yield
    except _DAMAGED as error:
        words = str(error).strip().split("\n")[0]
        words = words.partition(" from ")[0].rstrip(".")  # openpyxl names the file as it sees it, by a number
        reason = f"is not a readable Excel workbook ({words[:200]}); save it as CSV instead"
        raise BrokenFile(file, 0, reason) from error


def _check_size(spool: Any, file: str) -> None:
    with zipfile.ZipFile(spool) as archive:
        parts = archive.infolist()
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MAX_BYTES:
        raise BrokenFile(file, 0, "the workbook is larger than allowed once it is unpacked; save it as CSV instead")
    if all(part.filename != "[Content_Types].xml" for part in parts):
        raise BrokenFile(file, 0, "is an archive within an archive; unpack it and import what it holds")


def _rows(sheet: Any, file: str) -> Iterator[Row]:
    with _reading(file):
        for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
            cells = [_text(value) for value in values]
            if any(cells):
                yield number, cells


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == value.min.time() else value.isoformat()
    return value.isoformat() if isinstance(value, date) else plain_cell(str(value))

"""Rows of tables as text has them: CSV with its quotes, or cells between tabs, which seldom have any.

Between tabs a quote is a character like any other, since titles have them. Quotes round a cell are those of a program
where all quotes in it are doubled or it goes on over several lines, below a header also where it holds commas.
"""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice

from engines.formats.csv_text import csv_fault
from engines.formats.lines import MAX_LINE_BYTES
from engines.formats.records import BrokenFile, Problem

MAX_CELL = 16 << 20  # characters
FIRST_LINES = 20  # among which a header is looked for
MOST_LINES = 1_000  # of one cell between tabs
_QUOTED = re.compile(r'"((?:[^"]|"")*)"').fullmatch
_OPEN = re.compile(r'(?:^|\t)"(?:[^"]|"")*$').search
_EXCEL = re.compile(r'="((?:[^"]|"")*)"').fullmatch
_SEPARATOR = re.compile(r"sep=(.)\s*").fullmatch

Line = tuple[int, str]
Row = tuple[int, list[str]]  # with the line where it begins

csv.field_size_limit(MAX_CELL)


def read_rows(
    lines: Iterator[Line], file: str, is_header: Callable[[list[str]], bool] = lambda _: False
) -> tuple[str, Iterator[Row | Problem]]:
    """What separates the cells, and the rows that are not blank, with plain cells. A row that is no CSV is a `Problem`.

    Cells are separated as in the first line that is then a header, else by tabs where the first lines have them, else
    by the more frequent of , and ;. Raises `BrokenFile` for a quoted cell that is never closed.
    """
    first = list(islice(lines, FIRST_LINES))
    named = _SEPARATOR(first[0][1]) if first else None
    if named:
        first = first[1:]
    header = next((found for _, text in first if (found := _header_delimiter(text, is_header))), "")
    delimiter = named[1] if named else header or _frequent(text for _, text in first)
    if delimiter == "\t" and not any(is_all_quoted(text) for _, text in first[:1]):
        return delimiter, _tab_rows(chain(first, lines), is_written_by_program=bool(header))
    return delimiter, _csv_rows(chain(first, lines), delimiter, file)


def _header_delimiter(line: str, is_header: Callable[[list[str]], bool]) -> str:
    """The delimiter that makes the line a header, "" where none does."""
    for delimiter in "\t,;":
        if delimiter in line and is_header(cells_of(line, delimiter)):
            return delimiter
    return ""


def _frequent(lines: Iterable[str]) -> str:
    text = "".join(lines)
    return "\t" if "\t" in text else max(",;", key=text.count)


def is_all_quoted(line: str) -> bool:
    """Whether all cells between tabs stand in quotes, as programs write them that quote everything."""
    return "\t" in line and all(map(_QUOTED, line.split("\t")))


def _tab_rows(lines: Iterator[Line], *, is_written_by_program: bool) -> Iterator[Row]:
    width = 0
    held: deque[Line] = deque()  # lines that were looked at and are still to be read
    while line := held.popleft() if held else next(lines, None):
        number, text = line
        if width and '"' in text and text.count("\t") < width and _OPEN(text):
            text = _closed(text, width, held, lines)
        cells = [_plain_tab_cell(cell, is_written_by_program) for cell in text.split("\t")]
        if any(cells):
            width = width or len(cells)
            yield number, cells


def _closed(text: str, width: int, held: deque[Line], lines: Iterator[Line]) -> str:
    """The row with the lines that belong to its open cell, itself where no line closes it; the others go to `held`."""
    whole, size = text, len(text)
    for at in range(MOST_LINES):
        if at == len(held):
            if (more := next(lines, None)) is None:
                break
            held.append(more)
        whole = f"{whole}\n{held[at][1]}"
        size += len(held[at][1])
        tabs = whole.count("\t") + 1
        if tabs > width or size > MAX_LINE_BYTES:
            break
        if tabs == width and not _OPEN(whole):
            for _ in range(at + 1):
                held.popleft()
            return whole
    return text


def _plain_tab_cell(cell: str, is_written_by_program: bool) -> str:
    """A cell without the quotes of a program: these are round cells that hold a quote, a comma or a line end."""
    signs = '",;\n' if is_written_by_program else '"\n'
    quoted = _QUOTED(cell) if cell.startswith('"') else None
    if quoted and any(sign in quoted[1] for sign in signs):
        return plain_cell(quoted[1].replace('""', '"'))
    return plain_cell(cell)


def _csv_rows(lines: Iterable[Line], delimiter: str, file: str) -> Iterator[Row | Problem]:
    begun = 0  # the line where the row begins that is being read

    def texts() -> Iterator[str]:
        nonlocal begun
        for number, text in lines:
            begun = begun or number
            yield f"{text}\n"

    reader = csv.reader(texts(), delimiter=delimiter, strict=True)
    while True:
        begun = 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            if "unexpected end" in str(error) or "field larger" in str(error):
                raise BrokenFile(file, begun, "a quoted cell that begins here is never closed") from error
            yield Problem(file, begun, f"is not CSV: {csv_fault(error)}")
            continue
        if cells is None:
            return
        if any(cells := [plain_cell(cell) for cell in cells]):
            yield begun, cells


def cells_of(line: str, delimiter: str) -> list[str]:
    """The cells of one line of CSV; where it is no CSV, such as with a CR in it, what lies between the separators."""
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return line.split(delimiter)


def plain_cell(cell: str) -> str:
    """A cell without blanks around it, and without the ="…" by which programs keep Excel from reading a number."""
    cell = cell.strip()
    literal = _EXCEL(cell) if cell.startswith('="') else None
    return literal[1].replace('""', '"') if literal else cell

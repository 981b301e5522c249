"""Documents as tables: CSV, TSV and Excel workbooks, with columns matched by name, or id<TAB>text without names.

A first line without names is that of MS MARCO, Pyserini and ir_datasets: id and text; id, title and text; or id, url,
title and text. Lines before the header, as Embase writes them, are passed over and reported. Embase's tables with a
record in each column, or fields below each other, are turned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, BinaryIO

from engines.formats.dois import bare_doi
from engines.formats.layouts import Layout, optional
from engines.formats.lines import read_lines
from engines.formats.lone_returns import in_table
from engines.formats.naming import Naming
from engines.formats.records import BrokenFile, DocumentRecord, Problem, Remark, id_problem
from engines.formats.registry import Format, Head, Shape
from engines.formats.table_cells import split_authors, split_keywords
from engines.formats.table_columns import (
    NAMES,
    NO_NAMES,
    Columns,
    choose,
    columns_of,
    distinct_names,
    has_text,
    in_order,
    in_words,
    is_header,
)
from engines.formats.table_turning import is_turned, turned
from engines.formats.tables import FIRST_LINES, Row, read_rows
from engines.formats.taking import year_in
from engines.formats.workbooks import read_sheets

UNNAMED = {2: ("docno", "abstract"), 3: ("docno", "title", "abstract"), 4: ("docno", "url", "title", "abstract")}
_HOW_TO_CHOOSE = "say which column has which field, as in title = Titel; abstract = 3"
_URL = re.compile(r"https?://", re.IGNORECASE).match

Item = DocumentRecord | Problem | Remark


@dataclass(frozen=True)
class _Table:
    """The columns of a table: their names, and which are which field."""

    names: list[str]
    columns: Columns
    naming: Naming


def read_table_documents(stream: BinaryIO, file: str, *, columns: str = "") -> Iterator[Item]:
    """Yield one document for each row, and remarks on what the columns were taken for.

    `columns` says which column a field has, as `choose` reads it, where that is not known by the column's name. Raises
    `BrokenFile` for a file that is not text or whose columns are not known.
    """
    delimiter, rows = read_rows(read_lines(stream, file, parted=in_table), file, is_header)
    yield from documents_of_rows(rows, file, columns, may_lack_names=delimiter == "\t")


def documents_of_rows(
    rows: Iterator[Row | Problem], file: str, chosen: str = "", *, may_lack_names: bool = False
) -> Iterator[Item]:
    """The documents of one table. Raises `BrokenFile` where its columns are not known."""
    naming = Naming(file)
    first = list(islice(rows, FIRST_LINES))
    at = header_at([row for row in first if not isinstance(row, Problem)])
    if at is None and is_turned([row[1] for row in first if not isinstance(row, Problem)]):
        for line, fields in turned(chain(first, rows), file):
            if isinstance(fields, str):
                yield Problem(file, line, fields)
                continue
            names = list(fields)
            yield _document((line, list(fields.values())), _Table(names, _chosen(names, chosen, file, line), naming))
        yield Remark(file, 0, "fields are rows and not columns; rows and columns were swapped")
    else:
        if at is None and first and not isinstance(first[0], Problem) and has_text(first[0][1]):
            at = first[0][0]  # the only name that is known
        yield from _below_header(chain(first, rows), at, naming, chosen, may_lack_names=may_lack_names)
    yield from naming.remarks()


def header_at(rows: Sequence[Row]) -> int | None:
    """The line of the first row that names columns, None where none does."""
    return next((line for line, cells in rows if is_header(cells)), None)


def _below_header(
    rows: Iterable[Row | Problem], at: int | None, naming: Naming, chosen: str, *, may_lack_names: bool
) -> Iterator[Item]:
    table: _Table | None = None
    before = 0
    for row in rows:
        if isinstance(row, Problem):
            yield row
        elif table is not None:
            yield _document(row, table)
        elif at is not None and row[0] < at:
            before += 1
        else:
            table, is_named = _table_of(row, at, naming, chosen, may_lack_names=may_lack_names)
            yield from _said(table, before, is_named=is_named or bool(chosen))
            if not is_named:
                yield _document(row, table)


def _table_of(row: Row, at: int | None, naming: Naming, chosen: str, *, may_lack_names: bool) -> tuple[_Table, bool]:
    """The table, and whether the row names its columns. Raises `BrokenFile`."""
    line, cells = row
    if at is None and chosen and not _is_by_place(chosen):
        at = line  # unknown names, but the person has chosen which column is which
    if at is not None:
        names = distinct_names(cells)
        return _Table(names, _chosen(names, chosen, naming.file, line), naming), True
    fields = _unnamed(cells) if may_lack_names else ()
    names = [*fields, *(f"column {place + 1}" for place in range(len(fields), len(cells)))]
    known: Columns = {field: [place] for place, field in enumerate(fields)}
    if chosen:
        names, known = [f"column {place + 1}" for place in range(len(cells))], {}
    elif not fields:
        named = ", ".join(cell[:40] for cell in cells[:30])
        reason = f"no column is known as a title or a text (the columns are {named}); {_HOW_TO_CHOOSE}"
        raise BrokenFile(naming.file, line, reason)
    return _Table(names, _choose(known, names, chosen, naming.file, line), naming), False


def _unnamed(cells: Sequence[str]) -> tuple[str, ...]:
    """The fields of a row without names; () where it does not begin with an id."""
    if id_problem(cells[0]) is not None:
        return ()
    fields = UNNAMED.get(len(cells), ())
    if len(cells) == 3 and _URL(cells[1]):
        return ("docno", "url", "abstract")
    return fields if len(cells) != 4 or _URL(cells[1]) else ()


def _is_by_place(chosen: str) -> bool:
    return all(part.partition("=")[2].strip().isdigit() for part in re.split(r"[;\n]", chosen) if part.strip())


def _chosen(names: list[str], chosen: str, file: str, line: int) -> Columns:
    return _choose(columns_of(names), names, chosen, file, line)


def _choose(columns: Columns, names: list[str], chosen: str, file: str, line: int) -> Columns:
    try:
        return choose(columns, names, chosen)
    except ValueError as error:
        raise BrokenFile(file, line, str(error)) from error


def _said(table: _Table, before: int, *, is_named: bool) -> Iterator[Remark]:
    if before:
        lines = "line before the header was" if before == 1 else "lines before the header were"
        yield Remark(table.naming.file, 0, f"{before} {lines} skipped")
    said = f"columns: {in_words(table.columns, table.names)}"
    if not is_named:
        said = f"{NO_NAMES.format(in_order(list(table.columns)))}. If that is wrong, fill in “Columns of a table”"
    yield Remark(table.naming.file, 0, said)


def _document(row: Row, table: _Table) -> DocumentRecord | Problem:
    line, cells = row
    naming, width = table.naming, len(table.names)
    if any(cells[width:]):
        return Problem(naming.file, line, f"has {len(cells)} cells, but the header has {width}")
    cells = [*cells, *[""] * (width - len(cells))]
    own: dict[str, Any] = {}
    used: set[int] = set()
    for field, places in table.columns.items():
        at = next((place for place in places if cells[place]), places[0])
        own[field], is_whole = _value(field, cells[at])
        if is_whole:
            used.add(at)
    title, abstract = own.setdefault("title", ""), own.setdefault("abstract", "")
    if not title and not abstract:
        return Problem(naming.file, line, "the row has neither a title nor a text")
    given = own.pop("docno", "")
    docno = naming.docno(
        [given], own.get("doi", ""), title, own.get("authors", ()), year=own.get("year"), text=abstract
    )
    if docno != given:
        used -= set(table.columns.get("docno", ()))
    extra = {
        name: cell for at, (name, cell) in enumerate(zip(table.names, cells, strict=False)) if cell and at not in used
    }
    return DocumentRecord(docno, extra=_apart(extra), file=naming.file, line=line, **own)


def _value(field: str, cell: str) -> tuple[Any, bool]:
    """The value of a field, and whether it holds all that the cell says."""
    if field == "year":
        return year_in(cell)
    if field == "authors":
        return split_authors(cell), True
    if field == "keywords":
        return split_keywords(cell), True
    if field == "doi":
        doi, _, more = bare_doi(cell).partition(" ")
        return doi, not more
    return cell, True


def _apart(extra: dict[str, str]) -> dict[str, str]:
    """The other fields, with names that are not those of documents."""
    return {f"other_{name}" if name in NAMES else name: cell for name, cell in extra.items()}


def read_workbook_documents(stream: BinaryIO, file: str, *, columns: str = "") -> Iterator[Item]:
    """Yield one document for each row of all sheets that are tables of documents; other sheets are named in a remark.

    Raises `BrokenFile` for a file that is no workbook, and where no sheet's columns are known.
    """
    others: list[str] = []
    has_table = False
    for sheet, rows in read_sheets(stream, file):
        first = list(islice(rows, FIRST_LINES))
        if not first:
            continue
        label = f"{file}/{sheet}" if has_table or others else file
        if not columns and not is_table([cells for _, cells in first]):
            others.append(sheet)
            continue
        has_table = True
        yield from documents_of_rows(chain(first, rows), label, columns)
    if others and not has_table:
        raise BrokenFile(
            file, 0, f"no column of the sheet “{others[0]}” is known as a title or a text; {_HOW_TO_CHOOSE}"
        )
    if others:
        yield Remark(file, 0, f"sheets without documents were skipped: {', '.join(others)}")


def is_table(rows: Sequence[list[str]], *, may_lack_names: bool = False) -> bool:
    """Whether the first rows of a table are of documents: a header among them, fields as rows, or ids with texts."""
    if any(map(is_header, rows)) or is_turned(rows) or (rows and has_text(rows[0])):
        return True
    return may_lack_names and bool(rows) and 2 * sum(bool(_unnamed(cells)) for cells in rows) > len(rows)


def is_document_table(head: Head) -> bool:
    """Whether a text looks like a table of documents."""
    if not head.lines or head.is_list or head.text[0] in "<[{@%":
        return False
    lines = ((number, line.rstrip("\r")) for number, line in enumerate(head.lines, 1))
    try:
        delimiter, found = read_rows(lines, "", is_header)
        rows = [row[1] for row in found if not isinstance(row, Problem)]
    except BrokenFile:  # the head ends within a cell
        delimiter, rows = ",", [head.columns]
    return is_table(rows, may_lack_names=delimiter == "\t")


DOCUMENT_TABLE = Layout(
    "id\ttitle\tabstract\tauthors\tyear\nowl1\tOwls in the dark\tWe measure hearing.\tXample, Ada\t2020\n",
    (
        optional(NAMES["docno"], "id of the document; without one, the DOI or an id made of author, year and title"),
        optional(NAMES["title"], "title; this or a text is required"),
        optional(NAMES["abstract"], "abstract or text"),
        optional(NAMES["authors"], "authors, separated by semicolons"),
        optional(NAMES["year"], "year, or a date that begins with it"),
        optional(NAMES["venue"], "journal or book"),
        optional(NAMES["doi"], "DOI"),
        optional(NAMES["url"], "address"),
        optional(NAMES["keywords"], "keywords, separated by semicolons"),
        optional(NAMES["full_text"], "full text"),
    ),
    "Other columns are kept with the document. You can choose which column has which field. Without names, the columns "
    "are id and text; id, title and text; or id, url, title and text.",
)
WORKBOOK = Format(
    name="xlsx",
    label="Excel workbook (.xlsx)",
    help="Tables whose first row names its columns, in one sheet or several.",
    reads={"documents": read_workbook_documents},
    shapes=(Shape("workbook", ("documents",), lambda head: head.data.startswith(b"PK\x03\x04"), is_binary=True),),
    layouts={
        "documents": Layout(
            note="The first row of a sheet names its columns, as in a table of text; the names are the same. Save "
            "other spreadsheets as .xlsx or CSV."
        )
    },
)

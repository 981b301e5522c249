"""Tables whose rows are fields: a record in each column, or one record below the other, as Embase exports them too.

    TITLE,Ears of owls,Wings of moths           TITLE,Ears of owls
    AUTHOR NAMES,Xample A.,Ypsilon B.           AUTHOR NAMES,Xample A.,Ypsilon B.
                                                TITLE,Wings of moths

Where the title comes once, each of its cells is a record. Where it comes again, each title begins a record, and further
cells of a row are further values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engines.formats.records import BrokenFile, Problem
from engines.formats.table_columns import columns_of
from engines.formats.tables import Row

MAX_CHARS = 64 << 20  # of a table that is held as a whole

Record = tuple[int, dict[str, str] | str]  # its line, and its fields or what is wrong with them


def is_turned(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first cells of the rows are names of fields, a title and another one among them."""
    names = [cells[0] for cells in rows if len(cells) > 1]
    found = columns_of(names)
    return "title" in found and len(found) > 2


def turned(rows: Iterable[Row | Problem], file: str) -> Iterator[Record]:
    """Yield the records. Raises `BrokenFile` for a table that is too large to be held."""
    held: list[Row] = []
    size = 0
    for row in rows:
        if isinstance(row, Problem):
            yield row.line, row.reason
            continue
        held.append(row)
        size += sum(map(len, row[1]))
        if size > MAX_CHARS:
            raise BrokenFile(
                file, row[0], f"a table of rows that are fields, longer than {MAX_CHARS >> 20} million characters"
            )
    titles = [cells for _, cells in held if "title" in columns_of(cells[:1])]
    yield from _side_by_side(held) if len(titles) == 1 and len(titles[0]) > 2 else _below_each_other(held)


def _side_by_side(rows: Sequence[Row]) -> Iterator[Record]:
    for at in range(1, max(len(cells) for _, cells in rows)):
        found = {cells[0]: cells[at] for _, cells in rows if at < len(cells) and cells[at]}
        if found:
            yield rows[0][0], found


def _below_each_other(rows: Sequence[Row]) -> Iterator[Record]:
    begun, fields = 0, dict[str, str]()
    for line, cells in rows:
        if "title" in columns_of(cells[:1]) and fields:
            yield begun, fields
            fields = {}
        begun = begun if fields else line
        value = "; ".join(filter(None, cells[1:]))
        if value:
            fields[cells[0]] = f"{fields[cells[0]]}; {value}" if cells[0] in fields else value
    if fields:
        yield begun, fields

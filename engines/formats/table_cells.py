"""Cells that hold several values: authors and keywords, as programs write them into one cell."""

from __future__ import annotations

import ast
import re

_INITIALS = re.compile(r"\S.*\s(?:[A-Z]\.?-?){1,4}").fullmatch


def split_authors(cell: str) -> tuple[str, ...]:
    """The names in a cell: between semicolons, bars, line ends or “and”; commas part “Xample A, Ypsilon B” alone."""
    if listed := _listed(cell):
        return listed
    for mark in (";", "|", "\n", " and "):
        if mark in cell:
            return _parts(cell, mark)
    names = _parts(cell, ",")
    return names if len(names) > 1 and all(map(_INITIALS, names)) else _parts(cell, "\n")


def split_keywords(cell: str) -> tuple[str, ...]:
    """The keywords in a cell, each once: between semicolons, bars or line ends, else between commas."""
    if listed := _listed(cell):
        return listed
    mark = next((mark for mark in (";", "|", "\n") if mark in cell), ",")
    return tuple(dict.fromkeys(_parts(cell, mark)))


def _listed(cell: str) -> tuple[str, ...]:
    """The texts of a list as Python and JSON write one, which programs put into cells; () for any other cell."""
    if not (cell.startswith("[") and cell.endswith("]")):
        return ()
    try:
        found = ast.literal_eval(cell)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return ()
    texts = tuple(dict.fromkeys(each.strip() for each in found if isinstance(each, str)))
    return tuple(filter(None, texts)) if len(texts) == len(found) else ()


def _parts(text: str, mark: str) -> tuple[str, ...]:
    parts = (each.strip().removeprefix("and ") for each in text.split(mark))
    return tuple(part for part in parts if part)

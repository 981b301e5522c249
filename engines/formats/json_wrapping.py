"""One JSON object around a list of records, such as {"version": 1, "documents": [{…}, …]}: which list that is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator

# What lists are called that hold records of one sort, so that those of another are not taken for them.
CALLED = {
    "documents": frozenset({"documents", "document", "docs", "corpus", "passages", "papers", "articles"}),
    "topics": frozenset({"topics", "queries", "questions", "topic", "query", "question"}),
    "judgments": frozenset({"judgments", "judgements", "labels", "annotations", "qrels"}),
}

_opening = re.compile(r"\{\s*").match
_field = re.compile(r'("(?:[^"\\]|\\.)*")\s*:\s*').match
_list_of_objects = re.compile(r"\[\s*(?=\{)").match
_comma = re.compile(r"\s*,\s*").match
_end = re.compile(r"\s*\}\s*").match
_names = re.compile(r'"([\w-]+)"\s*:').findall
_decode = json.JSONDecoder().raw_decode

IsRecord = Callable[[Collection[str]], bool]  # of the names of an object's fields


def wrapped_in(text: str, is_record: IsRecord, carried: str = "") -> str:
    """The name of the list of records in the one object that a file is, of which `text` is the beginning.

    "" where the object is a record itself, the file has several, or no list holds such records. A list that is called
    as those of another sort than `carried` are does not count.
    """
    fields = lists_in(text)
    if fields is None or is_record(fields):
        return ""
    return next((name for name, keys in fields.items() if is_record(keys) and not is_foreign(name, carried)), "")


def is_foreign(name: str, carried: str) -> bool:
    """Whether a list of this name holds records of another sort."""
    return any(name.lower() in names for sort, names in CALLED.items() if sort != carried) and bool(carried)


def lists_in(text: str) -> dict[str, frozenset[str]] | None:
    """The fields of the object that a file begins with, as far as they are at hand: the names in the first object of
    those that are lists of objects, none for others. None where more follows the object, as in JSON Lines."""
    found: dict[str, frozenset[str]] = {}
    opening = _opening(text)
    if opening is None:
        return None
    end = opening.end()
    try:
        for name, keys, end in _fields(text, opening.end()):  # noqa: B007 (the last one counts)
            found[name] = keys
    except (ValueError, RecursionError):
        return found
    closing = _end(text, end)
    return None if closing and closing.end() < len(text) else found


def _fields(text: str, at: int) -> Iterator[tuple[str, frozenset[str], int]]:
    """(name, names in the first object of its list, where it ends) of each field; ValueError where one is cut off."""
    while field := _field(text, at):
        name, begin = json.loads(field[1]), field.end()
        opening = _list_of_objects(text, begin)
        keys = _keys(text, opening.end()) if opening else frozenset()
        yield name, keys, begin
        end = _decode(text, begin)[1]
        yield name, keys, end
        comma = _comma(text, end)
        if comma is None:
            return
        at = comma.end()


def _keys(text: str, at: int) -> frozenset[str]:
    """The names in an object, all at hand where it is cut off."""
    try:
        return frozenset(_decode(text, at)[0])
    except (ValueError, RecursionError):
        return frozenset(_names(text, at))

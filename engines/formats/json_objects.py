"""JSON objects as files have them: one a line, a list of them, one that runs over several lines, or ids with objects.

    {"id": "1", …}                 JSON Lines
    [{"id": "1", …}, …]            one list
    {"topics": [{"id": "1", …}]}   a list, or several, within an object, which is said
    {"1": {…}, "2": "text"}        the id as the key, with an object or a text

Lists are read element by element, so memory holds one of them at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, BinaryIO

from engines.formats.json_stream import Part, read_elements, read_parts
from engines.formats.json_wrapping import IsRecord, is_foreign, wrapped_in
from engines.formats.jsonl import MAX_DEPTH, Place, is_deeper, read_objects, repeated_keys
from engines.formats.notes import Notes, notes_of
from engines.formats.records import PartProblem, Problem, Remark

_PEEKED = 1 << 16
_opens_list = re.compile(r'\{\s*"[^"\\]*"\s*:\s*\[\s*').fullmatch

Object = tuple[int, dict[str, Any]]  # with its line


def read_any_objects(
    stream: BinaryIO,
    file: str,
    is_known: Callable[[str], bool],
    is_record: IsRecord,
    carried: str,
    *,
    id_name: str = "number",
    text_name: str = "text",
) -> Iterator[Object | Problem | Remark]:
    """Yield (line, object) for each object of the file, or a `Problem`. What is next to lists of objects is a note.

    `is_known(name)` says whether a record has such a field, `is_record(names)` whether these make a record; `carried`
    is what the records are; `id_name` and `text_name` are the fields that a key and its text become. Raises
    `BrokenFile` where the file is not JSON or is cut off.
    """
    head = head_of(stream)
    if head.startswith("["):
        yield from _elements(read_elements(stream, file), file)
    elif wrapped_in(head, is_record, carried):
        yield from _unwrapped(read_parts(stream, file), file, is_record, carried)
    elif is_one_object(head, is_known):
        yield from _within(read_parts(stream, file), file, is_known, id_name, text_name, notes=notes_of(stream))
    else:
        yield from read_objects(stream, file)


def head_of(stream: BinaryIO) -> str:
    """The beginning of a buffered stream, which stays to be read."""
    peek = getattr(stream, "peek", None)
    if peek is None:
        at = stream.tell()
        data = stream.read(_PEEKED)
        stream.seek(at)
    else:
        data = peek(_PEEKED)[:_PEEKED]
    return data.decode("utf-8-sig", "replace").lstrip()


def is_one_object(head: str, is_known: Callable[[str], bool]) -> bool:
    """Whether a file that begins so, with a brace, is one object: over several lines, or with ids as its keys."""
    line, _, rest = head.partition("\n")
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        if _opens_list(line):
            return True
        if rest:
            return line.rstrip()[-1:] in ("{", "[", ",") and not rest.lstrip().startswith("{")
        first = re.match(r'\{\s*"([^"\\]*)"', line)
        return first is not None and not is_known(first[1])
    if not isinstance(found, dict) or not found or any(map(is_known, found)):
        return False
    values = found.values()
    return not rest.strip() and (
        any(isinstance(value, dict | list) for value in values) or all(isinstance(value, str) for value in values)
    )


def _elements(parts: Iterable[Part], file: str) -> Iterator[Object | Problem]:
    for part in parts:
        yield _checked(part, file, part.value)


def _unwrapped(
    parts: Iterable[Part], file: str, is_record: IsRecord, carried: str
) -> Iterator[Object | Problem | Remark]:
    """The objects in those lists of an object whose first one is a record."""
    taken: dict[str, bool] = {}
    for part in parts:
        if part.index == 0 and isinstance(part.value, dict):
            taken[part.key] = is_record(part.value) and not is_foreign(part.key, carried)
        if taken.get(part.key) and part.index is not None:
            yield _checked(part, file, part.value)
        elif not part.index:
            yield _left_out(part, file)
    names = [f"“{name[:40]}”" for name, is_taken in taken.items() if is_taken]
    lists = "those of the list" if len(names) == 1 else "those of the lists"
    yield Remark(file, 0, f"the file is one object; its records are {lists} {' and '.join(names)}")


def _within(
    parts: Iterable[Part], file: str, is_known: Callable[[str], bool], id_name: str, text_name: str, *, notes: Notes
) -> Iterator[Object | Problem]:
    """The objects in one object: it itself where its first key is a field, else those of its lists, or of its keys."""
    found = iter(parts)
    first = next(found, None)
    if first is None:
        return
    if is_known(first.key):
        yield _checked(first, file, _whole(chain((first,), found), notes))
        return
    texts: list[Part] = []
    has_objects = False
    for part in chain((first,), found):
        if isinstance(part.value, str) and part.index is None:
            texts.append(part)
        elif isinstance(part.value, dict):
            has_objects = True
            yield _checked(part, file, part.value if part.index is not None else _with_id(part, id_name))
        else:
            yield _left_out(part, file)
    for part in texts:  # the texts of ids, unless there are objects as well
        yield _left_out(part, file) if has_objects else _checked(part, file, {id_name: part.key, text_name: part.value})


def _whole(parts: Iterable[Part], notes: Notes) -> dict[str, Any]:
    """The object that has these parts; of a key that is given twice, the last value."""
    found: dict[str, Any] = {}
    for part in parts:
        if not part.index and part.key in found:
            notes.add(part.line, repeated_keys([part.key]))
            del found[part.key]
        if part.index is None:
            found[part.key] = part.value
        else:
            found.setdefault(part.key, []).append(part.value)
    return found


def _with_id(part: Part, id_name: str) -> dict[str, Any]:
    """An object with its key as its id; where it has such a field itself, the key is kept as `key`."""
    return {"key": part.key, **part.value} if id_name in part.value else {id_name: part.key, **part.value}


def _checked(part: Part, file: str, value: Any) -> Object | Problem:
    reason = part.problem
    if not isinstance(value, dict):
        reason = "is not a JSON object"
    elif is_deeper(value, MAX_DEPTH):
        reason = f"is nested more than {MAX_DEPTH} levels deep"
    if reason:
        return Problem(file, part.line, f"{part.place}{reason}")
    return Place.of(part.line, part.place) if part.place else part.line, value


def _left_out(part: Part, file: str) -> Problem:
    return PartProblem(file, part.line, f"“{part.key[:40]}” is not part of a record; it was left out")

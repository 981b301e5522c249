"""Values of JSON objects with the types of the records; each function removes the key it reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engines.formats.records import id_problem

_IDS = (str, int)  # built once: `str | int` would be built again for each value
_TEXT = frozenset({str})


class FieldError(ValueError):
    """A field has a value that cannot be read as what it should be; the message says which and why."""


def take_first(item: dict[str, Any], names: Iterable[str]) -> tuple[str, Any]:
    """Remove and return the first of `names` that has a value, as (name, value), or ("", None); nulls and "" go."""
    for name in names:
        if name in item and (value := item.pop(name)) not in (None, ""):
            return name, value
    return "", None


def take_id(item: dict[str, Any], names: Iterable[str]) -> str:
    """Return the id under the first of `names`; whole numbers become text, anything else but text is refused."""
    name, value = take_first(item, names)
    if not name:
        raise FieldError(f"has no id, or an empty one (one of the keys {', '.join(names)})")
    if not is_id(value):
        raise FieldError(f"the id under {name!r} is neither text nor a whole number")
    return str(value)


def take_text(item: dict[str, Any], names: Iterable[str]) -> str:
    """Return the text under the first of `names`, or ""; a list of texts is joined by blanks, numbers become text."""
    name, value = take_first(item, names)
    if isinstance(value, str):
        return value
    if not name:
        return ""
    if are_texts(value):
        return " ".join(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise FieldError(f"{name!r} is not text")


def take_texts(item: dict[str, Any], names: Iterable[str], split: str = ",") -> tuple[str, ...]:
    """Return the list of texts under the first of `names`; a plain text is split at `split`, blank parts go."""
    name, value = take_first(item, names)
    if not name:
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(split) if part.strip())
    if are_texts(value):
        return tuple(filter(str.strip, value))
    raise FieldError(f"{name!r} is not a list of texts")


def take_year(item: dict[str, Any]) -> int | None:
    """Return the year if it is one of four digits; any other value stays where it is."""
    value = item.get("year")
    if isinstance(value, str) and len(value) == 4 and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < 10_000:
        if value is None:
            item.pop("year", None)
        return None
    del item["year"]
    return value


def take_targets(item: dict[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    """Return the docnos under the first of `names`, each once; whole numbers become text."""
    name, value = take_first(item, names)
    if not name:
        return ()
    if not isinstance(value, list) or not all(is_id(part) for part in value):
        raise FieldError(f"{name!r} is not a list of document ids")
    docnos = tuple(dict.fromkeys(map(str, value)))
    for docno in docnos:
        if reason := id_problem(docno):
            raise FieldError(f"{name!r}: {reason}")
    return docnos


def are_texts(value: object) -> bool:
    """Tell whether a JSON value is a list of texts; asked of all at once, since most documents have such lists."""
    return isinstance(value, list) and _TEXT.issuperset(map(type, value))


def is_id(value: object) -> bool:
    """Tell whether a JSON value is a text or a whole number."""
    return isinstance(value, _IDS) and not isinstance(value, bool)

"""The first records that an import would store, as its reader understood them, for people to check before."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from corpus.loading.counts import ImportCounts
from engines.formats.layouts import READ_AND_KEPT, field_words
from engines.formats.records import AspectRecord

CANDIDATES = 50  # places of records; those that turn out to be refused are not shown
MOST_OTHERS = 20  # other fields
MOST_TEXTS = 5  # of a list
LONGEST = 300  # characters of a text
OTHER_FIELD = "other field: "  # and its name


def take_sample(record: Any, counts: ImportCounts) -> None:
    """Give `counts` a record that was taken: as a sample where there are few so far, and its other fields."""
    if len(counts.samples) < CANDIDATES:
        counts.add_sample(sample_of(record))
    if extra := getattr(record, "extra", None):
        counts.add_fields(extra)


def sample_of(record: Any) -> dict[str, Any]:
    """{"file", "line", "fields": [[name, text]]}, without the fields that the file says nothing about."""
    named = {each.name: getattr(record, each.name) for each in fields(record)}
    where = {"file": named.pop("file", ""), "line": named.pop("line", 0)}
    extra = named.pop("extra", None) or {}
    texts = _texts(named)
    others = [(_label(name)[:LONGEST], _text(value)) for name, value in list(extra.items())[:MOST_OTHERS]]
    if len(extra) > MOST_OTHERS:
        others.append(("further fields", f"{len(extra) - MOST_OTHERS:,}"))
    return where | {"fields": [[name, text] for name, text in [*texts, *others] if text]}


def _label(name: str) -> str:
    return name.replace("_", " ") if name in READ_AND_KEPT else f"{OTHER_FIELD}{field_words(name)}"


def _text(value: Any) -> str:
    if isinstance(value, tuple | list | frozenset | set):
        texts = [_text(each) for each in list(value)[:MOST_TEXTS]]
        return " · ".join(texts) + (f" … {len(value):,} in all" if len(value) > MOST_TEXTS else "")
    if isinstance(value, AspectRecord):
        below = f" (with {len(value.children)} below it)" if value.children else ""
        return _short(value.text) + below
    if isinstance(value, dict):
        return _short("; ".join(f"{name} {text}" for name, text in _texts(value)))
    if is_dataclass(value):
        return _text({each.name: getattr(value, each.name) for each in fields(value)})
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else _short(str(value))


def _texts(named: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each name with its value as text, but those that have none."""
    for name, value in named.items():
        if text := _text(value):
            yield name.replace("_", " "), text


def _short(text: str) -> str:
    text = text.replace("\0", "")
    return f"{text[:LONGEST].rstrip()}…" if len(text) > LONGEST else text

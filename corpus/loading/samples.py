"""The first records of an import as its reader understood them, for people to check before anything is written."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from typing import Any, TypeVar

from corpus.loading.counts import ImportCounts
from engines.formats.records import AspectRecord, Problem, Skip

MOST = 3  # records
MOST_OTHERS = 20  # other fields
MOST_TEXTS = 5  # of a list
LONGEST = 300  # characters of a text
OTHER_FIELD = "other field: "  # and its name

T = TypeVar("T")


def sampled(items: Iterable[T], counts: ImportCounts) -> Iterator[T]:
    """The items, unchanged; `counts` takes the first records among them as samples, and the other fields of all."""
    for item in items:
        if not isinstance(item, Problem | Skip):
            if len(counts.samples) < MOST:
                counts.samples.append(sample_of(item))
            if extra := getattr(item, "extra", None):
                counts.add_fields(extra)
        yield item


def sample_of(record: Any) -> dict[str, Any]:
    """{"file", "line", "fields": [[name, text]]}, without the fields that the file says nothing about."""
    named = {each.name: getattr(record, each.name) for each in fields(record)}
    where = {"file": named.pop("file", ""), "line": named.pop("line", 0)}
    extra = named.pop("extra", None) or {}
    texts = [(name.replace("_", " "), _text(value)) for name, value in named.items()]
    others = [(f"{OTHER_FIELD}{name}"[:LONGEST], _text(value)) for name, value in list(extra.items())[:MOST_OTHERS]]
    if len(extra) > MOST_OTHERS:
        others.append(("further fields", f"{len(extra) - MOST_OTHERS:,}"))
    return where | {"fields": [[name, text] for name, text in [*texts, *others] if text]}


def _text(value: Any) -> str:
    if isinstance(value, tuple | list | frozenset | set):
        texts = [_text(each) for each in list(value)[:MOST_TEXTS]]
        return " · ".join(texts) + (f" … {len(value):,} in all" if len(value) > MOST_TEXTS else "")
    if isinstance(value, AspectRecord):
        below = f" (with {len(value.children)} below it)" if value.children else ""
        return _short(value.text) + below
    return "" if value is None else _short(str(value))


def _short(text: str) -> str:
    text = text.replace("\0", "")
    return f"{text[:LONGEST].rstrip()}…" if len(text) > LONGEST else text

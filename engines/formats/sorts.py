"""What files are said to hold: words for sorts of records in messages, and back to the sorts that a message names."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORDS = {
    "documents": "documents",
    "topics": "topics",
    "papers": "papers",
    "paper-order": "tables of papers",
    "reference-notes": "notes on references",
    "mentions": "citation mentions",
    "runs": "runs",
    "pool": "pool lists",
    "judgments": "judgments",
    "known-answers": "known answers",
    "qrels": "qrels",
}
_said = re.compile(r"looks like a file of ([^()]+) \(").search
_between = re.compile(r", | or ").split


def looks_like(label: str, carried: Iterable[str]) -> str:
    """A statement of what a file looks like: “it looks like a file of judgments, pool lists or qrels (TREC qrels)”."""
    words = [WORDS.get(each, each) for each in carried]
    some = " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
    return f"it looks like a file of {some} ({label})" if some else f"it looks like {label}"


def sorts_named(reason: str) -> set[str]:
    """The sorts of records that `looks_like` said the file may hold."""
    found = _said(reason)
    names = {words: name for name, words in WORDS.items()}
    return {names.get(words, words) for words in _between(found[1])} if found else set()

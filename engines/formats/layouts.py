"""What a file of a format looks like: lines to copy and the names of all fields, for people who make such a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Field:
    """A field of a record: every name under which it is read (the first is the usual one) and what it means."""

    names: tuple[str, ...]
    meaning: str
    is_required: bool = False


@dataclass(frozen=True)
class Layout:
    """How records of one sort lie in the files of a format.

    sample  what a file holds, to copy: two lines, or one record where a record takes more; it is read as it stands
    fields  all fields that are read, in the order of people's interest
    others  what becomes of other fields, as a sentence; "" where a file cannot have any
    note    instead of sample and fields, where files are not text: what such a file must be
    """

    sample: str = ""
    fields: tuple[Field, ...] = ()
    others: str = ""
    note: str = ""

    @property
    def lines(self) -> int:
        """How many lines the sample has."""
        return len(self.sample.splitlines())

    def __post_init__(self) -> None:
        if not self.note and not (self.sample.strip() and self.fields):
            raise ValueError("a layout needs a sample and its fields, or a note that says why there are none")


KEPT = "Other fields are kept with the record and written by exports."
DROPPED = "Other fields are not read."


def optional(names: str | Iterable[str], meaning: str) -> Field:
    """A field that may be left out. `names` is one name, or all under which it is read."""
    return Field((names,) if isinstance(names, str) else tuple(names), meaning)


def required(names: str | Iterable[str], meaning: str) -> Field:
    """A field that each record needs."""
    return Field((names,) if isinstance(names, str) else tuple(names), meaning, is_required=True)


# Fields that readers add to a record, which no file calls so.
_OWN_WORDS = {"more_authors": "more authors than are named"}


# Fields that Litmus works with, and keeps under these names because exports write them back.
READ_AND_KEPT = frozenset(
    {
        *("citations", "cited_by", "categories"),
        *("candidate_pool", "idea_from", "query_type", "query_set", "specificity", "quality"),
    }
)


def field_words(name: str) -> str:
    """What people are shown as the name of a further field of a record."""
    return _OWN_WORDS.get(name, name)

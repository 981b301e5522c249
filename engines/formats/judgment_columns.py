"""The columns of a judgments file: one list, from which the header, the reader, the writers and the import derive.

A column that an answer stores just as it is written (`is_stored`) needs nothing more than its entry here: the import
stores it in the field of that name, and the export reads it from there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

SAID = "said"
YES = frozenset({"1", "true", "yes", "y", "machine"})
NO = frozenset({"", "0", "false", "no", "n", "human"})


@dataclass(frozen=True)
class Column:
    """One column.

    meaning    what it is, for the help
    read       the text of a cell to its value, None or "" for an empty one; raises ValueError with the reason
    sql        PostgreSQL's type of the value
    is_flag    written as 1 or 0, in JSON as true or false
    is_detail  how a label was given, not which label of whom on what
    is_stored  stored with the answer, unchanged, in the field of the column's name
    is_compared  of a stored one: another value makes another answer
    """

    name: str
    meaning: str
    read: Callable[[str], Any] = str.strip
    sql: str = "text"
    is_flag: bool = False
    is_detail: bool = False
    is_stored: bool = False
    is_compared: bool = True

    @property
    def empty(self) -> str:
        """What the field of an answer holds where the file has no value, as JSON."""
        return '""' if self.sql == "text" else "null"


def text_up_to(most: int, text: str) -> str:
    """The text as it stands. Errors: ValueError for a longer one."""
    if len(text) > most:
        raise ValueError(f"is longer than {most:,} characters")
    return text


def word_up_to(most: int, text: str) -> str:
    """The text without blanks around it. Errors: ValueError for a longer one."""
    return text_up_to(most, text.strip())


def whole_up_to(most: int, text: str) -> int | None:
    """A whole number, None for no text. Errors: ValueError."""
    text = text.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and int(text) <= most):
        raise ValueError(f"is {text[:40]!r}; a whole number up to {most:,} is expected")
    return int(text)


def flag(text: str) -> bool | None:
    """Yes or no, None for no text. Errors: ValueError."""
    word = text.strip().lower()
    if word not in YES | NO:
        raise ValueError(f"is {text.strip()[:40]!r}; 1 or 0 is expected")
    return word in YES if word else None


def moment(text: str) -> datetime | None:
    """A time with its zone, None for no text. Errors: ValueError."""
    text = text.strip()
    if not text:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise ValueError(f"is {text[:40]!r}; a time with its zone is expected, such as 2026-11-22T09:30:00+00:00")
    return found


MOST_SAID = 200_000  # characters of a machine's reply that are kept; no answer needs more

COLUMNS = (
    Column("annotator", "who judged: the e-mail address of a member or any other name"),
    Column("topic", "number of the topic"),
    Column("aspect", "text of the aspect, where aspects are judged; empty for the whole topic"),
    Column("docno", "id of the document, where documents are judged"),
    Column("criterion", "key of the criterion; may be empty in a campaign with one criterion"),
    Column("value", "value of the level, a whole number; of a machine, -1 is an answer that could not be read"),
    Column("machine", "1 where a machine judged", flag, "boolean", is_flag=True),
    Column("model", "the machine's model", partial(word_up_to, 150), is_detail=True),
    Column("run", "number of the machine's run", partial(whole_up_to, 2**15 - 1), "smallint", is_detail=True),
    Column("reason", "key of the reason given for the value", partial(word_up_to, 60), is_detail=True),
    Column("note", "the annotator's note", partial(text_up_to, 10_000), is_detail=True, is_stored=True),
    Column("flagged", "1 where the annotator flagged the item", flag, "boolean", is_flag=True, is_detail=True),
    Column(
        "guideline",
        "number of the guideline's version that was valid",
        partial(whole_up_to, 2**31 - 1),
        "integer",
        is_detail=True,
    ),
    Column("at", "time with its zone, such as 2026-11-22T09:30:00+00:00", moment, "timestamptz", is_detail=True),
    Column(
        "active_ms",
        "time spent on the item, in milliseconds",
        partial(whole_up_to, 2**31 - 1),
        "integer",
        is_detail=True,
        is_stored=True,
    ),
    # A machine's words. Of a run made here they are with its reply, not with the answer, so they are not compared.
    Column(SAID, "a machine's reply", lambda text: text[:MOST_SAID], is_detail=True, is_stored=True, is_compared=False),
)
MARKS = frozenset({"annotator", "criterion", "value"})  # by which a file of judgments is known that lacks others
NAMES = tuple(column.name for column in COLUMNS)
DETAILS = tuple(column for column in COLUMNS if column.is_detail)
STORED_COLUMNS = tuple(column for column in COLUMNS if column.is_stored)

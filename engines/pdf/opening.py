"""Where the text of a paper begins, and where its list of references does: the states that reading goes through.

They are "front", "abstract", "body" and "works".
"""

from __future__ import annotations

import re

from engines.pdf.headings import ends_list_of_works, heading_number, opens_list_of_works, plain_heading
from engines.pdf.layout import Chunk, Kind
from engines.pdf.sections import names_introduction

# Not any number: titles begin "20 Questions" and "A Study".
_FIRST_NUMBERS = frozenset({"0", "1", "2", "1.1", "I", "II"})
_FRONT_MATTER = frozenset({"abstract", "summary", "keywords", "key words", "index terms", "ccs concepts",
                           "acm reference format", "general terms", "categories and subject descriptors"})  # fmt: skip
ABSTRACT = re.compile(r"\s*abstract\s?[.:—–-]+\s?", re.IGNORECASE)


def is_abstract(chunk: Chunk, state: str) -> bool:
    """Whether a chunk before the first section is the abstract: below that heading, or with the word in front."""
    if state not in ("front", "abstract"):
        return False
    return (state == "abstract" and chunk.kind in (Kind.BODY, Kind.FOOTNOTE)) or bool(
        ABSTRACT.match(chunk.lines[0].text)
    )


def next_state(state: str, chunk: Chunk) -> str:
    """The state from a chunk on: the body begins at the introduction, by its name or number."""
    if state == "works":
        return "body" if chunk.kind is Kind.HEADING and ends_list_of_works(chunk.text) else "works"
    if chunk.kind is not Kind.HEADING:
        return state
    if opens_list_of_works(chunk.text):
        return "works"
    name = plain_heading(chunk.text)
    if name == "abstract":
        return "abstract"
    if state == "body" or names_introduction(name) or heading_number(chunk.text) in _FIRST_NUMBERS:
        return "body"
    return "front"


def next_state_by_any_heading(state: str, chunk: Chunk) -> str:
    """As `next_state`, where any heading behind some text opens the body; those of front matter do not."""
    found = next_state(state, chunk)
    if found == "front" and state == "front" and chunk.kind in (Kind.BODY, Kind.FOOTNOTE) and len(chunk.lines) > 2:
        return "abstract"
    is_heading = chunk.kind is Kind.HEADING and plain_heading(chunk.text) not in _FRONT_MATTER
    return "body" if state == "abstract" and is_heading and found not in ("works", "abstract") else found


def next_state_by_text(state: str, chunk: Chunk) -> str:
    """As `next_state`, where the first text of some lines opens the body."""
    found = next_state(state, chunk)
    is_text = chunk.kind is Kind.BODY and len(chunk.lines) > 2 and not ABSTRACT.match(chunk.lines[0].text)
    return "body" if found == "front" and is_text else found

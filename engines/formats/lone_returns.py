"""Carriage returns (CR) within lines that end with LF: what some programs write into texts, or joined files leave.

Each way of reading them takes a line and gives the lines that it is, with a note on what was done; "" for nothing to
note.
"""

from __future__ import annotations

Parted = tuple[list[str], str]

AS_ENDS = "a carriage return (CR) within the line was read as the end of a line"
AS_BLANKS = "a carriage return (CR) within a cell was read as a space"


def as_ends(text: str) -> Parted:
    """For lines of tags or of columns: every CR ends one."""
    return text.split("\r"), AS_ENDS


def in_table(text: str) -> Parted:
    """Between tabs: CR ends a row where all pieces have as many cells. The cells of CSV are left to their quotes."""
    pieces = text.split("\r")
    tabs = {piece.count("\t") for piece in pieces}
    if tabs == {0}:
        return [text], ""
    return (pieces, AS_ENDS) if len(tabs) == 1 else ([" ".join(pieces)], AS_BLANKS)


def in_json(text: str) -> Parted:
    """Between objects; elsewhere JSON takes it for a blank, or refuses it."""
    pieces = [piece for piece in text.split("\r") if piece and not piece.isspace()]
    are_objects = all(piece.lstrip()[0] == "{" and piece.rstrip()[-1] == "}" for piece in pieces)
    return (pieces, AS_ENDS) if are_objects and len(pieces) > 1 else ([text], "")

"""How two versions of a text differ, line by line and, within changed lines, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

CONTEXT = 3  # unchanged lines shown around a change
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of a line; `changed` if the other version does not have it there."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the comparison. `kind` is same, removed, added or gap (unchanged lines left out)."""

    kind: str
    pieces: tuple[Piece, ...]


def compare_texts(old: str, new: str, *, context: int = CONTEXT) -> list[Line]:
    """The lines of both texts in order, with long unchanged parts left out; [] where the texts are equal."""
    before, after = old.splitlines(), new.splitlines()
    lines: list[Line] = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(context):
        if lines or group[0][1] > 0:
            lines.append(Line("gap", ()))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += [_whole("same", text) for text in before[i1:i2]]
            else:
                lines += _changed(before[i1:i2], after[j1:j2])
    return lines


def _changed(before: list[str], after: list[str]) -> list[Line]:
    """Removed lines, then added ones; where both are as many, each pair is compared by words."""
    if len(before) != len(after):
        return [_whole("removed", text) for text in before] + [_whole("added", text) for text in after]
    compared = [_by_words(a, b) for a, b in zip(before, after, strict=True)]
    return [removed for removed, _ in compared] + [added for _, added in compared]


def _whole(kind: str, text: str) -> Line:
    return Line(kind, (Piece(text, changed=kind != "same"),))


def _by_words(before: str, after: str) -> tuple[Line, Line]:
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    removed, added = [], []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        removed.append(Piece("".join(old[i1:i2]), changed=tag != "equal"))
        added.append(Piece("".join(new[j1:j2]), changed=tag != "equal"))
    return Line("removed", tuple(p for p in removed if p.text)), Line("added", tuple(p for p in added if p.text))

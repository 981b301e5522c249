"""Undo and redo over a linear history in which both are entries themselves, so that nothing is ever lost.

Each entry has a number (1, 2, … without gaps) and, if it is an undo or a redo, the number of the entry whose state it
brought back. The state of an entry is that number, else its own.
"""

from __future__ import annotations

from collections.abc import Sequence

Entry = tuple[int, int | None]  # (number, the number it stands for)


def undo_target(history: Sequence[Entry]) -> int | None:
    """The entry whose state undoing brings back; None where there is nothing to undo. `history` is oldest first."""
    if not history:
        return None
    now = _state(history[-1])
    return _state(history[now - 2]) if now > 1 else None


def redo_target(history: Sequence[Entry]) -> int | None:
    """The entry that redoing brings back: the newest change made from the present state; None unless one was undone."""
    if not history or history[-1][1] is None:
        return None
    now = _state(history[-1])
    made_from_here = [
        number
        for place, (number, stands_for) in enumerate(history)
        if place and stands_for is None and _state(history[place - 1]) == now
    ]
    return made_from_here[-1] if made_from_here else None


def _state(entry: Entry) -> int:
    number, stands_for = entry
    return number if stands_for is None else stands_for

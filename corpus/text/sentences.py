"""What becomes of ties to sentences when the sentences change."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

ALIKE = 60.0  # percent of characters in common from which on a sentence is the old one, reworded


def follow_sentences(old: Sequence[str], new: Sequence[str]) -> dict[int, int]:
    """Where each old sentence is now, by places from 0; those that are gone are missing.

    Equal texts find each other first, in order, wherever they have moved to. Of the rest, the most similar pairs are
    taken to be one sentence, reworded.
    """
    found: dict[int, int] = {}
    free = list(range(len(new)))
    for place, text in enumerate(old):
        same = next((other for other in free if new[other] == text), None)
        if same is not None:
            found[place] = same
            free.remove(same)
    pairs = [(fuzz.ratio(old[a], new[b]), -abs(a - b), -a, -b) for a in range(len(old)) if a not in found for b in free]
    for alike, _, a, b in sorted(pairs, reverse=True):
        if alike >= ALIKE and -a not in found and -b in free:
            found[-a] = -b
            free.remove(-b)
    return found


def follow_ties(ties: Sequence[int], where: dict[int, int]) -> list[int]:
    """The ties after the sentences changed, in the order they were in."""
    return list(dict.fromkeys(where[place] for place in ties if place in where))

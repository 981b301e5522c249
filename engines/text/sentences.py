"""A query as sentences: hints on what to check, and the ties of aspects after the sentences changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from engines.text.words import tokens

LEAST_SIMILAR = 60.0  # percent of characters in common from which on a sentence is the old one, reworded
REPEATED, UNTIED, LOOSE = "repeated", "untied", "loose"


@dataclass(frozen=True)
class SentenceHint:
    """`kind`: a sentence occurs twice; a sentence that an aspect comes from is gone; no aspect comes from a sentence.

    `place` counts from 0, among the old sentences for those that are gone and else among the new; `aspect` is the text
    of the aspect that loses its tie.
    """

    kind: str
    place: int
    sentence: str
    aspect: str = ""


def check_sentences(
    old: Sequence[str], new: Sequence[str], ties: Sequence[tuple[str, Sequence[int]]]
) -> list[SentenceHint]:
    """What to look at again when `old` becomes `new`; `ties` are (text of an aspect, places in `old`).

    Sentences without an aspect are reported only where any aspect is tied: a query is written before its aspects.
    """
    where = follow_sentences(old, new)
    lost = [SentenceHint(UNTIED, at, old[at], aspect) for aspect, places in ties for at in places if at not in where]
    first: dict[tuple[str, ...], int] = {}
    again = [at for at, text in enumerate(new) if first.setdefault(tuple(tokens(text)), at) != at]
    tied = {where[at] for _, places in ties for at in places if at in where}
    loose = [SentenceHint(LOOSE, at, text) for at, text in enumerate(new) if tied and at not in tied]
    return [*lost, *(SentenceHint(REPEATED, at, new[at]) for at in again), *loose]


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
    for similarity, _, a, b in sorted(pairs, reverse=True):
        if similarity >= LEAST_SIMILAR and -a not in found and -b in free:
            found[-a] = -b
            free.remove(-b)
    return found


def follow_ties(ties: Sequence[int], where: dict[int, int]) -> list[int]:
    """The ties after the sentences changed, in the order they were in."""
    return list(dict.fromkeys(where[place] for place in ties if place in where))

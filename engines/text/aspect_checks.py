"""Hints on what a person should check in a tree of aspects. They are no errors: each may have its reasons.

The principles are those of DORIS-MAE's guidelines: an aspect is read without the query around it, says one thing, and
a sub-aspect is a part of the aspect it stands below.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engines.text.highlight import highlight_terms
from engines.text.words import tokens

CONTEXT, LONGER, SAME, OVERLAP, REPEATED = "context", "longer", "same", "overlap", "repeated"

_REFERS = frozenset("it its they them their theirs he him his she her".split())
_POINTS = frozenset("this these those such".split())
_ELSEWHERE = frozenset("aforementioned abovementioned former latter".split())
_DOCUMENT = frozenset("abstract article document paper study work".split())  # what every aspect is asked of
MUCH = 0.6  # share of content words in common, of those of either, from which on two aspects overlap
NEARLY_ALL = 0.9  # the same for sub-aspects below one aspect, which may share more
FEWEST_WORDS = 2  # content words below which nothing is said about overlap


@dataclass(frozen=True)
class AspectText:
    """An aspect with what stands below it."""

    text: str
    below: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hint:
    """`kind` is stable; `text` is the aspect it is about, `other` a second one or the words meant."""

    kind: str
    text: str
    other: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        return self.text, self.other


def check_aspects(tree: Sequence[AspectText]) -> list[Hint]:
    """All hints, aspect by aspect in the order of the tree; those about two aspects come last."""
    found: list[Hint] = []
    for top in tree:
        found += _of_one(top.text)
        for below in top.below:
            found += _of_one(below)
            if len(tokens(below)) > len(tokens(top.text)):
                found.append(Hint(LONGER, below, top.text))
    texts = [text for top in tree for text in (top.text, *top.below)]
    found += [*_same(texts), *_overlaps([top.text for top in tree], MUCH)]
    for top in tree:
        found += _overlaps(top.below, NEARLY_ALL)
    return list(dict.fromkeys(found))


def check_draft(
    tree: Sequence[AspectText], text: str, *, place: tuple[int, ...] | None = None, below: int | None = None
) -> list[Hint]:
    """The hints about an aspect that is being written, as if it stood in the tree already.

    `place` is (n,) or (n, m) of the aspect it is to replace, `below` the place of the aspect it is to stand below;
    with neither it is a new one on top. Places count from 0.
    """
    text = " ".join(text.split())
    if not text:
        return []
    drafted = _with_draft(tree, text, place, below)
    found = [hint for hint in check_aspects(drafted) if text in ((hint.text,) if hint.kind == CONTEXT else hint.pair)]
    times = sum((top.text, *top.below).count(text) for top in drafted)
    return [*found, Hint(REPEATED, text)] if times > 1 else found


def words_needing_context(text: str) -> list[str]:
    """Words that point at something outside `text`, as far as words alone show.

    "It" and "their" do where no content word comes before them; "this method" does where "method" does not; "the
    former" always does.
    """
    words = tokens(text)
    return list(dict.fromkeys(word for place, word in enumerate(words) if _points_away(words, place)))


def _points_away(words: list[str], place: int) -> bool:
    word, before = words[place], words[:place]
    if word in _ELSEWHERE:
        return True
    if word in _REFERS:
        return not highlight_terms(" ".join(before)) - _REFERS
    if word not in _POINTS or (word == "such" and words[place + 1 : place + 2] == ["as"]):
        return False
    if words[place + 1 : place + 2] and words[place + 1] in _DOCUMENT:
        return False
    pointed_at = highlight_terms(" ".join(words[place + 1 : place + 3]))
    return not pointed_at & highlight_terms(" ".join(before))


def _of_one(text: str) -> Iterator[Hint]:
    if words := words_needing_context(text):
        yield Hint(CONTEXT, text, ", ".join(words))


def _same(texts: Iterable[str]) -> Iterator[Hint]:
    """Texts that differ in nothing but case, accents and punctuation; equal texts are one aspect and no mistake."""
    first: dict[tuple[str, ...], str] = {}
    for text in dict.fromkeys(texts):
        key = tuple(tokens(text))
        if key in first:
            yield Hint(SAME, text, first[key])
        else:
            first[key] = text


def _overlaps(texts: Sequence[str], much: float) -> Iterator[Hint]:
    terms = {text: highlight_terms(text) for text in dict.fromkeys(texts)}
    for one, other in itertools.combinations(terms, 2):
        if tokens(one) == tokens(other) or min(len(terms[one]), len(terms[other])) < FEWEST_WORDS:
            continue
        if len(terms[one] & terms[other]) >= much * len(terms[one] | terms[other]):
            yield Hint(OVERLAP, other, one)


def _with_draft(
    tree: Sequence[AspectText], text: str, place: tuple[int, ...] | None, below: int | None
) -> list[AspectText]:
    drafted = list(tree)
    if place is not None and len(place) == 2:
        parent = drafted[place[0]]
        drafted[place[0]] = AspectText(parent.text, (*parent.below[: place[1]], text, *parent.below[place[1] + 1 :]))
    elif place is not None:
        drafted[place[0]] = AspectText(text, drafted[place[0]].below)
    elif below is not None:
        drafted[below] = AspectText(drafted[below].text, (*drafted[below].below, text))
    else:
        drafted.append(AspectText(text))
    return drafted

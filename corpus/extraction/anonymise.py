"""Proposals to take cited authors' names out of a sentence: "Smith et al. [1] proposed" becomes "[1] proposed".

Source: F. Boudin, "ACM-CR: A Manually Annotated Test Collection for Citation Recommendation", JCDL 2021, section 2.
Names go only where a marker right behind them cites a work of theirs; nothing is ever changed unseen.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz import fuzz

from corpus.formats.papers import Cut, Marker, Reference
from corpus.text.words import fold_word

_PARTICLE = r"\b(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|bin|ibn|zu)"
_INITIALS = r"(?:\b[A-Z]\.[\s-]?){0,3}"
_NAME = rf"(?:{_INITIALS}(?:{_PARTICLE}\s)*\b[^\W\d_a-z][\w'’\-]*(?:\s(?:{_PARTICLE}\s)*[^\W\d_a-z][\w'’\-]*){{0,2}})"
_ET_AL = r"(?:,?\s(?:et\.?\sal\.?|and\s(?:others|colleagues|co-?workers|co-?authors|collaborators)|&\sal\.))"
_NAMES = re.compile(
    rf"(?P<names>{_NAME}(?:,\s{_NAME})*(?:,?\s(?:and|&)\s{_NAME})?{_ET_AL}?)(?P<own>(?:['’]s?|['’])?)[,:]?\s?$"
)
_LONGEST = 160


def proposal(text: str, markers: Sequence[Marker], references: Mapping[str, Reference]) -> tuple[str, tuple[Cut, ...]]:
    """Return a sentence without the names of cited authors before their markers, and what was cut; "" for nothing.

    `markers` are those of the sentence, with offsets from its start. An author-year marker with the names in it
    ("Smith et al. (2019)") becomes its reference number in square brackets.
    """
    cuts = [cut for marker in markers if (cut := _cut(text, marker, references))]
    if not cuts:
        return "", ()
    pieces: list[str] = []
    done = 0
    for cut in cuts:
        pieces.extend((text[done : cut.start], cut.put))
        done = cut.start + len(cut.text)
    pieces.append(text[done:])
    return "".join(pieces), tuple(cuts)


def _cut(text: str, marker: Marker, references: Mapping[str, Reference]) -> Cut | None:
    if not marker.keys:
        return None
    if not marker.text.startswith(("[", "(")):
        return Cut(marker.start, marker.text, "[" + ", ".join(marker.keys) + "]", marker.keys[0])
    begin = max(0, marker.start - _LONGEST)
    match = _NAMES.search(text[begin : marker.start])
    if match is None:
        return None
    for key in marker.keys:
        start = _first_own_name(match, references.get(key))
        if start is not None:
            return Cut(begin + start, text[begin + start : marker.start], "", key)
    return None


def _first_own_name(match: re.Match[str], reference: Reference | None) -> int | None:
    """Return where the names begin that are authors of the reference, None if what stands before the marker is not."""
    if reference is None:
        return None
    known = _words_of_authors(reference)
    words = [(found.start() + match.start("names"), found.group()) for found in re.finditer(r"[^\s,]+", match["names"])]
    start: int | None = None
    is_named = False
    for place, word in reversed(words):
        plain = _folded(word)
        if _is_known(plain, known):
            start, is_named = place, True
        elif word in ("and", "&", "et", "et.", "al.", "al", "others", "colleagues") or re.fullmatch(_PARTICLE, word):
            start = place if is_named or start is None or word not in ("and", "&") else start
        elif (re.fullmatch(r"(?:[A-Z]\.-?)+", word) and is_named) or re.match(
            r"co-?(?:workers|authors)|collaborators", word
        ):
            start = place
        else:
            break
    return _without_joint(start, words) if is_named else None


def _without_joint(start: int | None, words: list[tuple[int, str]]) -> int | None:
    """Step over an "and" that joins the names to what is kept."""
    for place, word in words:
        if place == start and word in ("and", "&"):
            return place + len(word) + 1
    return start


def _is_known(word: str, known: frozenset[str]) -> bool:
    """Whether a name is that of an author, a slip of the pen allowed in a long one."""
    return word in known or (len(word) > 4 and any(fuzz.ratio(word, name) >= 85 for name in known if len(name) > 4))


def _words_of_authors(reference: Reference) -> frozenset[str]:
    words = {_folded(word) for name in reference.authors for word in re.split(r"[\s,]+", name)}
    return frozenset(word for word in words if len(word) > 1)


def _folded(word: str) -> str:
    return "".join(fold_word(part) for part in re.split(r"['’\-.]+", re.sub(r"['’]s?$", "", word)) if part)

"""Entries whose parts are set apart by commas: "A. Uhl and B. Kauz, Ears of owls, J. Birds 11, 100 (1999)".

Physics, mathematics and astronomy print them so, often without the title of the work: then the reference has no title.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_CAPITAL = r"[^\W\d_a-z]"
_PARTICLE = r"(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|bin|ibn|zu|zur|af)"
_LAST = rf"(?:{_PARTICLE}\s){{0,3}}{_CAPITAL}[\w'’-]*"
_INITIALS = rf"(?:{_CAPITAL}\.[\s-]?){{1,4}}"
_WITH_INITIALS = re.compile(
    rf"(?:{_INITIALS}\s?{_LAST}(?:\s{_CAPITAL}[\w'’-]+)?|{_LAST}\s{_INITIALS}?{_CAPITAL}{{1,3}}\.?)"
).fullmatch
_GIVEN = rf"(?:{_CAPITAL}[\w'’-]*|{_CAPITAL}\.(?:-?{_CAPITAL}\.)*)"
_IN_FULL = re.compile(rf"{_GIVEN}(?:\s(?:{_GIVEN}|{_PARTICLE})){{0,3}}\s{_CAPITAL}[\w'’-]+").fullmatch
# Names that a full stop ends: the entry is not of this style.
_STOPPED = re.compile(
    rf"(?:(?:and|&)\s)?(?:{_GIVEN}\s(?:(?:{_GIVEN}|{_PARTICLE})\s){{0,3}}{_LAST}|{_INITIALS}\s?{_LAST}|{_LAST}\s{_CAPITAL}{{1,3}})"
    r"[.:]\s(?:\(?(?:1[5-9]|20)\d\d|A\s[a-z]|[“\"‘]|(?!\d|\w\s|[^\s.]+\.\s)\w)"
).match
_YEAR_APART = re.compile(r"[^\d]{3,1500}?\.\s\(?(?:1[5-9]|20)\d\d[a-z]?\)?\.\s").match  # "Names. 2019. Title"
_DATED = re.compile(r"\(?(?:1[5-9]|20)\d\d[a-z]?\)?\.\s").match
_SUFFIX = re.compile(r"(?:Jr|Sr|I{2,3}|IV)\.?").fullmatch
_AND = re.compile(r"(?:^|\s)(?:and|&|und|et)\s")
_ET_AL = re.compile(r"\s*(?:\bet\s+al\.?|\band\s+others)(?:\s*\([^)]*\))?$").search
_GROUP = re.compile(r"\s*\([^()]*[Cc]ollaborations?\)$")
_SEE = re.compile(r"(?:See(?:,?\s(?:also|e\.g\.|for example|for instance))?|Cf\.)[,:]?\s", re.IGNORECASE).match
_UNPUBLISHED = re.compile(
    r"(?:private communication|unpublished|in preparation|submitted|to be published)\b", re.IGNORECASE
).match
_CONTAINER = re.compile(
    r"(?:in:?|Proc(?:eedings|\.)|Trans(?:actions|\.)|(?:The\s)?Journal|J\.|Lecture Notes|Lect\.|Ann(?:als|\.)|"
    r"Bull(?:etin|\.)|"
    r"Phys(?:ical Review|\.)|Rev(?:iews?|\.)|arXiv|Conference|Symposium|Adv(?:ances in|\.)|Nature|Science|Ph\.?\s?D\.?|"
    r"Tech(?:nical|\.)|preprint|e-print)(?:\s|$)"
).match
_ABBREVIATED = re.compile(r"(?:\w+\.?\s){0,5}?(?:[^\W\d_a-z]\w*\.\s?){1,6}(?:\w\s)?(?:[A-Z]\s)?\d").match
_TAIL = re.compile(
    r"(?:\(?(?:1[5-9]|20)\d\d[a-z]?\)?|pp?\.?\s\d.*|vol(?:ume|\.)?\s.*|no\.\s.*|\d+[\d\s():–-]*|[A-Z]?\d+[A-Z]?|"
    r"(?:p|P)ages\s.*|\d+\s?\(.*|ser\.\s.*|(?:\d+(?:st|nd|rd|th)\s)?ed\.?.*|doi:?.*|https?:.*|arXiv:.*)[.;]?$"
).match
_VOLUME = re.compile(r"[^\W\d_.][.)]{0,2}\s(?:[A-Z]\s?)?\d{1,4}[A-Z]?(?:\s?\(.*)?$").search
_NUMBER = re.compile(r"\d{1,4}[A-Z]?").fullmatch
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d[a-z]?").fullmatch
_YEAR_BEHIND = re.compile(r"\s?\(?\(?(?:[^()]*\s)?(?:1[5-9]|20)\d\d[a-z]?\).*$")


@dataclass(frozen=True, slots=True)
class Parts:
    """Authors as printed, title ("" where none is printed) and what follows it."""

    authors: str
    title: str
    venue: str


def comma_parts(raw: str) -> Parts | None:
    """Return the parts of an entry that begins with names and a comma, None for one that does not."""
    if _YEAR_APART(raw):
        return None
    see = _SEE(raw)
    pieces = pieces_of(raw[see.end() :] if see else raw)
    count = _names(pieces)
    if not count or count == len(pieces):
        return None
    title, venue = title_and_container(pieces[count:])
    return Parts(", ".join(_GROUP.sub("", piece) for piece in pieces[:count]), title, venue)


def pieces_of(text: str) -> list[str]:
    """Return the pieces of a text between the commas that stand in no brackets."""
    found = [""]
    depth = 0
    for char in text:
        depth = max(depth + (char in "([") - (char in ")]"), 0)
        if char == "," and not depth:
            found.append("")
        else:
            found[-1] += char
    return [piece.strip() for piece in found if piece.strip()]


def _names(pieces: Sequence[str]) -> int:
    """How many pieces are the names of authors: up to that with "and" or "et al.", else those with initials, else one
    name in full that no other follows."""
    for count, piece in enumerate(pieces):
        if count and _SUFFIX(piece):
            continue
        ends = bool(_ET_AL(piece) or _AND.search(piece) or _GROUP.search(piece))
        names = _AND.split(_GROUP.sub("", _without_et_al(piece)))
        if all(_is_name(name.strip()) for name in names if name.strip()):
            if ends:
                return count + 1
            continue
        return 0 if _STOPPED(piece) or _AND.match(piece) or _DATED(piece) else _without_and(pieces, count)
    return 0


def _without_and(pieces: Sequence[str], count: int) -> int:
    """How many of the pieces before the first that cannot be a name are names, where there is no "and"."""
    strict = 0
    while strict < count and (_WITH_INITIALS(pieces[strict]) or (strict and _SUFFIX(pieces[strict]))):
        strict += 1
    return strict or (1 if count == 1 else 0)


def _without_et_al(piece: str) -> str:
    piece = _GROUP.sub("", piece)
    found = _ET_AL(piece)
    return piece[: found.start()] if found else piece


def _is_name(text: str) -> bool:
    return len(text) < 60 and bool(_WITH_INITIALS(text) or _IN_FULL(text))


def title_and_container(pieces: Sequence[str]) -> tuple[str, str]:
    """Return the title and what it appeared in, of pieces between commas that follow the names of authors.

    The container begins at "in", "Proceedings", "J." and such, else it is the last piece before numbers of volumes,
    pages and years. One piece alone is a title unless a volume stands in it.
    """
    tail = next((place for place, piece in enumerate(pieces) if _TAIL(piece)), len(pieces))
    words = pieces[:tail]
    if not words or _UNPUBLISHED(words[0]):
        return "", ", ".join(pieces)
    start = next((place for place, piece in enumerate(words) if _begins_container(piece, place)), None)
    if start is None:
        has_volume = len(pieces) > tail + 1 and bool(_NUMBER(pieces[tail])) and not _YEAR(pieces[tail])
        start = len(words) - 1 if len(words) > 1 or has_volume or _is_container(words[0]) else 1
    title = ", ".join(words[:start])
    if start == len(words):
        title = _YEAR_BEHIND.sub("", title)
    return title, re.sub(r"^[Ii]n:?\s", "", ", ".join(pieces[start:]))


def _begins_container(piece: str, place: int) -> bool:
    return bool(_CONTAINER(piece) if place else _CONTAINER(piece) and _is_surely_container(piece))


def _is_surely_container(piece: str) -> bool:
    """Whether a piece right behind the names is no title: titles may begin "Conference" or "Nature"."""
    return piece.startswith(
        ("in ", "in: ", "In ", "In: ", "Proc", "J. ", "arXiv", "Trans", "Journal", "Lect")
    ) or _is_container(piece)


def _is_container(piece: str) -> bool:
    return bool(_VOLUME(piece) or _ABBREVIATED(piece))

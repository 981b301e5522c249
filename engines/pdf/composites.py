"""Entries that hold several works under one number: "[5] A. Uhl, J. Birds 1, 2 (1999); B. Kauz, ibid. 3, 4 (2000)."

Physics and chemistry print them so, joined by semicolons or lettered "(a) … (b) …".
"""

from __future__ import annotations

import re
from dataclasses import replace

from engines.formats.papers import Reference

MOST_WORKS = 26
_LETTERED = re.compile(r"(?:^|(?<=[.;,]\s)|(?<=[.;,)]\s))\(?([a-z])\)\s+(?=\S)")
_STOPS = re.compile(r";\s+(?:and\s+|see also\s+)?")
_IS_WORK = re.compile(
    r"(?:(?:[^\W\d_a-z]\.[\s-]?){1,4}(?:(?:van|von|de|der|den|del|di|da|la|le)\s){0,3}[^\W\d_a-z][\w'’-]+"
    r"|[^\W\d_a-z][\w'’-]+,?\s(?:[^\W\d_a-z]\.[\s-]?){1,4}|[^\W\d_a-z][\w'’-]+\set\sal\."
    r"|(?:ibid\.\s|(?:[^\W\d_a-z]\w*\.?\s){1,6})?(?:[A-Z]\s?)?\d+[A-Z]?(?:\s\(\d+\))?,\s[\w–-]+\s\((?:1[5-9]|20)\d\d\))"
).match
_DATED = re.compile(r"(?<![\d.])(?:1[5-9]|20)\d\d(?!\d)|in press|unpublished|arXiv:", re.IGNORECASE).search
_CONTAINER = re.compile(r"(\D*[^\W\d_.][.)]?)\s(?:[A-Z]\s?)?\d").match
_IBID = re.compile(r"\bibid\.?", re.IGNORECASE)


def split_works(text: str) -> list[str]:
    """Return the works of an entry, each as printed; the whole entry where it holds one."""
    found = _lettered(text) or _between_stops(text)
    return found if 1 < len(found) <= MOST_WORKS else [text]


def _lettered(text: str) -> list[str]:
    """The works behind (a), (b), …, in order; each must be dated."""
    starts: list[re.Match[str]] = []
    for match in _LETTERED.finditer(text):
        if match[1] == chr(97 + len(starts)) and len(starts) < MOST_WORKS:
            starts.append(match)
    if len(starts) < 2 or starts[0].start() > 3:
        return []
    ends = [*(match.start() for match in starts[1:]), len(text)]
    works = [text[match.end() : end].strip().rstrip(";") for match, end in zip(starts, ends, strict=True)]
    return works if all(map(_DATED, works)) else []


def _between_stops(text: str) -> list[str]:
    """The works between semicolons: each is dated, and each but the first begins like one, with a name or "ibid."."""
    found: list[str] = []
    for piece in _STOPS.split(text):
        if found and not (_IS_WORK(piece) and _DATED(piece) and _DATED(found[-1])):
            found[-1] = f"{found[-1]}; {piece}"
        else:
            found.append(piece)
    return found


def in_full(work: Reference, before: Reference) -> Reference:
    """A further work of an entry with what it leaves out: authors, and the container that "ibid." stands for."""
    container = _CONTAINER(before.venue)
    venue = _IBID.sub(container[1], work.venue) if container else work.venue
    if container and venue[:1].isdigit():
        venue = f"{container[1]} {venue}"
    return replace(work, authors=work.authors or before.authors, venue=venue)

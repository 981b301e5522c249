"""Citation markers in running text: [12], [3–7], [3]–[5], and names with years; resolved to reference keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engines.formats.papers import Marker, Reference
from engines.text.words import fold_word

LONGEST_RANGE = 40
LONGEST_NAME = 40  # letters: an endless word in a hostile file must not be searched again from each of its letters

_DASH = "-–—‐‑−"
_NUMBER = r"\d{1,3}[a-z]?"
_ITEM = rf"{_NUMBER}(?:\s*[{_DASH}]\s*{_NUMBER})?"
_NUMERIC = re.compile(
    rf"\[\s*(?:(?:see|e\.g\.|cf\.|i\.e\.)[,:]?\s+(?:also\s+)?)?(?P<list>{_ITEM}(?:\s*[,;]\s*(?:and\s+)?{_ITEM})*)"
    r"(?:\s*[,;]\s*(?:pp?\.|§|sec|ch|fig|table|theorem|p\b)[^\[\]]{0,30})?\s*[,;]?\s*\]"
)
_PART = re.compile(rf"({_NUMBER})(?:\s*[{_DASH}]\s*({_NUMBER}))?")
_BETWEEN = re.compile(rf"\s*[{_DASH}]\s*").fullmatch

_PARTICLES = "(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|bin|ibn)"
_SURNAME = rf"(?:(?:{_PARTICLES}\s+){{0,3}}[^\W\d_a-z][\w'’\-]{{0,{LONGEST_NAME}}}(?:\s(?:Jr|Sr)\.)?)"
_INITIALS = r"(?:(?:[A-Z]\.[\s-]?){1,3})?"
_YEAR = r"(?:1[89]|20)\d\d[a-z]?"
_NAMES = (
    rf"{_INITIALS}(?P<first>{_SURNAME}(?:\s{_SURNAME})?)"
    rf"(?:(?:,\s{_INITIALS}{_SURNAME}){{0,12}},?\s(?:and|&|und)\s{_INITIALS}(?P<second>{_SURNAME})|(?P<etal>,?\s(?:et\sal\.?|and\s(?:others|colleagues))))?"
)
_NARRATIVE = re.compile(
    rf"\b{_NAMES}(?:['’]s?)?\s?[(\[](?P<years>{_YEAR}(?:\s?[,;]\s?(?:{_YEAR}|[a-z]\b))*)(?:[,:]\s[^()\[\]]{{0,25}})?[)\]]"
)
_GROUP = re.compile(r"[(\[]([^()\[\]]{0,600}?(?:1[89]|20)\d\d[a-z]?[^()\[\]]{0,600})[)\]]")
_CITED = re.compile(rf"{_NAMES},?\s(?P<years>{_YEAR}(?:\s?,\s?(?:{_YEAR}|[a-z]\b))*)")
_YEARS = re.compile(r"((?:1[89]|20)\d\d)?([a-z])?")
_PRINTED_YEAR = re.compile(r"\b((?:1[89]|20)\d\d)([a-z])?\b")


# --- numbers ----------------------------------------------------------------------------------------------------------


def numeric_markers(text: str, known: Collection[str]) -> list[Marker]:
    """Return the bracketed numbers that name references, with lists and ranges written out in print order.

    A bracket none of whose numbers is `known` is no marker (an interval, an index); unknown numbers next to known
    ones are left out of the keys. `[3]–[5]` names 3 with its first bracket, 4 and 5 with its second.
    """
    found: list[Marker] = []
    last: tuple[int, str] | None = None
    for match in _NUMERIC.finditer(text):
        numbers = list(numbers_in(match["list"]))
        keys = tuple(number for number in numbers if number in known)
        if not keys:
            continue
        if last is not None and _BETWEEN(text[last[0] : match.start()]):
            between = list(_range(last[1], numbers[0]))[1:-1]
            keys = (*(number for number in between if number in known), *keys)
        found.append(Marker(match.start(), match.end(), match.group(), keys))
        last = (match.end(), numbers[-1])
    return found


def numbers_in(listed: str) -> Iterator[str]:
    """Yield the numbers of a list with its ranges written out."""
    for match in _PART.finditer(listed):
        if match[2] is None:
            yield match[1].lstrip("0") or "0"
        else:
            yield from _range(match[1], match[2])


def _range(first: str, last: str) -> Iterator[str]:
    """Yield the numbers from first to last; only the two where that is no sensible range."""
    if not first.isdigit() or not last.isdigit() or not 0 < int(last) - int(first) <= LONGEST_RANGE:
        yield from (first, last)
        return
    yield from map(str, range(int(first), int(last) + 1))


# --- labels -----------------------------------------------------------------------------------------------------------

_LABELLED = re.compile(r"\[(?:(?:see|e\.g\.|cf\.)[,:]?\s+)?([^\W\d_][^\[\]]{1,300})\]")
_NOTE = re.compile(r"(?:pp?\.|§|sec|ch|fig|table|theorem|p\b)", re.IGNORECASE).match


def label_markers(text: str, keys: Mapping[str, str]) -> list[Marker]:
    """Return markers such as "[Smi19, LP18a]", whose labels (`keys`: to the keys of references) the list prints."""
    found = []
    for match in _LABELLED.finditer(text):
        labels = [piece.strip() for piece in re.split(r"[,;]", match[1])]
        known = [label for label in labels if label in keys]
        if known and all(label in keys or _NOTE(label) for label in labels):
            found.append(Marker(match.start(), match.end(), match.group(), tuple(keys[label] for label in known)))
    return found


# --- names with years -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Signature:
    """What a marker may say of a reference."""

    key: str
    year: str
    letter: str
    surnames: tuple[str, ...]


class AuthorYears:
    """References to be found by the names and years that author-year markers print."""

    def __init__(self, references: Iterable[Reference]) -> None:
        self.by_name: dict[str, list[_Signature]] = defaultdict(list)
        for reference in references:
            known = _signature(reference)
            if known is not None:
                self.by_name[known.surnames[0]].append(known)

    def keys(self, first: str, second: str, year: str, letter: str, *, is_more: bool) -> tuple[str, ...]:
        """Return the key of the one reference that fits, none where several or no reference does."""
        fitting = [
            known
            for name in _readings(first)
            for known in self.by_name.get(name, ())
            if known.year == year and (not letter or not known.letter or known.letter == letter)
        ]
        best = [known for known in fitting if _names_fit(known, second, is_more=is_more)] or fitting
        if letter and len(best) > 1:
            best = [known for known in best if known.letter == letter] or self._by_order(best, letter)
        unique = {known.key for known in best}
        return tuple(unique) if len(unique) == 1 else ()

    def skipped(self, first: str) -> int:
        """Return how many characters stand before the known surname that a printed name ends with."""
        for word in re.finditer(r"\S+", first):
            if _fold(first[word.start() :]) in self.by_name:
                return word.start()
        return 0

    @staticmethod
    def _by_order(best: Sequence[_Signature], letter: str) -> list[_Signature]:
        """Where the list prints no letters, the second of two is b."""
        place = ord(letter) - ord("a")
        return [best[place]] if place < len(best) else []


def _signature(reference: Reference) -> _Signature | None:
    surnames = tuple(_fold(name.partition(",")[0]) for name in reference.authors if name)
    printed = _PRINTED_YEAR.findall(reference.raw)
    year = str(reference.year) if reference.year else (printed[-1][0] if printed else "")
    letter = next((mark for number, mark in printed if number == year and mark), "")
    return _Signature(reference.key, year, letter, surnames) if surnames and surnames[0] and year else None


def _fold(name: str) -> str:
    name = re.sub(r"['’]s?$", "", name)
    return "".join(fold_word(word) for word in re.split(r"[\s'’\-.]+", name) if word)


def _readings(name: str) -> Iterator[str]:
    """Yield a printed name whole and without its first words, which may belong to the sentence."""
    words = name.split()
    for place in range(len(words)):
        yield _fold(" ".join(words[place:]))


def _names_fit(known: _Signature, second: str, *, is_more: bool) -> bool:
    if is_more:
        return len(known.surnames) > 1
    if second:
        return len(known.surnames) > 1 and _fold(second) in known.surnames[1:]
    return len(known.surnames) == 1


def author_year_markers(text: str, references: AuthorYears) -> list[Marker]:
    """Return markers such as "Smith et al. (2019)" and "(see Lee and Bo, 2020; Chan, 2021a,b)".

    A marker in round or square brackets counts as one, whatever the number of works in it. Names and years that fit
    no reference of the list make no marker.
    """
    found = [marker for match in _NARRATIVE.finditer(text) if (marker := _narrative(match, references))]
    taken = [(marker.start, marker.end) for marker in found]
    for group in _GROUP.finditer(text):
        if any(start < group.end() and group.start() < end for start, end in taken):
            continue
        keys: list[str] = []
        for match in _CITED.finditer(group[1]):
            keys.extend(_cited(match, references))
        if keys:
            found.append(Marker(group.start(), group.end(), group.group(), tuple(dict.fromkeys(keys))))
    return sorted(found, key=lambda marker: marker.start)


def _narrative(match: re.Match[str], references: AuthorYears) -> Marker | None:
    keys = tuple(dict.fromkeys(_cited(match, references)))
    if not keys:
        return None
    # A capital before the name may be the sentence's own first word.
    skipped = references.skipped(match["first"])
    start = match.start("first") + skipped if skipped else match.start()
    return Marker(start, match.end(), match.string[start : match.end()], keys)


def _cited(match: re.Match[str], references: AuthorYears) -> Iterator[str]:
    year = ""
    for piece in re.split(r"[,;\s]+", match["years"]):
        parts = _YEARS.fullmatch(piece)
        if parts is None or not piece:
            continue
        year = parts[1] or year
        yield from references.keys(
            match["first"], match["second"] or "", year, parts[2] or "", is_more=bool(match["etal"])
        )

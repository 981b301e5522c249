"""Proposals to take cited authors' names out of a sentence: "Smith et al. [1] proposed" becomes "[1] proposed".

Source: F. Boudin, "ACM-CR: A Manually Annotated Test Collection for Citation Recommendation", JCDL 2021, section 2.
Names are removed only where a marker right after them cites a work of theirs, and a person sees each change.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rapidfuzz import fuzz

from engines.formats.papers import Cut, Marker, Reference, Sentence
from engines.pdf.markers import LONGEST_NAME
from engines.text.words import fold_word

_PARTICLE = r"\b(?:van|von|de|der|den|del|della|di|da|dos|du|la|le|el|al|ter|ten|bin|ibn|zu)"
_INITIALS = r"(?:\b[A-Z]\.[\s-]?){0,3}"
_ONE = rf"[^\W\d_a-z][\w'’\-]{{0,{LONGEST_NAME}}}"
_NAME = rf"(?:{_INITIALS}(?:{_PARTICLE}\s){{0,3}}\b{_ONE}(?:\s(?:{_PARTICLE}\s){{0,3}}{_ONE}){{0,2}})"
_ET_AL = r"(?:,?\s(?:et\.?\sal\.?|and\s(?:others|colleagues|co-?workers|co-?authors|collaborators)|&\sal\.))"
_NAMES = re.compile(
    rf"(?P<names>{_NAME}(?:,\s{_NAME})*(?:,?\s(?:and|&)\s{_NAME})?{_ET_AL}?)(?P<own>(?:['’]s?|['’])?)[,:]?\s?$"
)
_LONGEST = 160
_WHO = rf"(?:{_PARTICLE}\s){{0,3}}[^\W\d_a-z][\w'’\-]{{1,{LONGEST_NAME}}}"
_ALONE = re.compile(rf"\b{_WHO}(?:{_ET_AL}|\s(?:and|&)\s{_WHO})(?!['’\w])")
_SOMETHING_CITED = re.compile(r"['’]?s?,?\s?[(\[]\s?\d").match


class Anonymiser:
    """Proposes sentences without the names of cited authors, and remembers whom a name stood for.

    Once "Lin et al. [10]" was met, a later "Lin et al." alone is known to mean 10; a name that never stood before a
    marker is known where only one reference has these authors.
    """

    def __init__(self, references: Mapping[str, Reference], numbers: Mapping[str, str] | None = None) -> None:
        """`numbers` say how a reference is numbered where its key is no number."""
        self.references = references
        self.numbers = numbers or {}
        self.met: dict[str, str] = {}
        self.short: dict[str, list[str]] = defaultdict(list)
        for key, reference in references.items():
            for name in short_forms(reference):
                self.short[name].append(key)

    def proposal(self, sentence: Sentence, text: str, markers: Sequence[Marker]) -> Sentence:
        """Return a sentence of a paragraph with what is proposed for it; sentences are to come in reading order.

        An author-year marker with the names in it ("Smith et al. (2019)") becomes its number in square brackets.
        """
        words = text[sentence.start : sentence.end]
        own = [
            Marker(marker.start - sentence.start, marker.end - sentence.start, marker.text, marker.keys)
            for marker in markers
            if sentence.start <= marker.start < sentence.end
        ]
        adjacent = [cut for marker in own if (cut := self._adjacent(words, marker))]
        cuts = sorted([*adjacent, *self._alone(words, own, adjacent)], key=lambda cut: cut.start)
        if not cuts:
            return sentence
        return replace(sentence, anonymised=_applied(words, cuts), anonymised_cites=_cites(own, cuts), cuts=tuple(cuts))

    def _adjacent(self, text: str, marker: Marker) -> Cut | None:
        """Return the cut of the names right before a marker."""
        if not marker.keys:
            return None
        if not marker.text.startswith(("[", "(")):
            return Cut(marker.start, marker.text, self._marker(marker.keys), marker.keys[0])
        begin = max(0, marker.start - _LONGEST)
        match = _NAMES.search(text[begin : marker.start])
        if match is None:
            return None
        for key in marker.keys:
            start = _first_own_name(match, self.references.get(key))
            if start is not None:
                taken = text[begin + start : marker.start]
                self.met[_name_key(taken)] = key
                return Cut(begin + start, taken, "", key)
        return None

    def _alone(self, text: str, markers: Sequence[Marker], adjacent: Sequence[Cut]) -> Iterator[Cut]:
        """Yield the cuts of names that stand without a marker."""
        taken = [(cut.start, cut.start + len(cut.text)) for cut in adjacent]
        taken.extend((marker.start, marker.end) for marker in markers)
        for match in _ALONE.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            if _SOMETHING_CITED(text, match.end()):
                continue
            name = _name_key(match.group())
            known = self.short.get(name, [])
            key = self.met.get(name) or (known[0] if len(known) == 1 else "")
            if key:
                yield Cut(match.start(), match.group(), self._marker((key,)), key)

    def _marker(self, keys: Sequence[str]) -> str:
        return "[" + ", ".join(self.numbers.get(key, key) for key in keys) + "]"


def short_forms(reference: Reference) -> Iterator[str]:
    """Yield how a text may call the authors of a reference, as keys: "Lin et al", "Lee and Bo"."""
    surnames = [_folded(name.partition(",")[0]) for name in reference.authors]
    if len(surnames) == 2:
        yield f"{surnames[0]} and {surnames[1]}"
    elif len(surnames) > 2:
        yield f"{surnames[0]} etal"


def _name_key(text: str) -> str:
    """Return names as a key: folded, without initials, "et al." in one way."""
    text = re.sub(r"\b(?:[A-Z]\.[\s-]?)+", " ", text)
    text = re.sub(_ET_AL, " etal ", text).replace("&", " and ")
    return " ".join(word for word in (_folded(each) for each in re.split(r"[\s,]+", text)) if word)


def _applied(text: str, cuts: Sequence[Cut]) -> str:
    pieces: list[str] = []
    done = 0
    for cut in cuts:
        pieces.extend((text[done : cut.start], cut.put))
        done = cut.start + len(cut.text)
    return "".join((*pieces, text[done:]))


def _cites(markers: Sequence[Marker], cuts: Sequence[Cut]) -> tuple[str, ...]:
    """Return the keys of the changed sentence in print order."""
    found = [(marker.start, marker.keys) for marker in markers]
    printed = {marker.start for marker in markers}
    found.extend((cut.start, (cut.key,)) for cut in cuts if cut.put and cut.start not in printed)
    return tuple(key for _, keys in sorted(found, key=lambda pair: pair[0]) for key in keys)


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
    """Whether a name is that of an author; a long one may have a typing error."""
    return word in known or (len(word) > 4 and any(fuzz.ratio(word, name) >= 85 for name in known if len(name) > 4))


def _words_of_authors(reference: Reference) -> frozenset[str]:
    words = {_folded(word) for name in reference.authors for word in re.split(r"[\s,]+", name)}
    return frozenset(word for word in words if len(word) > 1)


def _folded(word: str) -> str:
    return "".join(fold_word(part) for part in re.split(r"['’\-.]+", re.sub(r"['’]s?$", "", word)) if part)

"""An index of a collection's titles that needs little memory and finds the documents a reference may mean."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from heapq import nlargest

from engines.formats.dois import is_placeholder
from engines.text.words import title_key, tokens

_MOST_CANDIDATES = 40
_ARXIV = re.compile(r"\d{4}\.\d{4,5}").fullmatch
_COMMON = 3000  # documents that share a word; rarer words lead to candidates


@dataclass(frozen=True, slots=True)
class Work:
    """What the index keeps of a document. Authors are "Last, First" or as printed."""

    docno: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""


class TitleIndex:
    """Titles of a collection, streamed in once; about 400 bytes a document."""

    def __init__(self, works: Iterable[Work]) -> None:
        self.docnos: list[str] = []
        self.titles: list[str] = []
        self.names: list[str] = []
        self.years = array("h")
        self.by_word: dict[str, array[int]] = {}
        self.by_key: dict[str, int | list[int]] = {}
        self.by_doi: dict[str, int] = {}
        for work in works:
            self._add(work)

    def __len__(self) -> int:
        return len(self.docnos)

    def _add(self, work: Work) -> None:
        place = len(self.docnos)
        self.docnos.append(work.docno)
        self.titles.append(work.title)
        self.names.append(" ".join(surname for name in work.authors if (surname := surname_key(name))))
        self.years.append(work.year if work.year and 0 < work.year < 3000 else 0)
        words = tokens(work.title)
        for word in set(words):
            self.by_word.setdefault(word, array("I")).append(place)
        key = "".join(words)
        known = self.by_key.get(key)
        if isinstance(known, list):
            known.append(place)
        else:
            self.by_key[key] = place if known is None else [known, place]
        for doi in {work.doi, work.docno}:
            if (doi.startswith("10.") and not is_placeholder(doi)) or _ARXIV(doi):
                self.by_doi.setdefault(doi.lower(), place)

    def work(self, place: int) -> Work:
        """Return what is kept at a place; the authors are surname keys."""
        return Work(self.docnos[place], self.titles[place], tuple(self.names[place].split()), self.years[place] or None)

    def with_doi(self, doi: str) -> int | None:
        """Return the place of the document with this DOI, whatever its case, or with this arXiv number as docno."""
        return self.by_doi.get(doi.lower())

    def with_title(self, title: str) -> list[int]:
        """Return the places of documents with this title, however it is printed; without letters there are none."""
        key = title_key(title)
        found = self.by_key.get(key, []) if key else []
        return found if isinstance(found, list) else [found]

    def candidates(self, text: str) -> list[int]:
        """Return the places of titles whose words, rare ones above all, stand in a text such as a whole reference."""
        words = {word: self.by_word[word] for word in set(tokens(text)) if word in self.by_word}
        weights = {word: math.log(1 + len(self) / len(places)) for word, places in words.items()}
        scores: defaultdict[int, float] = defaultdict(float)
        for word in sorted(words, key=lambda each: len(words[each])):
            places = words[word]
            if len(places) > _COMMON and scores:
                # Common words only add to those that rare ones have found.
                self._add_common(scores, places, weights[word])
            else:
                for place in places:
                    scores[place] += weights[word]
        found = nlargest(5 * _MOST_CANDIDATES, scores, key=lambda place: scores[place])
        return nlargest(_MOST_CANDIDATES, found, key=lambda place: scores[place] * self._share(place, weights))

    @staticmethod
    def _add_common(scores: dict[int, float], places: array[int], weight: float) -> None:
        if len(scores) * 20 < len(places):
            holders = set(places)
            for place in scores:
                if place in holders:
                    scores[place] += weight
            return
        for place in places:
            if place in scores:
                scores[place] += weight

    def _share(self, place: int, weights: dict[str, float]) -> float:
        """Return how much of a title a text holds, its rare words counting more."""
        words = set(tokens(self.titles[place]))
        whole = sum(weights.get(word) or math.log(1 + len(self) / len(self.by_word[word])) for word in words)
        return sum(weights.get(word, 0.0) for word in words) / whole if whole else 0.0


def surname_key(name: str) -> str:
    """Return the surname of "Last, First" or "First Last" without case, accents and punctuation."""
    last = name.partition(",")[0] if "," in name else (name.split() or [""])[-1]
    return title_key(last)

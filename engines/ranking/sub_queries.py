"""Sub-queries of k aspects of a complex query (formats.md 1.5, after DORIS-MAE's section on aspect-level queries)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engines.formats.records import AspectRecord


@dataclass(frozen=True)
class SubQuery:
    """The places of the chosen aspects, the sentences it is made of, and its text."""

    aspects: tuple[int, ...]
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        return " ".join(self.sentences)


def sub_queries(sentences: Sequence[str], aspects: Sequence[AspectRecord], k: int) -> Iterator[SubQuery]:
    """All combinations of k aspects, in order, whose sentences are about no other aspect.

    A combination's text is made of its aspects' sentences, aspect by aspect, each sentence once. It is left out where
    these sentences speak of more than k aspects. An aspect that is tied to no sentence gives its own text, so that
    a query whose sentences nobody tied has all combinations. Raises ValueError for k below 1.
    """
    if k < 1:
        raise ValueError("a sub-query has at least one aspect")
    tied_to: dict[str, set[int]] = {}
    for place, aspect in enumerate(aspects):
        for sentence in aspect.speaking:
            tied_to.setdefault(sentences[sentence], set()).add(place)
    for chosen in itertools.combinations(range(len(aspects)), k):
        spoken_of: set[int] = set()
        collected: dict[str, None] = {}
        for place in chosen:
            own = [sentences[sentence] for sentence in aspects[place].sentences]
            collected |= dict.fromkeys(own or [aspects[place].text])
            spoken_of = spoken_of.union(*[tied_to.get(sentence, set()) for sentence in own] if own else [{place}])
        if len(spoken_of) <= k:
            yield SubQuery(chosen, tuple(collected))

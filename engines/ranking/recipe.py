"""How a topic's candidate pool is put together from ranked lists (formats.md 1.6, after DORIS-MAE, section 3.2).

Lists hold document ids, best first. Nothing here is random: equal lists give equal pools.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

# The methods that bring documents in, as the provenance of pools names them.
QUERY, ASPECTS = "query", "aspects"
CITATIONS, DENSE = "graph:citations", "dense:query"

Provenance = dict[int, dict[str, int | None]]  # {document: {method: rank there, None where nothing is ranked}}


@dataclass(frozen=True)
class Recipe:
    """The numbers of a pool. A, B and C of formats.md are `query_take`, `fused_take` and `aspect_take`.

    `least` is the size a pool grows to before the last two steps; `dense` how many documents the vectors add.
    """

    scorers: tuple[str, ...] = ("bm25", "tfidf")
    query_depth: int = 50
    aspect_depth: int = 500
    query_take: int = 20
    fused_take: int = 25
    aspect_take: int = 2
    least: int = 80
    same_category: bool = True
    citations: bool = True
    dense: int = 20
    exclude_sources: bool = True


@dataclass(frozen=True)
class Lists:
    """What one retriever found for the whole query and for each of its aspects."""

    query: Sequence[int]
    aspects: Sequence[Sequence[int]] = ()

    @property
    def fused(self) -> list[int]:
        return fuse(self.aspects)


@dataclass(frozen=True)
class Neighbourhood:
    """Facts about documents other than their texts: those excluded, and neighbours of source papers.

    `admits` says whether a candidate shares a category with a source paper; `dense` is a ranking by vectors.
    """

    excluded: Collection[int] = frozenset()
    neighbours: Collection[int] = frozenset()
    admits: Callable[[int], bool] | None = None
    dense: Sequence[int] = ()


def fuse(lists: Sequence[Sequence[int]]) -> list[int]:
    """All candidates: those of more lists first, then by the sum of 1/rank falling, then by smaller id."""
    ranks: dict[int, list[int]] = {}
    for ranked in lists:
        for rank, document in enumerate(ranked, 1):
            ranks.setdefault(document, []).append(rank)
    gain = {document: math.fsum(1 / rank for rank in found) for document, found in ranks.items()}
    return sorted(ranks, key=lambda document: (-len(ranks[document]), -gain[document], document))


def make_pool(lists: Mapping[str, Lists], recipe: Recipe, around: Neighbourhood | None = None) -> Provenance:
    """The pool of one topic with, for each document, which list brought it in and at which rank of that list.

    `lists` is by retriever. Ranks are those before candidates were dropped. A document that the citation or the dense
    step finds has that step as its only source, since both add only what is not in yet.
    """
    around = around or Neighbourhood()
    filtered = [_filtered(name, found, around) for name, found in lists.items()]
    pool = _grow(filtered, recipe)
    if recipe.citations:
        for document in sorted({document for each in filtered for _, document in (*each.query, *each.fused)}):
            if document in around.neighbours and document not in pool:
                pool[document] = {CITATIONS: None}
    missing = recipe.dense
    for rank, document in enumerate(around.dense, 1):
        if missing and document not in pool and document not in around.excluded:
            pool[document] = {DENSE: rank}
            missing -= 1
    return pool


@dataclass(frozen=True)
class _FilteredLists:
    """One retriever's lists as (rank, document), without the documents that may not come in."""

    name: str
    query: list[tuple[int, int]]
    fused: list[tuple[int, int]]
    aspects: list[list[tuple[int, int]]]

    def take(self, query: int, fused: int, aspect: int) -> Provenance:
        """The first of each list; what an aspect's list brings in has its rank in the fused list."""
        taken: Provenance = {}
        for rank, document in self.query[:query]:
            taken.setdefault(document, {})[f"{self.name}:{QUERY}"] = rank
        first = {document for ranked in self.aspects for _, document in ranked[:aspect]}
        for place, (rank, document) in enumerate(self.fused):
            if place < fused or document in first:
                taken.setdefault(document, {})[f"{self.name}:{ASPECTS}"] = rank
        return taken


def _filtered(name: str, lists: Lists, around: Neighbourhood) -> _FilteredLists:
    def admitted(ranked: Sequence[int]) -> list[tuple[int, int]]:
        return [
            (rank, document)
            for rank, document in enumerate(ranked, 1)
            if document not in around.excluded and (around.admits is None or around.admits(document))
        ]

    return _FilteredLists(name, admitted(lists.query), admitted(lists.fused), list(map(admitted, lists.aspects)))


def _grow(filtered: Sequence[_FilteredLists], recipe: Recipe) -> Provenance:
    """Steps 6 and 7: take, and while that is too little, take a little more."""
    query, fused, aspect = recipe.query_take, recipe.fused_take, recipe.aspect_take
    aspects = max((len(each.aspects) for each in filtered), default=0)
    everything = max((len(ranked) for each in filtered for ranked in (each.query, each.fused)), default=0)
    pool = _union(filtered, query, fused, aspect)
    step = 0
    while len(pool) < recipe.least and min(query, fused) < everything:
        step += 1
        if step % 2:
            fused += 1
        else:
            query += 1
        if aspects and step % aspects == 0:
            aspect += 1
        pool = _union(filtered, query, fused, aspect)
    return pool


def _union(filtered: Sequence[_FilteredLists], query: int, fused: int, aspect: int) -> Provenance:
    pool: Provenance = {}
    for each in filtered:
        for document, sources in each.take(query, fused, aspect).items():
            pool.setdefault(document, {}).update(sources)
    return pool

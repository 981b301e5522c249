"""Rankings against judged documents, as arrays: what every retrieval measure is computed from (statistics.md 5).

A gold says of topics which documents are judged and how; a run ranks documents for topics. Matching the two keeps the
judged documents of each ranking with their ranks, so that a measure costs as much as there are judgments, however deep
the rankings are.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import repeat

import numpy as np

from engines.stats.results import BoolArray, FloatArray, IntArray

Levels = Mapping[str, float]


@dataclass(frozen=True)
class RankedList:
    """One topic's ranking: documents best first; `tied` are the cut-offs that equal scores straddle."""

    topic: str
    docnos: Sequence[str]
    tied: Sequence[int] = ()


def canonical_ranking(scores: Mapping[str, float]) -> list[str]:
    """Documents by falling score, ties by document id descending (trec_eval's order), scores in double precision.

    Raises ValueError on NaN, which has no place in an order.
    """
    for docno, score in scores.items():
        if math.isnan(score):
            raise ValueError(f"the score of {docno!r} is not a number")
    return sorted(sorted(scores, reverse=True), key=lambda docno: -scores[docno])


def rank(topic: str, scores: Mapping[str, float], cuts: Iterable[int] = ()) -> RankedList:
    """The ranking that scores mean, with those of the `cuts` at which a tie decides who is in."""
    docnos = canonical_ranking(scores)
    tied = [cut for cut in cuts if 0 < cut < len(docnos) and scores[docnos[cut - 1]] == scores[docnos[cut]]]
    return RankedList(topic, docnos, tied)


@dataclass(frozen=True, eq=False)
class Gold:
    """Judged documents of T topics: J judgments, those of a topic next to each other.

    `gain` (J,) is what nDCG adds up; a document is relevant at relevance level L when its `level` (J,) is L or more:
    the same number for plain grades, the mean for sums over aspects. `relevance` is the level that counts as relevant
    where a measure names none. `places[t]` gives the position of a docno.
    """

    topics: tuple[str, ...]
    places: tuple[Mapping[str, int], ...]
    topic: IntArray
    gain: FloatArray
    level: FloatArray
    relevance: float = 1.0

    def __len__(self) -> int:
        return len(self.topic)

    def of(self, topics: Iterable[str]) -> IntArray:
        """The positions of these topics, in the gold's order."""
        names = set(topics)
        return np.flatnonzero([topic in names for topic in self.topics])


def make_gold(
    grades: Mapping[str, Mapping[str, float]], levels: Mapping[str, Levels] | None = None, *, relevance: float = 1.0
) -> Gold:
    """The gold of {topic: {docno: grade}}; topics without a judged document are left out.

    `levels` {topic: {docno: level}} say from which relevance level on a document is relevant, where that is not its
    grade. Raises ValueError on grades that are not finite.
    """
    judged = {topic: of_topic for topic, of_topic in grades.items() if of_topic}
    places, start = [], 0
    for of_topic in judged.values():
        places.append({docno: start + place for place, docno in enumerate(of_topic)})
        start += len(of_topic)
    gain = np.array([grade for of_topic in judged.values() for grade in of_topic.values()], dtype=np.float64)
    if not np.isfinite(gain).all():
        raise ValueError("a grade is not a finite number")
    level = gain
    if levels is not None:
        level = np.array([levels[topic][docno] for topic, each in judged.items() for docno in each], dtype=np.float64)
    topic = np.repeat(np.arange(len(judged)), [len(of_topic) for of_topic in judged.values()])
    return Gold(tuple(judged), tuple(places), topic, gain, level, relevance)


@dataclass(frozen=True, eq=False)
class Match:
    """A run's judged documents, by topic and rank: `place` (H,) in the gold, `rank` (H,) from 1.

    `length` (T,) is how many documents each ranking has, 0 where the run lacks the topic. `foreign` counts rankings of
    topics that the gold lacks. `tied` says at how many topics equal scores straddle a cut-off.
    """

    place: IntArray
    rank: IntArray
    length: IntArray
    foreign: int = 0
    tied: Mapping[int, int] = field(default_factory=dict)


def match(rankings: Iterable[RankedList], gold: Gold) -> Match:
    """Where the judged documents stand in a run's rankings.

    Raises ValueError on a document that a ranking has twice, and on a topic ranked twice.
    """
    index = {topic: place for place, topic in enumerate(gold.topics)}
    length = np.zeros(len(gold.topics), dtype=np.int64)
    found: list[tuple[IntArray, IntArray] | None] = [None] * len(gold.topics)
    foreign, tied = 0, dict[int, int]()
    for ranking in rankings:
        at = index.get(ranking.topic)
        if at is None:
            foreign += 1
            continue
        if found[at] is not None:
            raise ValueError(f"topic {ranking.topic} is ranked twice")
        found[at] = _hits(ranking, gold.places[at])
        length[at] = len(ranking.docnos)
        for cut in ranking.tied:
            tied[cut] = tied.get(cut, 0) + 1
    known = [each for each in found if each is not None]
    none = np.zeros(0, dtype=np.int64)
    place = np.concatenate([none, *(each[0] for each in known)])
    ranks = np.concatenate([none, *(each[1] for each in known)])
    return Match(place, ranks, length, foreign, tied)


def _hits(ranking: RankedList, places: Mapping[str, int]) -> tuple[IntArray, IntArray]:
    """(positions in the gold, ranks from 1) of the judged documents of a ranking."""
    place = np.fromiter(map(places.get, ranking.docnos, repeat(-1)), np.int64, len(ranking.docnos))
    at = np.flatnonzero(place >= 0)
    place = place[at]
    if len(np.unique(place)) < len(place):
        twice = next(docno for docno in places if list(ranking.docnos).count(docno) > 1)
        raise ValueError(f"document {twice} occurs twice in the ranking of topic {ranking.topic}")
    return place, at + 1


@dataclass(frozen=True, eq=False)
class View:
    """What a measure sees: hits (H,) by topic and rank, the judgments (J,), and the length of each ranking (T,).

    Sums over topics come as (T,) arrays. `judged_topic`, `judged_gain` and `judged_level` are the judgments that count.
    """

    topic: IntArray
    rank: IntArray
    gain: FloatArray
    level: FloatArray
    length: IntArray
    judged_topic: IntArray
    judged_gain: FloatArray
    judged_level: FloatArray
    relevance: float
    topics: tuple[str, ...]
    is_last: BoolArray  # (H,) whether no document of the topic was judged after this one

    def total(self, hits: BoolArray, weights: FloatArray | None = None) -> FloatArray:
        """(T,) how many of these hits each topic has, or the sum of their weights (H,)."""
        of_hits = None if weights is None else weights[hits]
        return np.bincount(self.topic[hits], of_hits, len(self.length)).astype(np.float64)

    def n_relevant(self, level: float) -> FloatArray:
        """(T,) how many judged documents are relevant."""
        return self._count(self.judged_topic[self.judged_level >= level])

    def n_judged(self) -> FloatArray:
        """(T,) how many documents are judged."""
        return self._count(self.judged_topic)

    def n_sure(self) -> FloatArray:
        """(T,) how many documents have a grade of 0 or more: below, trec_eval takes a document as unjudged."""
        return self._count(self.judged_topic[self.judged_gain >= 0])

    def _count(self, topics: IntArray) -> FloatArray:
        return np.bincount(topics, minlength=len(self.length)).astype(np.float64)

    @cached_property
    def has_gain(self) -> BoolArray:
        """(T,) whether there is anything to find."""
        return np.asarray(np.bincount(self.judged_topic[self.judged_gain > 0], minlength=len(self.length)) > 0)

    @cached_property
    def ideal(self) -> tuple[IntArray, IntArray, FloatArray]:
        """(topic, rank from 1, gain) of all judgments in the best order there is."""
        return best_order(self.judged_topic, self.judged_gain)

    @cached_property
    def condensed(self) -> "View":
        """The rankings without their unjudged documents (condensed lists, Sakai 2007).

        A grade below 0 says that nobody judged the document, as trec_eval has it.
        """
        sure = self.gain >= 0
        topic = self.topic[sure]
        return replace(
            self,
            topic=topic,
            rank=ordinals(topic) + 1,
            gain=self.gain[sure],
            level=self.level[sure],
            length=np.bincount(topic, minlength=len(self.length)),
            is_last=self.is_last[sure],
        )

    def hopeful(self, depth: int | None) -> "View":
        """The rankings, to a depth, as if every unjudged document were relevant. `n_relevant` stays."""
        length = self.length if depth is None else np.minimum(self.length, depth)
        topic = np.repeat(np.arange(len(length)), length)
        level, gain = np.full(len(topic), np.inf), np.zeros(len(topic))
        near = self.rank <= length[self.topic]
        at = (np.cumsum(length) - length)[self.topic[near]] + self.rank[near] - 1
        level[at], gain[at] = self.level[near], self.gain[near]
        never = np.zeros(len(topic), dtype=bool)
        return replace(self, topic=topic, rank=ordinals(topic) + 1, gain=gain, level=level, is_last=never)

    def first_unjudged(self) -> str | None:
        """A topic whose ranking holds a document that is not judged."""
        hits = np.bincount(self.topic, minlength=len(self.length))
        short = np.flatnonzero(hits < self.length)
        return self.topics[short[0]] if len(short) else None


def best_order(topic: IntArray, gain: FloatArray) -> tuple[IntArray, IntArray, FloatArray]:
    """(topic, rank from 1, gain) with the highest gains of each topic first."""
    order = np.lexsort((-gain, topic))
    topic, gain = topic[order], gain[order]
    return topic, ordinals(topic) + 1, gain


def ordinals(topic: IntArray) -> IntArray:
    """(H,) how many entries of the same topic stand before each; topics stand together."""
    new = np.flatnonzero(np.r_[True, topic[1:] != topic[:-1]]) if len(topic) else topic
    counts = np.diff(np.r_[new, len(topic)])
    return np.arange(len(topic)) - np.repeat(new, counts)


def view(found: Match, gold: Gold, keep: BoolArray | None = None) -> View:
    """A run's matched documents with the gold; of judgments that are not kept (J,), nothing is known."""
    place, ranks = found.place, found.rank
    judged = np.arange(len(gold)) if keep is None else np.flatnonzero(keep)
    if keep is not None:
        place, ranks = place[keep[place]], ranks[keep[place]]
    return View(
        gold.topic[place],
        ranks,
        gold.gain[place],
        gold.level[place],
        found.length,
        gold.topic[judged],
        gold.gain[judged],
        gold.level[judged],
        gold.relevance,
        gold.topics,
        _is_last(place, judged, gold),
    )


def _is_last(place: IntArray, judged: IntArray, gold: Gold) -> BoolArray:
    last = np.full(len(gold.topics), -1)
    last[gold.topic[judged]] = judged  # judgments stand in order: the last one stays
    return np.asarray(place == last[gold.topic[place]])


def shuffled(pools: Mapping[str, Sequence[str]], gold: Gold, rng: np.random.Generator) -> Iterator[Match]:
    """Matches of random orders of each topic's pool, one after the other without end.

    A topic without a pool is not ranked.
    """
    of_topics, places = list[IntArray](), list[IntArray]()
    length = np.zeros(len(gold.topics), dtype=np.int64)
    for at, topic in enumerate(gold.topics):
        known = gold.places[at]
        docnos = pools.get(topic, ())
        length[at] = len(docnos)
        of_topics.append(np.full(len(docnos), at))
        places.append(np.fromiter((known.get(docno, -1) for docno in docnos), np.int64, len(docnos)))
    topics, place = np.concatenate(of_topics), np.concatenate(places)
    ranks = ordinals(topics) + 1
    while True:
        order = np.lexsort((rng.random(len(topics)), topics))
        drawn = place[order]
        yield Match(drawn[drawn >= 0], ranks[drawn >= 0], length)

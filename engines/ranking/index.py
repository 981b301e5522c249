"""An inverted index on disk, cut into shards, with the weight of every posting; read through memory maps.

Weights are computed once, when a scorer is first asked for (as bm25s does it), so that a search only adds up columns of
a sparse matrix. They rest on the figures of the whole index and on nothing of the shard a document lies in, and every
sum is taken in the order of the terms: however many shards there are, and on any worker, scores are
equal to the last bit. A search that ties puts the document that was added first before the others.
"""

from __future__ import annotations

import heapq
import json
import math
import shutil
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first used
from numpy.typing import NDArray

from engines.ranking.analysis import Analysis, count_terms, terms_of
from engines.ranking.postings import Gatherer
from engines.ranking.scorers import SCORERS, TFIDF, Figures
from engines.ranking.vocabulary import Vocabulary, write_vocabulary

VERSION = 2  # of what lies on the disk; an index of another version is built again
META = "index.json"
COUNTED = ("starts.npy", "docs.npy", "counts.npy", "lengths.npy", "ids.npy", "term_ends.npy", "terms.bin")  # of a shard
HELD = "held.npy"  # what `finish` adds to it
CHUNK = 4_000_000  # postings weighed at a time

Texts = str | Sequence[str]  # of a document: one, or one for each of the settings' weights


@dataclass(frozen=True)
class Settings:
    """What an index depends on in addition to the documents.

    k1 and b are BM25's. `weights` say how often a term counts in each of a document's texts. `lengths`: "exact", or
    "lucene" for document lengths as Lucene keeps them, in one byte.
    """

    analysis: Analysis = field(default_factory=Analysis)
    k1: float = 1.5
    b: float = 0.75
    weights: tuple[float, ...] = (1.0,)
    lengths: str = "exact"


@dataclass(frozen=True)
class Hits:
    """Documents found, best first: ids (n,) as they were given to the builder, and scores (n,)."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)


class ShardWriter:
    """Counts the terms of some documents; needs to know nothing of other shards."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        self.directory = directory
        self.ids: list[int] = []
        self.gatherer = Gatherer(settings.analysis, settings.weights)

    def add(self, documents: Iterable[tuple[int, Texts]]) -> None:
        """Add documents; their ids must be whole numbers and differ."""
        for pk, texts in documents:
            self.ids.append(pk)
            self.gatherer.add_document((texts,) if isinstance(texts, str) else texts)

    def write(self) -> None:
        """Write what was counted; it appears under its name when it is whole."""
        postings = self.gatherer.postings()
        part = self.directory.with_name(f"{self.directory.name}.{uuid.uuid4().hex}")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        for name in ("starts", "docs", "counts", "lengths"):
            np.save(part / f"{name}.npy", getattr(postings, name))
        np.save(part / "ids.npy", np.array(self.ids, dtype=np.int64))
        write_vocabulary(part, postings.terms)
        shutil.rmtree(self.directory, ignore_errors=True)
        part.replace(self.directory)


def finish(directory: Path, settings: Settings, n_shards: int) -> None:
    """Make an index of the counted shards 0 to n - 1 below `directory`: each gets the figures of all.

    Every term of a shard is given the number of documents of the whole index that hold it.
    """
    shards = [directory / str(number) for number in range(n_shards)]
    frequencies = [np.diff(np.load(shard / "starts.npy")) for shard in shards]  # of each term, in documents
    holders: dict[int, int] = {}  # how many terms have a document frequency
    if n_shards == 1:
        values, times = np.unique(frequencies[0], return_counts=True)
        holders = dict(zip(values.tolist(), times.tolist(), strict=True))
    else:
        terms = [Vocabulary(shard).terms(number) for number, shard in enumerate(shards)]
        local = [each.copy() for each in frequencies]
        for _, group in groupby(heapq.merge(*terms), key=itemgetter(0)):
            same = [(shard, term) for _, shard, term in group]
            total = sum(int(local[shard][term]) for shard, term in same)
            holders[total] = holders.get(total, 0) + 1
            for shard, term in same:
                frequencies[shard][term] = total
    for place, found in zip(shards, frequencies, strict=True):
        np.save(place / HELD, found)
    lengths = [np.load(place / "lengths.npy") for place in shards]
    figures = Figures(sum(map(len, lengths)), math.fsum(float(each.sum()) for each in lengths), holders)
    meta = {"version": VERSION, "shards": n_shards, "settings": asdict(settings), "figures": asdict(figures)}
    part = directory / f"{META}.{uuid.uuid4().hex}"
    part.write_text(json.dumps(meta), encoding="utf-8")
    part.replace(directory / META)  # whole, and after all else


class Index:
    """An index opened for searching; its arrays stay on the disk until they are looked at."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        meta: dict[str, Any] = json.loads((directory / META).read_text(encoding="utf-8"))
        if meta["version"] != VERSION:
            raise ValueError(f"{directory.name} is an index of version {meta['version']}; this is {VERSION}")
        found = meta["settings"]
        analysis = Analysis(**found.pop("analysis"))
        self.settings = Settings(analysis, **{**found, "weights": tuple(found["weights"])})
        holders = {int(held): times for held, times in meta["figures"].pop("holders").items()}
        self.figures = Figures(**meta["figures"], holders=holders)
        self.shards = [Shard(directory / str(n), self.settings, self.figures) for n in range(meta["shards"])]

    def __len__(self) -> int:
        return self.figures.documents

    def scores(self, scorer: str, text: str) -> NDArray[np.float32]:
        """Scores (documents,) of all documents for `text`, in the order they were added; 0 where no term is shared.

        A term counts as often as it occurs in the query; TF-IDF is not divided by the query's length, which no
        ranking depends on. Raises ValueError for an unknown scorer.
        """
        return np.concatenate([shard.scores(scorer, text) for shard in self.shards])

    def search(
        self,
        scorer: str,
        text: str,
        depth: int,
        *,
        without: Collection[int] = (),
        among: Collection[int] | None = None,
    ) -> Hits:
        """The `depth` best documents that share a term with `text`; ties in the order they were added.

        `without` are ids to leave out. With `among`, these documents alone are ranked, all of them, shared terms or no.
        """
        found = [shard.search(scorer, text, depth, without=without, among=among) for shard in self.shards]
        return best_hits(found, depth)


def best_hits(found: Sequence[Hits], depth: int) -> Hits:
    """The `depth` best of what was found in each shard; ties in the order of the shards."""
    ids = np.concatenate([hits.ids for hits in found])
    scores = np.concatenate([hits.scores for hits in found])
    order = np.argsort(-scores, kind="stable")[:depth]
    return Hits(ids[order], scores[order])


class Shard:
    """Some of an index's documents, in their order."""

    def __init__(self, directory: Path, settings: Settings, figures: Figures) -> None:
        self.directory, self.settings, self.figures = directory, settings, figures
        self.weighed: dict[str, tuple[NDArray[np.float32], NDArray[np.float64]]] = {}

    # Opened when they are first looked at: who searches one shard of many opens the files of that one.
    @cached_property
    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self.directory)

    @cached_property
    def ids(self) -> NDArray[np.int64]:
        return self._map("ids")

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        return self._map("starts")

    @cached_property
    def docs(self) -> NDArray[np.int32]:
        return self._map("docs")

    def __len__(self) -> int:
        return len(self.ids)

    def scores(self, scorer: str, text: str) -> NDArray[np.float32]:
        """As `Index.scores`, of the documents of this shard."""
        weights, idf = self.weights(scorer)
        numbers, factors = [], []
        for term, count in count_terms(terms_of(text, self.settings.analysis)).items():
            number = self.vocabulary.find(term)
            if number is not None:
                numbers.append(number)
                factors.append(count * (idf[number] if scorer == TFIDF else 1))
        if not numbers:
            return np.zeros(len(self), dtype=np.float32)
        parts = [slice(int(self.starts[number]), int(self.starts[number + 1])) for number in numbers]
        ends = np.cumsum([0, *(part.stop - part.start for part in parts)])
        columns = scipy.sparse.csc_array(
            (
                np.concatenate([weights[part] for part in parts]),
                np.concatenate([self.docs[part] for part in parts]),
                _narrow(ends),
            ),
            shape=(len(self), len(numbers)),
        )
        return np.asarray(columns @ np.array(factors, dtype=np.float32))

    def search(
        self, scorer: str, text: str, depth: int, *, without: Collection[int], among: Collection[int] | None
    ) -> Hits:
        """As `Index.search`, of the documents of this shard."""
        scores = self.scores(scorer, text)
        if among is not None:
            chosen = np.sort(self._places(among))
            chosen = chosen[~np.isin(chosen, self._places(without))]
            order = chosen[np.argsort(-scores[chosen], kind="stable")][:depth]
        else:
            if without:
                scores[self._places(without)] = 0
            order = best_of(scores, depth)
        return Hits(np.asarray(self.ids[order]), scores[order])

    def weights(self, scorer: str) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Weights (postings,) and idf (terms,); computed where this scorer was never asked for.

        Raises ValueError for an unknown scorer.
        """
        if scorer not in SCORERS:
            raise ValueError(f"unknown scorer {scorer!r}")
        if scorer not in self.weighed:
            place = self.directory / f"{scorer}.npy"
            if not place.exists():
                self._weigh(scorer, place)
            idf = SCORERS[scorer].idf(self.figures, self._map("held"))
            self.weighed[scorer] = _mapped(place), idf
        return self.weighed[scorer]

    def _weigh(self, scorer: str, place: Path) -> None:
        part = place.with_name(f"{place.name}.{uuid.uuid4().hex}")
        rule = SCORERS[scorer]
        idf = rule.idf(self.figures, self._map("held"))
        lengths = self._map("lengths").astype(np.float64)
        norm = self.figures.norm(lengths, self.settings.k1, self.settings.b, self.settings.lengths)
        counts, squares = self._map("counts"), np.zeros(len(self))
        written = np.lib.format.open_memmap(part, mode="w+", dtype=np.float32, shape=(len(self.docs),))
        for at in range(0, len(self.docs), CHUNK):
            chunk = slice(at, at + CHUNK)
            docs, tf = self.docs[chunk], counts[chunk].astype(np.float64)
            terms = np.searchsorted(self.starts, np.arange(at, at + len(docs)), side="right") - 1
            raw = rule.weigh(tf, idf[terms], norm[docs], self.settings.k1)
            written[chunk] = raw
            if rule.by_length:
                np.add.at(squares, docs, raw**2)
        if rule.by_length:
            length = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
            for at in range(0, len(self.docs), CHUNK):
                written[at : at + CHUNK] /= length[self.docs[at : at + CHUNK]]
        written.flush()
        part.replace(place)

    def _places(self, ids: Collection[int]) -> NDArray[np.intp]:
        """Where these documents stand; those of other shards are skipped."""
        sorted_ids, places = self._sorted
        requested = np.fromiter(ids, np.int64, len(ids))
        at = np.minimum(np.searchsorted(sorted_ids, requested), max(len(sorted_ids) - 1, 0))
        return places[at[sorted_ids[at] == requested]] if len(sorted_ids) else places

    @cached_property
    def _sorted(self) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
        places = np.argsort(self.ids)
        return np.asarray(self.ids[places]), places

    def _map(self, name: str) -> NDArray[Any]:
        return _mapped(self.directory / f"{name}.npy")


def _mapped(path: Path) -> NDArray[Any]:
    """The array of a file as a plain view of its memory map, of which slices cost less."""
    return np.asarray(np.load(path, mmap_mode="r"))


def _narrow(ends: NDArray[np.int64]) -> NDArray[np.int32] | NDArray[np.int64]:
    """As 32 bits where they fit, so that scipy need not widen the other indices."""
    return ends.astype(np.int32) if ends[-1] < 2**31 else ends


def best_of(scores: NDArray[np.float32], depth: int) -> NDArray[np.intp]:
    """Places (at most `depth`,) of the highest of the scores (n,) that are not 0, best first, ties by place."""
    found = None
    if 0 < depth < len(scores):
        least = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        if least > 0:  # so nothing that is 0 or below is among the best
            found = np.flatnonzero(scores >= least)
    if found is None:
        found = np.flatnonzero(scores)
    return found[np.argsort(-scores[found], kind="stable")[:depth]]

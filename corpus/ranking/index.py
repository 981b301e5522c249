"""An inverted index on disk with the BM25 and TF-IDF weight of every posting, read through memory maps.

Weights are computed when the index is built (as bm25s does), so that a search only adds up postings. BM25 is Lucene's
exact variant (Kamphuis et al., ECIR 2020); TF-IDF is the cosine of raw counts times ln((1 + N) / (1 + n)) + 1, the
usual smoothed form. A search that ties puts the document that was added first before the others.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpus.ranking.analysis import Analysis, count_terms, terms_of
from corpus.ranking.postings import Gatherer, Postings
from corpus.ranking.vocabulary import Vocabulary, write_vocabulary

BM25, TFIDF = "bm25", "tfidf"
SCORERS = (BM25, TFIDF)
VERSION = 1  # of what lies on the disk; an index of another version is built anew
META = "index.json"
ARRAYS = ("ids", "starts", "docs", "bm25", "tfidf", "idf")
CHUNK = 4_000_000  # postings weighed at a time


@dataclass(frozen=True)
class Settings:
    """What an index depends on beside the documents; k1 and b are BM25's."""

    analysis: Analysis = field(default_factory=Analysis)
    k1: float = 1.5
    b: float = 0.75


@dataclass(frozen=True)
class Hits:
    """Documents found, best first: ids as they were given to the builder, and scores."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.ids)


class IndexWriter:
    """Builds an index below `directory` from (id, text) pairs added in their order."""

    def __init__(self, directory: Path, settings: Settings) -> None:
        self.directory = directory
        self.settings = settings
        self.ids: list[int] = []
        self.gatherer = Gatherer(settings.analysis)

    def add(self, documents: Iterable[tuple[int, str]]) -> None:
        """Add documents; their ids must be whole numbers and differ."""
        for pk, text in documents:
            self.ids.append(pk)
            self.gatherer.add((text,))

    def write(self) -> None:
        """Write the index; it appears under its name when it is whole, in place of an older one."""
        postings = self.gatherer.postings()
        part = self.directory.with_name(self.directory.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        _write_weights(part, postings, self.settings)
        np.save(part / "ids.npy", np.array(self.ids, dtype=np.int64))
        np.save(part / "starts.npy", postings.starts)
        np.save(part / "docs.npy", postings.docs)
        write_vocabulary(part, postings.terms)
        (part / META).write_text(json.dumps({"version": VERSION, **asdict(self.settings)}), encoding="utf-8")
        shutil.rmtree(self.directory, ignore_errors=True)
        part.replace(self.directory)


class Index:
    """An index opened for searching; its arrays stay on the disk until they are looked at."""

    def __init__(self, directory: Path) -> None:
        meta: dict[str, Any] = json.loads((directory / META).read_text(encoding="utf-8"))
        if meta["version"] != VERSION:
            raise ValueError(f"{directory.name} is an index of version {meta['version']}; this is {VERSION}")
        self.analysis = Analysis(**meta["analysis"])
        self.vocabulary = Vocabulary(directory)
        arrays = {name: np.load(directory / f"{name}.npy", mmap_mode="r") for name in ARRAYS}
        self.ids: NDArray[np.int64] = arrays["ids"]
        self.starts: NDArray[np.int64] = arrays["starts"]
        self.docs: NDArray[np.int32] = arrays["docs"]
        self.idf: NDArray[np.float32] = arrays["idf"]
        self.weights: dict[str, NDArray[np.float32]] = {name: arrays[name] for name in SCORERS}

    def __len__(self) -> int:
        return len(self.ids)

    def scores(self, scorer: str, text: str) -> NDArray[np.float32]:
        """Score of every document for `text`, in the order they were added; 0 where no term is shared.

        A term counts as often as it stands in the query; TF-IDF is not divided by the query's length, which no
        ranking depends on. Raises ValueError for an unknown scorer.
        """
        if scorer not in SCORERS:
            raise ValueError(f"unknown scorer {scorer!r}")
        total = np.zeros(len(self.ids), dtype=np.float32)
        weights = self.weights[scorer]
        for term, count in count_terms(terms_of(text, self.analysis)).items():
            number = self.vocabulary.find(term)
            if number is None:
                continue
            part = slice(int(self.starts[number]), int(self.starts[number + 1]))
            factor = np.float32(count * (self.idf[number] if scorer == TFIDF else 1))
            total[self.docs[part]] += weights[part] * factor
        return total

    def search(self, scorer: str, text: str, depth: int) -> Hits:
        """The `depth` best documents that share a term with `text`; ties in the order they were added."""
        scores = self.scores(scorer, text)
        order = best_of(scores, depth)
        return Hits(np.asarray(self.ids[order]), scores[order])


def best_of(scores: NDArray[np.float32], depth: int) -> NDArray[np.intp]:
    """Places of the `depth` highest positive scores, best first, ties by place."""
    found = np.flatnonzero(scores > 0)
    if depth < len(found):
        least = np.partition(scores[found], len(found) - depth)[len(found) - depth] if depth else np.inf
        above = found[scores[found] > least]
        level = found[scores[found] == least]
        found = np.concatenate([above, level[: depth - len(above)]])
    return found[np.lexsort((found, -scores[found]))]


def _write_weights(directory: Path, postings: Postings, settings: Settings) -> None:
    n_docs = len(postings.lengths)
    held_by = np.diff(postings.starts).astype(np.float64)
    mean_length = postings.lengths.mean() if n_docs and postings.lengths.any() else 1.0
    norm = settings.k1 * (1 - settings.b + settings.b * postings.lengths / mean_length)
    bm25_idf = np.log1p((n_docs - held_by + 0.5) / (held_by + 0.5))
    idf = np.log((1 + n_docs) / (1 + held_by)) + 1
    np.save(directory / "idf.npy", idf.astype(np.float32))
    squares = np.zeros(n_docs)
    size = len(postings.docs)
    bm25 = np.lib.format.open_memmap(directory / "bm25.npy", mode="w+", dtype=np.float32, shape=(size,))
    tfidf = np.lib.format.open_memmap(directory / "tfidf.npy", mode="w+", dtype=np.float32, shape=(size,))
    for at in range(0, size, CHUNK):
        part = slice(at, at + CHUNK)
        docs, counts = postings.docs[part], postings.counts[part].astype(np.float64)
        terms = np.searchsorted(postings.starts, np.arange(at, at + len(docs)), side="right") - 1
        bm25[part] = bm25_idf[terms] * counts / (counts + norm[docs])
        raw = counts * idf[terms]
        tfidf[part] = raw
        squares += np.bincount(docs, raw**2, minlength=n_docs)
    lengths = np.sqrt(np.maximum(squares, np.finfo(np.float64).tiny))
    for at in range(0, size, CHUNK):
        part = slice(at, at + CHUNK)
        tfidf[part] /= lengths[postings.docs[part]]
    for written in (bm25, tfidf):
        written.flush()

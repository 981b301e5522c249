"""Which term stands in which document how often, gathered document by document in little memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first used, not at every start
from numpy.typing import NDArray

from engines.ranking.analysis import Analysis, term_maker, tokenise

CHUNK = 2_000  # documents counted at a time
LEFT_OUT = -1  # the number of a token that is no term
MOST_OFTEN = 65_535  # a term that occurs more often in one document counts so often


@dataclass(frozen=True)
class Postings:
    """Term-major counts: documents `docs[starts[t]:starts[t+1]]` (ascending) hold term t `counts` times.

    `terms` are sorted; `lengths` are the documents' numbers of terms, repeats included. Where texts of a document weigh
    other than 1, a term counts in them by that weight.
    """

    terms: list[str]
    starts: NDArray[np.int64]
    docs: NDArray[np.int32]
    counts: NDArray[np.uint16] | NDArray[np.float32]
    lengths: NDArray[np.float64]


class _Numbers(dict[str, int]):
    """Numbers of terms by token; a token met for the first time is analysed then, and only then."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self.term_of = term_maker(analysis)
        self.terms: dict[str, int] = {}

    def __missing__(self, token: str) -> int:
        term = self.term_of(token)
        number = LEFT_OUT if term is None else self.terms.setdefault(term, len(self.terms))
        self[token] = number
        return number


class Gatherer:
    """Takes texts in the order of documents and makes postings of them."""

    def __init__(self, analysis: Analysis, weights: Sequence[float] = (1.0,)) -> None:
        self.analysis = analysis
        self.weights = None if all(weight == 1 for weight in weights) else tuple(weights)
        self.numbers = _Numbers(analysis)
        self.documents = 0  # not yet counted
        self.terms: list[int] = []  # of their texts, text after text
        self.ends: list[int] = []  # of each text among them
        self.keys: list[NDArray[np.int32]] = []  # terms, document after document, ascending in each
        self.counts: list[NDArray[Any]] = []
        self.sizes: list[NDArray[np.int64]] = []  # distinct terms of each document
        self.lengths: list[NDArray[np.float64]] = []

    def add_document(self, texts: Sequence[str]) -> None:
        """Count the terms of a document that has one text for each weight."""
        for text in (" ".join(texts),) if self.weights is None else texts:
            self.terms.extend(map(self.numbers.__getitem__, tokenise(text, self.analysis.tokens)))
            self.ends.append(len(self.terms))
        self.documents += 1
        if self.documents == CHUNK:
            self._count()

    def postings(self) -> Postings:
        """Everything gathered, by term."""
        self._count()
        sizes = np.concatenate(self.sizes) if self.sizes else np.zeros(0, dtype=np.int64)
        terms = sorted(self.numbers.terms)
        place = np.empty(len(terms), dtype=np.int32)  # of each number among the sorted terms
        place[[self.numbers.terms[term] for term in terms]] = np.arange(len(terms), dtype=np.int32)
        self.numbers.clear()
        keys = _joined(self.keys, np.int32)
        counts = _joined(self.counts, np.uint16 if self.weights is None else np.float32)
        by_document = scipy.sparse.csr_matrix(
            (counts, place[keys], np.concatenate([[0], np.cumsum(sizes)])), shape=(len(sizes), len(terms))
        )
        del keys, counts
        by_term = by_document.tocsc()
        return Postings(
            terms,
            by_term.indptr.astype(np.int64),
            by_term.indices.astype(np.int32, copy=False),
            by_term.data,
            np.concatenate(self.lengths) if self.lengths else np.zeros(0),
        )

    def _count(self) -> None:
        n = self.documents
        if not n:
            return
        sizes = np.diff(self.ends, prepend=0)  # of each text
        owners = np.repeat(np.arange(n, dtype=np.int64), sizes.reshape(n, -1).sum(axis=1))
        found = np.array(self.terms, dtype=np.int64)
        kept = found != LEFT_OUT
        owners, keys = owners[kept], (owners[kept] << 32) | found[kept]
        pairs, times = np.unique(keys, return_counts=True)
        self.keys.append((pairs & 0xFFFFFFFF).astype(np.int32))
        self.sizes.append(np.bincount(pairs >> 32, minlength=n))
        if self.weights is None:
            self.counts.append(np.minimum(times, MOST_OFTEN).astype(np.uint16))
            self.lengths.append(np.bincount(owners, minlength=n).astype(np.float64))
        else:
            weights = np.repeat(np.tile(self.weights, n), sizes)[kept]
            summed = np.bincount(np.searchsorted(pairs, keys), weights, minlength=len(pairs))
            self.counts.append(summed.astype(np.float32))
            self.lengths.append(np.bincount(owners, weights, minlength=n).astype(np.float64))
        self.documents, self.terms, self.ends = 0, [], []


def _joined(parts: list[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    """The parts as one array; the list is emptied, so that both do not stay in memory."""
    whole = np.concatenate(parts) if parts else np.zeros(0, dtype=kind)
    parts.clear()
    return whole

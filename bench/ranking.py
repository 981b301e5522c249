"""BM25 over a large collection: building and searching, next to bm25s and rank_bm25 at equal ranking.

Documents are real abstracts of ACM-CR, of which further ones are put together (see bench.pools); queries are 200 words
of one or more documents. All three are given the same terms: the time to cut texts into terms is measured once,
on its own. rank_bm25 takes seconds for a query, so it answers a few and its time is multiplied. Each runs in a process
of its own, on one core. Prints one JSON object.

    python -m bench.ranking [--documents 360000] [--queries 1000]
"""

import argparse
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.pools import documents
from bench.transfers import SHARED

WORDS, DEPTH, SEED = 200, 1_000, 200
K1, B = 0.9, 0.4
FEW = 3  # queries for rank_bm25
COMPARED = 20  # queries whose rankings are compared
TARGETS = {"seconds": 60, "peak_megabytes": 2_000}


def queries_from(texts: Sequence[str], count: int) -> Iterator[str]:
    """Queries of 200 words, each from the texts of documents that follow one another."""
    rng = random.Random(SEED)
    for _ in range(count):
        words: list[str] = []
        at = rng.randrange(len(texts))
        while len(words) < WORDS:
            words += texts[at % len(texts)].split()
            at += 1
        yield " ".join(words[:WORDS])


def litmus(texts: Sequence[str], queries: Sequence[str], folder: Path) -> dict[str, Any]:
    from corpus.ranking.analysis import LUCENE, Analysis
    from corpus.ranking.index import BM25, Index, IndexWriter, Settings

    writer = IndexWriter(folder / "index", Settings(Analysis(LUCENE, stop_words=False, stemmer="porter"), K1, B))
    clock = Clock()
    writer.add(enumerate(texts))
    writer.write()
    index = Index(folder / "index")
    index.scores(BM25, "")
    built = clock()
    found = [index.search(BM25, query, DEPTH) for query in queries]
    return clock.result(built, [(hits.ids.tolist(), hits.scores.tolist()) for hits in found[:COMPARED]])


def with_bm25s(texts: Sequence[str], queries: Sequence[str], _: Path) -> dict[str, Any]:
    import bm25s

    clock = Clock()
    terms = _terms()
    corpus = [terms(text) for text in texts]
    cut = clock()
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index(corpus, show_progress=False)
    built = clock()
    known = [[term for term in terms(query) if term in retriever.vocab_dict] for query in queries]
    found = [retriever.retrieve([each], k=DEPTH, show_progress=False) for each in known]
    pairs = [(each.documents[0].tolist(), each.scores[0].tolist()) for each in found[:COMPARED]]
    return clock.result(built, pairs) | {"cut_cpu_seconds": round(cut, 2)}


def with_rank_bm25(texts: Sequence[str], queries: Sequence[str], _: Path) -> dict[str, Any]:
    import rank_bm25

    clock = Clock()
    terms = _terms()
    found = rank_bm25.BM25Okapi([terms(text) for text in texts], k1=K1, b=B)
    built = clock()
    for query in queries[:FEW]:
        found.get_scores(terms(query))
    result = clock.result(built, [])
    result["search_cpu_seconds"] = round(result["search_cpu_seconds"] * len(queries) / FEW, 2)
    return result | {"estimated_from_queries": FEW}


class Clock:
    """Processor seconds of this process since it was started or last asked."""

    def __init__(self) -> None:
        self.last = time.process_time()

    def __call__(self) -> float:
        before, self.last = self.last, time.process_time()
        return self.last - before

    def result(self, built: float, rankings: list[Any]) -> dict[str, Any]:
        return {
            "build_cpu_seconds": round(built, 2),
            "search_cpu_seconds": round(self(), 2),
            "peak_megabytes": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
            "rankings": rankings,
        }


def _terms() -> Callable[[str], list[str]]:
    """Texts to terms as Litmus does it, each token analysed once."""
    from corpus.ranking.analysis import LUCENE, Analysis, term_maker, tokenise

    make, known = term_maker(Analysis(LUCENE, stop_words=False, stemmer="porter")), {}

    def terms(text: str) -> list[str]:
        tokens = tokenise(text, LUCENE)
        for token in tokens:
            if token not in known:
                known[token] = make(token)
        return [term for token in tokens if (term := known[token]) is not None]

    return terms


SYSTEMS = {"litmus": litmus, "bm25s": with_bm25s, "rank_bm25": with_rank_bm25}


def _one(name: str, source: Path, n_queries: int, folder: Path, answer: Any) -> None:
    texts = [json.loads(line) for line in source.open(encoding="utf-8")]
    try:
        answer.send(SYSTEMS[name](texts, list(queries_from(texts, n_queries)), folder))
    except ImportError:
        answer.send({"absent": name})


def agree(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of rankings whose scores are equal place by place; documents of equal scores may change places."""
    same = [
        len(a[1]) == len(b[1]) and all(abs(x - y) <= 1e-4 * max(1.0, abs(x)) for x, y in zip(a[1], b[1], strict=True))
        for a, b in zip(one, other, strict=True)
    ]
    return sum(same) / len(same) if same else 0.0


def measure(n_documents: int, n_queries: int) -> dict[str, Any]:
    found: dict[str, Any] = {"documents": n_documents, "queries": n_queries, "targets": TARGETS}
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts.jsonl"
        with source.open("w", encoding="utf-8") as target:
            for each in documents(n_documents, SHARED / "collection.tar.xz"):
                target.write(json.dumps(f"{each['title']} {each['abstract']}") + "\n")
        for name in SYSTEMS:
            here, there = multiprocessing.Pipe(duplex=False)
            process = multiprocessing.Process(target=_one, args=(name, source, n_queries, Path(folder), there))
            process.start()
            there.close()
            found[name] = here.recv()
            process.join()
    rankings = {name: found[name].pop("rankings", []) for name in SYSTEMS}
    found["equal_to_bm25s"] = agree(rankings["litmus"], rankings["bm25s"])
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=360_000)
    parser.add_argument("--queries", type=int, default=1_000)
    options = parser.parse_args()
    if not (SHARED / "collection.tar.xz").exists():
        print(json.dumps({"absent": str(SHARED / "collection.tar.xz")}))
        return 0
    print(json.dumps(measure(options.documents, options.queries)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

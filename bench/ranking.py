"""BM25 over a large collection: building and searching, next to bm25s and rank_bm25 at equal ranking.

Documents are real abstracts of ACM-CR, of which further ones are put together (see bench.pools); queries are 200 words
of one or more documents. All three read the texts from a file and cut them into the same terms, which is part of
building. rank_bm25 takes seconds for a query, so it answers a few and its time is multiplied; its formula is another
one (Okapi), with which Litmus answers the same queries for comparison, outside the time. Each runs in a process of its
own, whose peak memory is measured. Prints one JSON object.

    python -m bench.ranking [--documents 360000] [--queries 1000]
"""

import argparse
import json
import multiprocessing
import random
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

Texts = Callable[[], Iterator[str]]  # reads them, each time from the first one on


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


def litmus(texts: Texts, queries: Sequence[str], folder: Path) -> dict[str, Any]:
    from engines.ranking.analysis import LUCENE, Analysis
    from engines.ranking.index import Index, Settings, ShardWriter, finish
    from engines.ranking.scorers import BM25, OKAPI

    clock = Clock()
    settings = Settings(Analysis(LUCENE, stop_words=False, stemmer="porter"), K1, B)
    writer = ShardWriter(folder / "index" / "0", settings)
    writer.add(enumerate(texts()))
    writer.write()
    finish(folder / "index", settings, 1)
    index = Index(folder / "index")
    index.scores(BM25, "")
    clock.has_built()
    found = [index.search(BM25, query, DEPTH) for query in queries]
    result = clock.result([(hits.ids.tolist(), hits.scores.tolist()) for hits in found[:COMPARED]])
    okapi = [index.search(OKAPI, query, DEPTH) for query in queries[:FEW]]
    return result | {"okapi": [(hits.ids.tolist(), hits.scores.tolist()) for hits in okapi]}


def with_bm25s(texts: Texts, queries: Sequence[str], _: Path) -> dict[str, Any]:
    import bm25s

    clock = Clock()
    terms = _terms()
    retriever = bm25s.BM25(method="lucene", k1=K1, b=B)
    retriever.index([terms(text) for text in texts()], show_progress=False)
    clock.has_built()
    known = [[term for term in terms(query) if term in retriever.vocab_dict] for query in queries]
    found = [retriever.retrieve([each], k=DEPTH, show_progress=False) for each in known]
    return clock.result([(each.documents[0].tolist(), each.scores[0].tolist()) for each in found[:COMPARED]])


def with_rank_bm25(texts: Texts, queries: Sequence[str], _: Path) -> dict[str, Any]:
    import numpy as np
    import rank_bm25

    clock = Clock()
    terms = _terms()
    retriever = rank_bm25.BM25Okapi([terms(text) for text in texts()], k1=K1, b=B)
    clock.has_built()
    rankings = []
    for query in queries[:FEW]:
        scores = retriever.get_scores(terms(query))
        best = np.argsort(-scores, kind="stable")[:DEPTH]
        rankings.append((best.tolist(), scores[best].tolist()))
    return clock.result(rankings, times=len(queries) / FEW) | {"estimated_from_queries": FEW}


class Clock:
    """Seconds and processor seconds of this process, of building and of searching."""

    def __init__(self) -> None:
        self.marks = [(time.perf_counter(), time.process_time())]

    def has_built(self) -> None:
        self.marks.append((time.perf_counter(), time.process_time()))

    def result(self, rankings: list[Any], times: float = 1) -> dict[str, Any]:
        """What was measured; searching took so many times as long as it did here."""
        self.has_built()
        (start, start_cpu), (built, built_cpu), (end, end_cpu) = self.marks
        return {
            "build_seconds": round(built - start, 2),
            "build_cpu_seconds": round(built_cpu - start_cpu, 2),
            "search_seconds": round((end - built) * times, 2),
            "search_cpu_seconds": round((end_cpu - built_cpu) * times, 2),
            "peak_megabytes": peak_megabytes(),
            "rankings": rankings,
        }


def peak_megabytes() -> int:
    """The most that this process has held; `getrusage` would count what the process that started it had held."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return round(next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024)


def _terms() -> Callable[[str], list[str]]:
    """Texts to terms as Litmus does it, each token analysed once."""
    from engines.ranking.analysis import LUCENE, Analysis, term_maker, tokenise

    make, known = term_maker(Analysis(LUCENE, stop_words=False, stemmer="porter")), {}

    def terms(text: str) -> list[str]:
        tokens = tokenise(text, LUCENE)
        for token in tokens:
            if token not in known:
                known[token] = make(token)
        return [term for token in tokens if (term := known[token]) is not None]

    return terms


SYSTEMS = {"litmus": litmus, "bm25s": with_bm25s, "rank_bm25": with_rank_bm25}


def _one(name: str, source: Path, queries: list[str], folder: Path, answer: Any) -> None:
    def texts() -> Iterator[str]:
        with source.open(encoding="utf-8") as file:
            yield from map(json.loads, file)

    try:
        answer.send(SYSTEMS[name](texts, queries, folder))
    except ImportError:
        answer.send({"absent": name})


def agree(one: Sequence[Any], other: Sequence[Any]) -> float:
    """The share of rankings whose scores are equal place by place; documents of equal scores may change places."""
    same = [
        len(a[1]) == len(b[1]) and all(abs(x - y) <= 1e-4 * max(1.0, abs(x)) for x, y in zip(a[1], b[1], strict=True))
        for a, b in zip(one, other, strict=False)  # one may have been asked fewer queries
    ]
    return sum(same) / len(same) if same else 0.0


def measure(n_documents: int, n_queries: int) -> dict[str, Any]:
    found: dict[str, Any] = {"documents": n_documents, "queries": n_queries, "targets": TARGETS}
    spawned = multiprocessing.get_context("spawn")  # so that the memory measured is of one system alone
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "texts.jsonl"
        with source.open("w", encoding="utf-8") as target:
            for each in documents(n_documents, SHARED / "collection.tar.xz"):
                target.write(json.dumps(f"{each['title']} {each['abstract']}") + "\n")
        queries = _queries(source, n_queries)
        for name in SYSTEMS:
            here, there = multiprocessing.Pipe(duplex=False)
            process = spawned.Process(target=_one, args=(name, source, queries, Path(folder), there))
            process.start()
            there.close()
            found[name] = here.recv()
            process.join()
    rankings = {name: found[name].pop("rankings", []) for name in SYSTEMS}
    found["equal_to_bm25s"] = agree(rankings["litmus"], rankings["bm25s"])
    found["equal_to_rank_bm25"] = agree(found["litmus"].pop("okapi"), rankings["rank_bm25"])
    return found


def _queries(source: Path, count: int) -> list[str]:
    with source.open(encoding="utf-8") as file:
        return list(queries_from([json.loads(line) for line in file], count))


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

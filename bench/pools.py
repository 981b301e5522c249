"""Candidate pools: seconds and peak memory of searching a large collection by the recipe of DORIS-MAE.

The collection is made of the real abstracts of ACM-CR: beyond those there are, an abstract is the first half of one
and the second half of another, so that words and lengths stay real. Each document has categories and citations. The
topics are the real 100 queries of DORIS-MAE, the first 50 or all, each with a source paper. Every step is the command
a person would type, in a separate process. Prints one JSON object.

    python -m bench.pools [--documents 360000] [--queries 50]
"""

import argparse
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.transfers import SHARED, manage, servers, write_lines
from engines.formats.documents import read_documents
from engines.formats.jsonl_topics import write_jsonl_topics
from engines.formats.reading import read_topics
from engines.formats.records import DocumentRecord, TopicRecord

QUERIES = SHARED.parent / "doris-mae" / "queries.txt"
CATEGORIES = [
    f"cs.{name}" for name in "AI CL CR CV CY DB DC DL DM DS GT HC IR IT LG MA MM NE NI PL RO SE SI SY".split()
]
TARGETS = {"index_seconds": 180, "pools_seconds_50_queries": 60, "peak_megabytes": 4000}
SEED = 360


def documents(count: int, collection: Path) -> Iterator[dict[str, Any]]:
    """`count` documents with the words of real ones."""
    rng = random.Random(SEED)
    real = [
        (each.title, each.abstract)
        for each in read_documents(collection, "auto")
        if isinstance(each, DocumentRecord) and each.abstract
    ]
    for number in range(count):
        title, abstract = real[number % len(real)]
        if number >= len(real):
            title, other = rng.choice(real)
            abstract = f"{abstract[: len(abstract) // 2]} {other[len(other) // 2 :]}"
        yield {
            "docno": str(number),
            "title": title,
            "abstract": abstract,
            "categories": rng.sample(CATEGORIES, rng.choice((1, 1, 2, 3))),
            "citations": [str(rng.randrange(count)) for _ in range(rng.randrange(12))],
        }


def topics(count: int, documents: int) -> Iterator[str]:
    """The first `count` queries with one source paper each."""
    rng = random.Random(SEED)
    found = [each for each in read_topics(QUERIES, "auto") if isinstance(each, TopicRecord)]
    yield from write_jsonl_topics(
        replace(each, extra={"idea_from": [str(rng.randrange(documents))]}) for each in found[:count]
    )


def measure(environment: dict[str, str], folder: Path, n_documents: int, n_queries: int) -> dict[str, Any]:
    write_lines(folder / "documents.jsonl", documents(n_documents, SHARED / "collection.tar.xz"))
    (folder / "topics.jsonl").write_text("".join(topics(n_queries, n_documents)), encoding="utf-8")
    manage(environment, "create_collection", "bench", "--title", "Bench")
    imported = manage(environment, "import_documents", "bench", str(folder / "documents.jsonl"), "--json")
    manage(environment, "import_topics", "bench", str(folder / "topics.jsonl"))
    command = ("build_pools", "bench", "--recipe", "doris-mae", "--json")
    first = manage(environment, *command)
    again = manage(environment, *command)
    index = folder / "data" / "indexes"
    return {
        "import_documents": imported,
        "index_and_pools": first,
        "pools": again,
        "index_seconds": round(first["seconds"] - again["seconds"], 2),
        "index_megabytes": round(sum(path.stat().st_size for path in index.rglob("*") if path.is_file()) / 1e6),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=360_000)
    parser.add_argument("--queries", type=int, default=50)
    options = parser.parse_args()
    if not QUERIES.exists():
        print(json.dumps({"absent": "the shared data that the collection is made of"}))
        return 0
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    folder.chmod(0o755)
    try:
        with servers(folder / "data") as environment:
            found = measure(environment, folder, options.documents, options.queries)
        sizes = {"documents": options.documents, "queries": options.queries, "targets": TARGETS}
        print(json.dumps(sizes | found, indent=2))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""An index in shards, built and searched by one, two and four workers that share PostgreSQL, Valkey and a bucket.

Each worker is a process with a data folder to itself. Whatever their number, index and run file have the same bytes.
`built` is a run that needs an index first, `searched` one that finds it on the machines. With more workers than the
machine has cores, the times say nothing. Prints one JSON object.

    python -m bench.shards [--documents 20000] [--queries 300]
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

from bench.judging import servers

if TYPE_CHECKING:
    from corpus.models import Collection

WORKERS = (1, 2, 4)
SHARDS, DEPTH, WORDS = 8, 100, 120


def measure(folder: Path, n_documents: int, n_queries: int) -> list[dict[str, Any]]:
    """Seconds and hashes with each number of workers."""
    from django.test import override_settings

    from tests.buckets import bucket_settings, new_bucket, serving
    from tests.corpus.searching.test_shards import filled

    collection = filled(documents=n_documents, words=WORDS, topics=n_queries)
    found = []
    with serving(folder) as server:
        for workers in WORKERS:
            place, bucket = folder / f"{workers}", new_bucket(server)
            place.mkdir()
            with override_settings(INDEX_SHARD=-(-n_documents // SHARDS), **bucket_settings(bucket, place)):
                found.append({"workers": workers, **made_by(workers, place, bucket, collection)})
            print(json.dumps(found[-1]), file=sys.stderr)
    for kind in ("index_sha256", "run_sha256"):
        assert len({each[kind] for each in found}) == 1, f"{kind} depends on the number of workers: {found}"
    return found


def made_by(workers: int, place: Path, bucket: str, collection: "Collection") -> dict[str, Any]:
    """Two runs by this number of new workers on an empty bucket."""
    from django.conf import settings

    from accounts.files.shelf import shelf
    from tests.corpus.searching.test_shards import lines
    from tests.machines import machines

    names = [f"built-{workers}", f"searched-{workers}"]
    with machines(place, bucket, LITMUS_INDEX_SHARD=str(settings.INDEX_SHARD)) as started:
        for _ in range(workers):
            started.worker()
        seconds = [round(seconds_of(collection, name), 2) for name in names]
    index = sorted(name for name, _ in shelf().sizes() if not name.startswith("together"))
    assert sum(name.endswith("docs.npy") for name in index) == SHARDS, index
    runs = [sha256([lines(name).encode()]) for name in names]
    assert runs[0] == runs[1]
    content = (piece for name in index for piece in (name.encode(), *shelf().pieces(name)))
    return {
        "seconds_built": seconds[0],
        "seconds_searched": seconds[1],
        "index_sha256": sha256(content),
        "run_sha256": runs[0],
    }


def seconds_of(collection: "Collection", name: str) -> float:
    """How long the workers had the job of this run."""
    from accounts.models import JobState
    from tests.corpus.searching.test_shards import made
    from tests.processes import wait_for

    job = made(collection, name, "bm25", send=True, depth=DEPTH)

    def is_final() -> bool:
        job.refresh_from_db()
        return job.is_final

    wait_for(is_final, 600, "the run")
    assert job.state == JobState.DONE, job.reason
    assert job.started_at
    assert job.finished_at
    return (job.finished_at - job.started_at).total_seconds()


def sha256(pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    try:
        with servers(folder / "data"):
            found = measure(folder, options.documents, options.queries)
        for kind in ("built", "searched"):
            for each in found:
                each[f"ratio_{kind}"] = round(found[0][f"seconds_{kind}"] / each[f"seconds_{kind}"], 2)
        head = {"documents": options.documents, "queries": options.queries, "depth": DEPTH, "shards": SHARDS}
        print(json.dumps({**head, "cores": psutil.cpu_count(), "workers": found}, indent=2))
        return 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

"""Imports and exports: seconds and peak memory, on made-up data and, where it is there, on ACM-CR's whole collection.

Every step is the command a person would type, in a separate process, against embedded servers in a directory of
their own; peak memory is that process's. The BibTeX import is compared with pybtex, which only parses the same files
in the same run. Prints one JSON object.

    python bench/transfers.py [--rows 100000] [--collection FILE --exclude FILE]
"""

import argparse
import csv
import json
import os
import resource
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[1]
SHARED = CHECKOUT.parent / "shared" / "data" / "acm-cr"
WORDS = "retrieval of scientific abstracts by aspects judged twice with care and measured against one another".split()
TOPICS, ASPECTS = 20, 5
PYBTEX = """
import io, sys, tarfile, time
from pybtex.database.input import bibtex
started, entries = time.perf_counter(), 0
with tarfile.open(sys.argv[1]) as archive:
    for member in archive:
        if member.isfile():
            text = archive.extractfile(member).read().decode()
            entries += len(bibtex.Parser().parse_string(text).entries)
print(entries)
"""
# The servers stay up between the steps, so that no step pays for their start.
HOLD = "from config import embedded; from django.conf import settings; import sys\n"
HOLD += "with embedded.running(settings.DATA_DIR, settings.EMBEDDED_SERVERS):\n"
HOLD += "    print('ready', flush=True); sys.stdin.read()\n"


def measured(arguments: list[str], environment: dict[str, str]) -> dict[str, Any]:
    """Run it; seconds, those of its processor, megabytes at its peak, and what it printed as JSON, if it did."""
    started = time.perf_counter()
    with tempfile.TemporaryFile("w+") as out:
        child = subprocess.Popen(
            arguments, cwd=CHECKOUT, env=environment, stdout=out, stderr=subprocess.PIPE, text=True
        )
        errors = child.stderr.read() if child.stderr else ""
        _, status, usage = os.wait4(child.pid, 0)
        if os.waitstatus_to_exitcode(status) != 0:
            raise SystemExit(f"{' '.join(arguments[1:4])}: {errors}")
        out.seek(0)
        printed = out.read().strip()
    reported = json.loads(printed) if printed.startswith("{") else {}
    reported.pop("file", None)  # a path of this machine
    found: dict[str, Any] = {
        "seconds": round(time.perf_counter() - started, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_megabytes": round(usage.ru_maxrss / 1024),
    }
    return found | ({"reported": reported} if reported else {})


@contextmanager
def servers(data_dir: Path, database: str = "") -> Iterator[dict[str, str]]:
    """The environment of commands on migrated servers: embedded ones, or the PostgreSQL at this address."""
    environment = {**os.environ, "LITMUS_DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "config.settings"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    if database:
        environment |= {"DATABASE_URL": database, "LITMUS_SECRET_KEY": secrets.token_urlsafe(50)}
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD], cwd=CHECKOUT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        manage(environment, "migrate", "--verbosity", "0")
        yield environment
    finally:
        assert holder.stdin is not None
        holder.stdin.close()
        holder.wait(30)


def manage(environment: dict[str, str], *arguments: str) -> dict[str, Any]:
    return measured([sys.executable, "manage.py", *arguments], environment)


def text(number: int, words: int) -> str:
    return " ".join(WORDS[(number * 7 + place * place) % len(WORDS)] for place in range(words)).capitalize() + "."


def write_lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps(row) + "\n" for row in rows)


def transfer(environment: dict[str, str], folder: Path, rows: int) -> dict[str, Any]:
    """`rows` documents in, then `rows` judgments of one annotator in, and out again."""
    found: dict[str, Any] = {}
    write_lines(
        folder / "documents.jsonl",
        ({"docno": f"d{n}", "title": text(n, 9), "abstract": text(n, 150)} for n in range(rows)),
    )
    aspects = [{"text": f"The work is about thing {n}."} for n in range(ASPECTS)]
    write_lines(
        folder / "topics.jsonl", ({"number": str(n), "text": text(n, 40), "aspects": aspects} for n in range(TOPICS))
    )
    manage(environment, "create_collection", "bench", "--title", "Bench")
    found["import_documents"] = manage(
        environment, "import_documents", "bench", str(folder / "documents.jsonl"), "--json"
    )
    manage(environment, "import_topics", "bench", str(folder / "topics.jsonl"))
    depth = rows // (TOPICS * ASPECTS)
    pool = folder / "pool.txt"
    pool.write_text("".join(f"{topic} d{n}\n" for topic in range(TOPICS) for n in range(depth)))
    manage(environment, "import_pool", "bench", str(pool))
    found["build_items"] = manage(
        environment,
        "create_campaign",
        "bench",
        "Main",
        "--kind",
        "relevance",
        "--overlap",
        "1",
        "--strategy",
        "planned",
    )
    labels = folder / "labels.csv"
    with labels.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["annotator", "topic", "aspect", "docno", "criterion", "value"])
        for topic in range(TOPICS):
            for aspect in aspects:
                writer.writerows(["ann", topic, aspect["text"], f"d{n}", "relevance", n % 3] for n in range(depth))
    found["import_judgments"] = manage(environment, "import_judgments", "bench", "main", str(labels), "--json")
    for kind in ("judgments", "qrels"):
        extra = ["--annotators"] if kind == "qrels" else []
        out = folder / f"{kind}.out"
        found[f"export_{kind}"] = manage(
            environment, "export", "bench", "--format", kind, "--campaign", "main", *extra, "--out", str(out), "--json"
        )
    return found


def bibtex(environment: dict[str, str], collection: Path, exclude: Path) -> dict[str, Any]:
    """The whole collection into the database, and into the search, compared with pybtex merely parsing it."""
    pybtex = measured([sys.executable, "-W", "ignore", "-c", PYBTEX, str(collection)], environment)
    manage(environment, "create_collection", "acm", "--title", "ACM")
    ours = manage(environment, "import_documents", "acm", str(collection), "--exclude", str(exclude), "--json")
    searchable = manage(environment, "index_documents", "acm", "--json")
    return {
        "litmus_import": ours,
        "litmus_searchable": searchable,
        "pybtex_parse_only": pybtex,
        "ratio": round(pybtex["seconds"] / ours["seconds"], 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--collection", type=Path, default=SHARED / "collection.tar.xz")
    parser.add_argument("--exclude", type=Path, default=SHARED / "blacklist.txt")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    folder.chmod(0o755)
    try:
        with servers(folder / "data") as environment:
            found = {"rows": options.rows, **transfer(environment, folder, options.rows)}
            if options.collection.exists():
                found["bibtex"] = bibtex(environment, options.collection, options.exclude)
        found["idle_megabytes"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
        print(json.dumps(found, indent=2))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

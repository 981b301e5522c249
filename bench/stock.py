"""Litmus on a stock PostgreSQL: the road, votes and judging there and on the embedded one, in the same run.

A stock server is one that nobody has tuned: the newest PostgreSQL of the machine (else the embedded one's programs)
with the settings that `initdb` writes. What Litmus sets on its own connections (config/settings.py) it must get there
too; “without them” is the same server with them taken back. Prints one JSON object.

    python -m bench.stock [--rows 100000]
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from bench.bringing import road
from bench.transfers import CHECKOUT, manage, servers, text, write_lines

UNTUNED = "-c jit=on -c work_mem=4MB -c random_page_cost=4"  # of PostgreSQL itself; it ends what Litmus has said before
TOPICS, DEPTH = 20, 2_000  # pairs that three people have judged


def programs() -> Path:
    """The newest PostgreSQL that the system has, else that of the wheel."""
    from config.embedded.postgres import postgres_programs

    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else postgres_programs()


def version() -> str:
    """PostgreSQL and its major version."""
    said = subprocess.run([programs() / "postgres", "--version"], capture_output=True, text=True, check=True).stdout
    return f"PostgreSQL {said.rpartition(') ')[2].partition('.')[0]}"


@contextmanager
def stock_server(directory: Path) -> Iterator[str]:
    """A server below `directory` with an empty database: its DATABASE_URL. As root it runs as another user."""
    from config.embedded.servers import run_as, server_account

    account, where, data = server_account(directory / "none"), programs(), directory / "stock"
    data.mkdir()
    if account:
        os.chown(data, account.pw_uid, account.pw_gid)

    def call(*command: str, feed: str = "") -> None:
        subprocess.run(**run_as(account, list(command)), input=feed, text=True, stdout=subprocess.DEVNULL, check=True)

    call(str(where / "initdb"), "-D", str(data), "-U", "litmus", "-A", "trust", "-E", "UTF8", "--locale=C")
    call(str(where / "postgres"), "--single", "-D", str(data), "postgres", feed="CREATE DATABASE litmus;\n")
    options = f"-c listen_addresses= -c unix_socket_directories={data}"
    call(str(where / "pg_ctl"), "-D", str(data), "-w", "-l", str(data / "log"), "-o", options, "start")
    try:
        yield f"postgres://litmus@/litmus?host={quote(str(data))}"
    finally:
        call(str(where / "pg_ctl"), "-D", str(data), "-m", "fast", "stop")


def votes(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    """Labels of three people for DEPTH documents of each topic come in and are counted."""
    write_lines(folder / "few.jsonl", ({"docno": f"d{n}", "title": text(n, 9)} for n in range(DEPTH)))
    write_lines(folder / "queries.jsonl", ({"number": str(n), "text": text(n, 40)} for n in range(TOPICS)))
    pairs = [(topic, n) for topic in range(TOPICS) for n in range(DEPTH)]
    (folder / "pairs.txt").write_text("".join(f"{topic} d{n}\n" for topic, n in pairs))
    with (folder / "labels.csv").open("w") as labels:
        labels.write("annotator,topic,docno,criterion,value\n")
        for person in range(3):
            labels.writelines(f"p{person},{topic},d{n},relevance,{(n + person) % 3}\n" for topic, n in pairs)
    for arguments in (
        ("create_collection", "votes", "--title", "Votes"),
        ("import_documents", "votes", str(folder / "few.jsonl")),
        ("import_topics", "votes", str(folder / "queries.jsonl")),
        ("import_pool", "votes", str(folder / "pairs.txt")),
        ("create_campaign", "votes", "Main", "--kind", "relevance", "--overlap", "3", "--strategy", "planned"),
    ):
        manage(environment, *arguments)
    return {
        "labels": manage(environment, "import_judgments", "votes", "main", str(folder / "labels.csv"), "--json"),
        "votes": manage(environment, "adjudicate", "votes", "main", "--policy", "majority", "--ties", "median"),
    }


def measure(database: str, folder: Path, rows: int) -> dict[str, Any]:
    """Seconds of the road and of votes, and what a judgment costs; on the embedded server where `database` is “”."""
    folder.mkdir()
    with servers(folder / "data", database) as environment:
        steps = road(environment, folder, rows) | votes(environment, folder)
    judging = [sys.executable, "-m", "bench.judging", "--small", "--database", database]
    judged = json.loads(subprocess.run(judging, cwd=CHECKOUT, stdout=subprocess.PIPE, check=True).stdout)
    return {"seconds": {name: step["seconds"] for name, step in steps.items()}, "judging": judged["runs"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    rows = parser.parse_args().rows
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    folder.chmod(0o755)
    found: dict[str, Any] = {"rows": rows, "labels": 3 * TOPICS * DEPTH, "server": version(), "on": {}}
    try:
        found["on"]["embedded"] = measure("", folder / "embedded", rows)
        for name, options in {"stock": "", "untuned": f"&options={quote(UNTUNED)}"}.items():
            (folder / name).mkdir(mode=0o755)
            with stock_server(folder / name) as url:
                found["on"][name] = measure(url + options, folder / name / "work", rows)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps(found, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())

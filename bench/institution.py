"""Two hundred annotators on two web servers with a worker behind PgBouncer, against one web server, in the same run.

The one web server is that of `bench.judging`: eight annotators, directly on PostgreSQL. The institution's servers are
separate processes with separate data folders, behind PgBouncer in session mode, and again in transaction mode,
without prepared statements (as before PgBouncer 1.21). All share the cores of this machine with the load generator.
They are measured by turns; a ratio is that of the means. On a busy machine more processes get a larger share of it,
which flatters the institution. The ratio of processor times a judgment does not depend on that share. Prints one JSON
object.

    python -m bench.institution [--rounds 2] [--seconds 10] [--annotators 200]
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil

from bench.judging import CHECKOUT, WARM_UP, cpu_of, judge, servers, web_server
from bench.scenes import ANNOTATORS, build_scene

MANY = 200
WEB_SERVERS = 2
SESSIONS = {"session": 60, "transaction": 16}  # of PostgreSQL: in session mode as many as all pools hold
ITEMS = 2_000
LEAST_RATIO = 0.6


@contextmanager
def institution(folder: Path, mode: str) -> Iterator[list[int]]:
    """Two web servers and a worker behind PgBouncer in this mode; the ports of the web servers."""
    from django.conf import settings

    from tests.pgbouncer import pooled

    def environment(name: str) -> dict[str, str]:
        own = {"LITMUS_DATA_DIR": str(folder / name), "LITMUS_STATIC_ROOT": str(settings.STATIC_ROOT)}
        through = {"DATABASE_URL": bouncer, "LITMUS_TRANSACTION_POOLER": "1" if mode == "transaction" else ""}
        return own | through | {"REDIS_URL": settings.REDIS_URL, "LITMUS_SECRET_KEY": settings.SECRET_KEY}

    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--beat"]
    with ExitStack() as held:
        bouncer = held.enter_context(pooled(SESSIONS[mode], mode))
        worker = subprocess.Popen(command, cwd=CHECKOUT, stdout=sys.stderr, env=os.environ | environment("worker"))
        held.callback(worker.wait, 60)
        held.callback(worker.terminate)
        webs = [held.enter_context(web_server(**environment(f"web-{n}"))) for n in range(WEB_SERVERS)]
        yield [port for port, _ in webs]


def rate_of(
    ports: list[int], strategy: str, annotators: int, seconds: float, postgres: psutil.Process
) -> dict[str, float]:
    """Judgments a second of `annotators` people in a closed loop, spread over the web servers, and their waits."""
    scene = build_scene(ITEMS, strategy, annotators)
    until = [float("inf")]
    times: list[list[tuple[float, float, int]]] = [[] for _ in range(annotators)]
    threads = [
        threading.Thread(target=judge, args=(ports[n % len(ports)], scene, n, until, times[n]), daemon=True)
        for n in range(annotators)
    ]
    for thread in threads:
        thread.start()
    while not all(times):  # wait until everybody has judged once: from then on only judging is measured
        time.sleep(0.05)
    time.sleep(WARM_UP)
    warm, used = time.perf_counter(), cpu_of_servers(postgres)
    until[0] = warm + seconds
    for thread in threads:
        thread.join()
    used = cpu_of_servers(postgres) - used
    counted = [entry for one in times for entry in one if entry[0] >= warm]
    took = sorted(1000 * each for _, each, _ in counted)
    span = max(begin + each for begin, each, _ in counted) - warm
    check_nothing_lost(scene.path.split("/")[2], sum(map(len, times)))
    return {
        "judgments_per_second": len(counted) / span,
        "p50_ms": statistics.median(took),
        "p95_ms": took[int(0.95 * len(took))],
        "cpu_ms": 1000 * used / len(counted),
    }


def cpu_of_servers(postgres: psutil.Process) -> float:
    """Seconds of processor time of all servers: those that this process has started, and PostgreSQL."""
    return sum(map(cpu_of, [*psutil.Process().children(), postgres]))


def check_nothing_lost(slug: str, answered: int) -> None:
    """Each judgment that a web server has confirmed is there once."""
    from annotation.models import Judgment

    kept = Judgment.objects.filter(assignment__item__campaign__collection__slug=slug).count()
    assert kept == answered, f"{answered} judgments were confirmed, {kept} are there"


def measure(
    folder: Path, strategy: str, rounds: int, annotators: int, seconds: float, postgres: psutil.Process
) -> dict[str, Any]:
    found: dict[str, list[dict[str, float]]] = {"single": [], **{mode: [] for mode in SESSIONS}}
    for _ in range(rounds):
        with web_server() as (port, _web):
            found["single"].append(rate_of([port], strategy, ANNOTATORS, seconds, postgres))
        for mode in SESSIONS:
            with institution(folder, mode) as ports:
                found[mode].append(rate_of(ports, strategy, annotators, seconds, postgres))
        print(json.dumps({name: runs[-1] for name, runs in found.items()}), file=sys.stderr)
    means = {
        name: {key: round(statistics.mean(run[key] for run in runs), 1) for key in runs[0]}
        for name, runs in found.items()
    }
    for mode in SESSIONS:
        means[mode]["ratio"] = round(means[mode]["judgments_per_second"] / means["single"]["judgments_per_second"], 2)
        means[mode]["cpu_ratio"] = round(means["single"]["cpu_ms"] / means[mode]["cpu_ms"], 2)
    return {"strategy": strategy, **means}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--annotators", type=int, default=MANY)
    parser.add_argument("--strategies", nargs="*", default=["planned", "queue"], choices=["planned", "queue"])
    options = parser.parse_args()
    load = round(os.getloadavg()[1], 1)  # before: 200 annotators are a load themselves
    folder = Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    try:
        with servers(folder / "one") as postgres:
            sizes = (options.rounds, options.annotators, options.seconds)
            runs = [measure(folder, one, *sizes, postgres) for one in options.strategies]
        head = {"annotators": options.annotators, "web_servers": WEB_SERVERS, "least_ratio": LEAST_RATIO}
        print(json.dumps({**head, "load_before": load, "runs": runs}, indent=2))
        return int(any(run["session"]["ratio"] < LEAST_RATIO for run in runs))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())

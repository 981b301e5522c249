"""What a judgment costs: speed, processor time, statements and bytes of the labelling path, small and large.

Starts its own PostgreSQL, Redis and gunicorn in a separate directory, builds campaigns of 1,000 and 1,000,000 items
by SQL, and lets eight annotators judge in a closed loop over HTTP, from a plan and from an open queue. Processor times
are those of the process trees, load generator apart. Prints one JSON object; times in milliseconds.

    python -m bench.judging                        all four runs and the sizes (some minutes, mostly building)
    python -m bench.judging --items 1000           only the small campaigns
    python -m bench.judging --items                only the small campaigns without prepared statements
    python -m bench.judging --keep DIR             reuse the servers' data in DIR
    python -m bench.judging --small                only the small campaigns with prepared statements
    python -m bench.judging --database URL         on the PostgreSQL at that address
"""

import argparse
import contextlib
import json
import os
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil

from bench.scenes import ANNOTATORS, Scene, build_scene
from bench.wire import Wire, asked_for, decoded

CHECKOUT = Path(__file__).resolve().parents[1]
WARM_UP = 2.0  # seconds
FEW = 1_000  # items of the small campaign
TARGETS = {
    "judgments_per_second": 180,  # at least
    "p95_ms": 60,  # at most, as all below
    "cpu_ms": 8,
    "queries": 9,
    "first_load_bytes": 100_000,
    "next_item_bytes": 10_000,
    "key_to_next_ms": 100,
}


def in_hand(headers: dict[str, str], body: bytes) -> list[list[int]]:
    """The assignments of each unit that an answer deals."""
    return [[cell["assignment"] for cell in unit["cells"]] for unit in json.loads(decoded(headers, body))["units"]]


def judge(port: int, scene: Scene, number: int, until: list[float], times: list[tuple[float, float, int]]) -> None:
    """One annotator: judges what is dealt until the time is over; notes start, seconds and bytes of each judgment."""
    from django.conf import settings

    csrf = secrets.token_urlsafe(24).replace("-", "a").replace("_", "b")[:32]
    cookies = {settings.SESSION_COOKIE_NAME: scene.sessions[number], settings.CSRF_COOKIE_NAME: csrf}
    with Wire(port, cookies) as wire:
        status, headers, body = wire.request("GET", f"{scene.path}next/")
        assert status == 200, body[:500]
        hand = in_hand(headers, body)
        while hand and time.perf_counter() < until[0]:
            unit = hand.pop(0)
            submission = {
                "uuid": str(uuid.uuid4()), "assignment": unit[0], "kind": "answer", "base": None, "device": "keyboard",
                "answers": {"relevance": number % 3}, "reasons": {}, "note": "", "flagged": False, "guideline": 1,
                "active_ms": 5000, "away_ms": 0, "client_at": "2026-01-01T12:00:00Z",
            }  # fmt: skip
            sent = json.dumps({"submissions": [submission], "have": hand}).encode()
            start, before = time.perf_counter(), wire.received
            status, headers, body = wire.request(
                "POST", f"{scene.path}submissions/", sent, **{"Content-Type": "application/json", "X-CSRFToken": csrf}
            )
            times.append((start, time.perf_counter() - start, wire.received - before))
            assert status == 200, body[:500]
            hand += in_hand(headers, body)


# --- what it costs ---------------------------------------------------------------------------------------------------


def cpu_of(tree: psutil.Process) -> float:
    """Seconds of processor time of a process, its children, and those of them that have ended."""
    total = 0.0
    for process in [tree, *tree.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
            if process == tree:
                total += times.children_user + times.children_system
    return total


def run_scene(port: int, scene: Scene, web: psutil.Process, postgres: psutil.Process, seconds: float) -> dict[str, Any]:
    """Eight annotators in a closed loop; the first seconds warm up and are left out of the times."""
    queries = count_queries(scene)
    times: list[list[tuple[float, float, int]]] = [[] for _ in range(ANNOTATORS)]
    start = time.perf_counter()
    until = [start + WARM_UP + seconds]
    threads = [
        threading.Thread(target=judge, args=(port, scene, number, until, times[number])) for number in range(ANNOTATORS)
    ]
    for thread in threads:
        thread.start()
    time.sleep(WARM_UP)
    mine = psutil.Process()
    marks = [cpu_of(web), cpu_of(postgres), sum(mine.cpu_times()[:2])]
    warm = time.perf_counter()
    for thread in threads:
        thread.join()
    used = [cpu_of(web) - marks[0], cpu_of(postgres) - marks[1], sum(mine.cpu_times()[:2]) - marks[2]]
    counted = [entry for one in times for entry in one if entry[0] >= warm]
    span = max(begin + took for begin, took, _ in counted) - warm
    took = sorted(1000 * entry[1] for entry in counted)
    cpu = [1000 * each / len(counted) for each in used]
    return {
        "strategy": scene.strategy,
        "items": scene.items,
        "judgments": len(counted),
        "judgments_per_second": round(len(counted) / span, 1),
        "p50_ms": round(statistics.median(took), 2),
        "p95_ms": round(took[int(0.95 * len(took))], 2),
        "cpu_ms_web": round(cpu[0], 2),
        "cpu_ms_postgres": round(cpu[1], 2),
        "cpu_ms": round(cpu[0] + cpu[1], 2),
        "cpu_ms_load_generator": round(cpu[2], 2),
        "next_item_bytes": round(statistics.mean(entry[2] for entry in counted)),
        "next_item_bytes_most": max(entry[2] for entry in counted),
        "queries": queries,
    }


def count_queries(scene: Scene) -> int:
    """Statements of one judgment's request, from session to commit."""
    from django.conf import settings
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client = Client(HTTP_HOST="127.0.0.1")
    client.cookies[settings.SESSION_COOKIE_NAME] = scene.sessions[0]
    units = client.get(f"{scene.path}next/").json()["units"]
    first, *rest = [[cell["assignment"] for cell in unit["cells"]] for unit in units]
    data = {
        "submissions": [{"uuid": str(uuid.uuid4()), "assignment": first[0], "answers": {"relevance": 1}}],
        "have": rest,
    }
    with CaptureQueriesContext(connection) as captured:
        answer = client.post(f"{scene.path}submissions/", data, content_type="application/json")
    assert answer.status_code == 200, answer.content
    return len(captured)


def first_load(port: int, scene: Scene) -> dict[str, Any]:
    """Bytes over the wire of the labelling page with every stylesheet, script and module it asks for."""
    from django.conf import settings

    sizes: dict[str, int] = {}
    waiting = [scene.path]
    with Wire(port, {settings.SESSION_COOKIE_NAME: scene.sessions[0]}) as wire:
        while waiting:
            path = waiting.pop()
            if path in sizes:
                continue
            before = wire.received
            status, headers, body = wire.request("GET", path)
            assert status == 200, (path, status)
            sizes[path] = wire.received - before
            waiting += asked_for(path, decoded(headers, body))
    return {"first_load_bytes": sum(sizes.values()), "first_load_files": sizes}


WATCH = """() => {
  window.times = [];
  const press = (event) => { if (event.key === "Enter") window.pressed = performance.now(); };
  document.addEventListener("keydown", press, true);
  new MutationObserver(() => requestAnimationFrame(() => setTimeout(() => {
    window.times.push(performance.now() - window.pressed);
  }))).observe(document.querySelector("[data-part=title]"), { childList: true });
}"""


def key_to_next(address: str, scene: Scene, presses: int = 40) -> dict[str, float] | None:
    """Milliseconds from the submit key to the frame that shows the next item, in Chromium; None without Chromium."""
    from django.conf import settings
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        return None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--headless", "--no-sandbox"])
        context = browser.new_context(base_url=address)
        name, value = settings.SESSION_COOKIE_NAME, scene.sessions[1]
        context.add_cookies([{"name": name, "value": value, "url": address}])
        page = context.new_page()
        page.goto(scene.path)
        page.wait_for_selector("body[data-ready]")
        page.evaluate(WATCH)
        for number in range(presses):
            page.keyboard.press("1")
            page.keyboard.press("Enter")
            page.wait_for_function("count => window.times.length > count", arg=number)
        times = sorted(page.evaluate("window.times"))
        browser.close()
    return {"p50": round(statistics.median(times), 1), "p95": round(times[int(0.95 * len(times))], 1)}


# --- servers ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def servers(data_dir: Path, database: str = "") -> Iterator[psutil.Process]:
    """Migrated servers, embedded ones or the PostgreSQL at this address; PostgreSQL's process."""
    import django

    os.environ |= {"LITMUS_DATA_DIR": str(data_dir), "DJANGO_SETTINGS_MODULE": "config.settings"}
    for name in ("DATABASE_URL", "REDIS_URL"):
        os.environ.pop(name, None)
    if database:
        os.environ |= {"DATABASE_URL": database, "LITMUS_SECRET_KEY": secrets.token_urlsafe(50)}
    from django.conf import settings

    from config import embedded

    with embedded.running(data_dir, settings.EMBEDDED_SERVERS):
        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        call_command("collectstatic", verbosity=0, interactive=False)
        yield postgres_process()


@contextlib.contextmanager
def web_server(**settings: str) -> Iterator[tuple[int, psutil.Process]]:
    """A gunicorn with these environment variables: its port and its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py", "--bind", f"127.0.0.1:{port}"]
    web = subprocess.Popen(command, cwd=CHECKOUT, stdout=sys.stderr, env=os.environ | settings)
    try:
        wait_until_ready(port)
        yield port, psutil.Process(web.pid)
    finally:
        web.terminate()
        web.wait(30)


def wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, AssertionError), Wire(port, {}) as wire:
            if wire.request("GET", "/readyz")[0] == 200:
                return
        time.sleep(0.1)
    raise SystemExit("gunicorn does not answer")


def postgres_process() -> psutil.Process:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return psutil.Process(cursor.fetchone()[0]).parent() or psutil.Process()


def run(
    port: int, items: int, strategy: str, web: psutil.Process, postgres: psutil.Process, seconds: float
) -> dict[str, Any]:
    """Build a campaign and have it judged."""
    print(f"building {items:,} items, {strategy}", file=sys.stderr)
    found = run_scene(port, build_scene(items, strategy), web, postgres, seconds)
    print(json.dumps(found), file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="*", default=[FEW, 1_000_000])
    parser.add_argument("--strategies", nargs="*", default=["planned", "queue"], choices=["planned", "queue"])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--keep", type=Path, help="directory for the servers' data, kept afterwards")
    parser.add_argument("--small", action="store_true", help="only the small campaigns with prepared statements")
    parser.add_argument("--database", default="", help="DATABASE_URL of a PostgreSQL of this machine")
    options = parser.parse_args()
    data_dir = options.keep or Path(tempfile.mkdtemp(prefix="litmus-bench-"))
    try:
        with servers(data_dir.resolve(), options.database) as postgres:
            found: dict[str, Any] = {"annotators": ANNOTATORS, "targets": TARGETS}
            if options.small:
                with web_server() as (port, web):
                    found["runs"] = [run(port, FEW, one, web, postgres, options.seconds) for one in options.strategies]
                print(json.dumps(found, indent=2))
                return 0
            if options.items:
                with web_server() as (port, web):
                    scenes = [(items, strategy) for items in options.items for strategy in options.strategies]
                    found["runs"] = [run(port, *one, web, postgres, options.seconds) for one in scenes]
                    scene = build_scene(FEW, "planned")
                    found |= first_load(port, scene)
                    found["key_to_next_ms"] = key_to_next(f"http://127.0.0.1:{port}", scene)
            with web_server(LITMUS_TRANSACTION_POOLER="1") as (port, web):
                scenes = [(FEW, strategy) for strategy in options.strategies]
                found["unprepared"] = [run(port, *one, web, postgres, options.seconds) for one in scenes]
        print(json.dumps(found, indent=2))
    finally:
        if not options.keep:
            shutil.rmtree(data_dir, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What one PostgreSQL carries: the same work with 1, 10 and 30 million judgments in the database.

Grows one database (bench/sea.py) and measures at each size, on a campaign of 6,000 judgments and on one with half of
all: pages, jobs, an export, and judging over HTTP. Seconds depend on the machine and on what else it does; statements,
and buffers (pages of 8 kB that PostgreSQL looked at), do not. Writes docs/performance/size.json.

    python -m bench.size --keep DIR [--millions 1 10 30] [--only pages jobs judging]
"""

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.judging import run_scene, servers, web_server
from bench.scenes import build_scene
from bench.sea import collection_of, fill, grow
from bench.transfers import manage

ORDINARY = 2_000  # items
PAGES = {
    "dashboard": "",
    "quality and hours": "work/",
    "agreement": "agreement/",
    "adjudication": "adjudication/",
    "accepting votes": "adjudication/acceptance/?which=all",
    "items": "items/",
    "order of the queue": "assignment/order/",
}


def measured(work: Callable[[], Any]) -> dict[str, Any]:
    """Seconds, statements and buffers of what happens on this connection meanwhile."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    before, started = buffers(), time.perf_counter()
    with CaptureQueriesContext(connection) as captured:
        work()
    seconds = time.perf_counter() - started
    slowest = max(captured.captured_queries, key=lambda one: float(one["time"]), default={"sql": "", "time": 0})
    found = {"seconds": round(seconds, 3), "statements": len(captured), "buffers": buffers() - before}
    if float(slowest["time"]) > 1:
        found |= {"slowest": round(float(slowest["time"]), 1), "statement": " ".join(slowest["sql"].split())[:1500]}
    return found


def buffers() -> int:
    """Pages that all clients of the server have looked at so far; without the work of PostgreSQL's own processes
    (autovacuum)."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT sum(coalesce(hits, 0) + coalesce(reads, 0)) FROM pg_stat_io"
            " WHERE backend_type = 'client backend' AND object = 'relation'"
        )
        return int(cursor.fetchone()[0])


def apart(work: Callable[[], Any]) -> dict[str, Any]:
    """`measured` in a separate process, with the megabytes at its peak."""
    from django.urls import get_resolver

    from config.apps import close_pools

    len(get_resolver().url_patterns)  # imported once here: in each process this takes seconds, which are not the work's
    close_pools()  # else both processes would talk over one connection
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            found = measured(work)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            os.write(write, json.dumps({**found, "peak_megabytes": peak // 1024, "at_first": base // 1024}).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        text = said.read()
    os.waitpid(child, 0)
    return dict(json.loads(text)) if text else {"failed": True}


def pages(campaign: Any) -> dict[str, Any]:
    """Each page of a campaign as its manager opens it, the second time."""
    from django.test import Client

    from bench.scenes import people

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(people()[0], "django.contrib.auth.backends.ModelBackend")
    found = {}
    for name, address in PAGES.items():
        path = f"/c/{campaign.collection.slug}/campaigns/{campaign.slug}/{address}"
        if client.get(path).status_code == 200:
            found[name] = measured(lambda path=path: client.get(path))  # type: ignore[misc]
            say(name, found[name])
    return found


def jobs_of(campaign: Any, names: list[str]) -> dict[str, Any]:
    """Counting votes, twice; accepting all majorities; adding up the work; agreement; some or all of these."""
    from django.utils import timezone

    from accounts import jobs
    from adjudication.agreement.requests import request_agreement, request_vote
    from adjudication.following.counting import queue_count

    def vote() -> None:
        jobs.complete(request_vote(campaign=campaign, by=None, at=timezone.now(), send=False))

    def agree() -> None:
        options: dict[str, Any] = {"resamples": 1000, "send": False}
        jobs.complete(request_agreement(campaign=campaign, by=None, at=timezone.now(), **options))

    works: dict[str, Callable[[], Any]] = {
        "counting votes": vote,
        "counting votes again": vote,
        "accepting": lambda: accept(campaign),
        "quality and hours": lambda: jobs.complete(queue_count(campaign.pk, by=None, at=timezone.now())),
        "agreement": agree,
    }
    found = {}
    for name in names or works:
        found[name] = apart(works[name])
        say(name, found[name])
    return found


def accept(campaign: Any) -> None:
    from django.utils import timezone

    from accounts import jobs
    from adjudication.verdicts.acceptances import request_acceptance
    from bench.scenes import people

    chosen: dict[str, Any] = {"criterion": campaign.criteria.get(), "methods": ["majority"], "by": people()[0]}
    jobs.complete(request_acceptance(**chosen, at=timezone.now(), send=False))


def judging(postgres: Any) -> dict[str, Any]:
    """Eight people judge a campaign of 1,000 items next to all others, from a plan and from an open queue."""
    found = {}
    with web_server() as (port, web):
        for strategy in ("planned", "queue"):
            scene = build_scene(1000, strategy)
            time.sleep(11)
            before = buffers()
            run = run_scene(port, scene, web, postgres, 8)
            time.sleep(11)  # idle connections report what they looked at after ten seconds
            made = judged_in(scene)
            found[strategy] = {**run, "buffers_each": round((buffers() - before) / max(1, made))}
            say(f"judging, {strategy}", found[strategy])
    return found


def judged_in(scene: Any) -> int:
    from annotation.models import Judgment

    return Judgment.objects.filter(assignment__item__campaign__collection__slug=scene.path.split("/")[2]).count()


def say(name: str, found: dict[str, Any]) -> None:
    print(f"  {name}: {json.dumps({k: v for k, v in found.items() if k != 'statement'})}", file=sys.stderr, flush=True)


def newest(name: str) -> Any:
    """The campaign of the newest collection of that name."""
    from annotation.models import Campaign

    rows = Campaign.objects.select_related("collection").filter(collection__slug__startswith=name)
    return rows.order_by("-pk").first()


def sizes() -> dict[str, Any]:
    """Rows and megabytes with indexes of the hot tables."""
    from django.db import connection

    from bench.sea import HOT

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, reltuples::bigint, pg_total_relation_size(oid) / 1000000 FROM pg_class"
            " WHERE relname = ANY(%s)",
            [list(HOT)],
        )
        return {name: {"rows": rows, "megabytes": size} for name, rows, size in cursor.fetchall()}


def ordinary() -> Any:
    """A campaign of an ordinary size in a separate collection."""
    collection = collection_of("ordinary", 1, 6)
    fill(collection, ORDINARY)
    return newest("ordinary")


def look(only: list[str], names: list[str], postgres: Any, environment: dict[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {"tables": sizes(), "load_average": round(os.getloadavg()[1], 1)}
    out = Path(environment["LITMUS_DATA_DIR"]) / "export.csv"
    campaigns = {"ordinary": ordinary(), "huge": newest("huge")}
    if "judging" in only:
        found["judging"] = judging(postgres)
    for name, campaign in campaigns.items():
        print(name, file=sys.stderr)
        part = found.setdefault(name, {})
        if "jobs" in only:
            part["jobs"] = jobs_of(campaign, names if name == "huge" else [])
        if "pages" in only:
            part["pages"] = pages(campaign)
        if "exports" in only:
            options = ["--format", "judgments", "--campaign", campaign.slug, "--out", str(out)]
            part["export"] = manage(environment, "export", campaign.collection.slug, *options)
            part["export"]["megabytes"] = out.stat().st_size // 1_000_000
            out.unlink()
            say("export", part["export"])
    if "pages" in only:
        found["queue"] = pages(newest("queue"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, required=True, help="directory for the servers' data")
    parser.add_argument("--millions", type=float, nargs="*", default=[1, 10, 30])
    parser.add_argument("--only", nargs="*", default=["judging", "jobs", "pages", "exports"])
    parser.add_argument("--jobs", nargs="*", default=[], help="of the huge campaign; all where none is named")
    parser.add_argument("--grow", action="store_true", help="only fill the database")
    parser.add_argument("--results", type=Path, default=Path("docs/performance/size.json"))
    options = parser.parse_args()
    found: dict[str, Any] = json.loads(options.results.read_text()) if options.results.exists() else {}
    with servers(options.keep.resolve()) as postgres:
        for millions in options.millions:
            print(f"{millions} million", file=sys.stderr)

            have = sizes()["annotation_judgment"]["rows"]
            missing = int(millions * 1e6 - max(0, have))
            if missing > 100_000:
                grow(missing)
            if options.grow:
                continue
            size = found.setdefault(f"{millions:g}", {})
            size |= look(options.only, options.jobs, postgres, dict(os.environ))
            options.results.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""/metrics: the figures of operation, for Prometheus and for the page of staff.

Answered by a middleware above the doors, as the probes are: a program that collects has no session and calls
the machine by any name. It needs the token LITMUS_METRICS_TOKEN; without that setting the address does not exist.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare
from prometheus_client import CollectorRegistry, exposition
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from accounts.files import copies
from accounts.files.storage import FilesAway, files
from accounts.job_kinds import job_kinds
from accounts.models import JobState
from accounts.queues import Queue
from annotation.models import Submission
from config.watching.health import own_connection
from config.watching.queues import served_queues, waiting_messages
from config.watching.request_figures import OWN

PATH = "/metrics"
PATIENCE = 3  # seconds for each server


class FiguresMiddleware:
    """Answers /metrics and hands every other request on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info != PATH or not settings.METRICS_TOKEN:
            return self.get_response(request)
        if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
            refused = {"WWW-Authenticate": "Bearer"}
            return HttpResponse("The token is missing or wrong.", "text/plain", status=401, headers=refused)
        return HttpResponse(exposition.generate_latest(registry()), exposition.CONTENT_TYPE_PLAIN_0_0_4)


def registry() -> CollectorRegistry:
    """What all web processes counted, and what the servers say now."""
    everything = CollectorRegistry()
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        MultiProcessCollector(everything)
    else:
        everything.register(OWN)
    everything.register(ServerFigures())
    return everything


class ServerFigures(Collector):
    """What is asked of PostgreSQL, the queue and the disks at each call; a server that is away is said to be."""

    def collect(self) -> Iterable[Metric]:
        yield from _database()
        yield from _queue()
        yield _free()
        yield from _files()


def _gauge(name: str, meaning: str, values: Iterable[tuple[tuple[str, ...], float]], *labels: str) -> Metric:
    family = GaugeMetricFamily(f"litmus_{name}", meaning, labels=labels)
    for key, value in values:
        family.add_metric(key, value)
    return family


def _database() -> Iterator[Metric]:
    connection = own_connection()
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{PATIENCE}s"])
        found = [*_jobs(connection), *_sizes(connection)]
    except Error:
        found = []
    finally:
        connection.close()
    yield _gauge("database_up", "Whether PostgreSQL answered all of this in time.", [((), bool(found))])
    yield from found


def _jobs(connection: DatabaseWrapper) -> Iterator[Metric]:
    """Job states of all kinds, in one statement."""
    kinds = job_kinds()
    one = "SELECT %s, state, count(*), extract(epoch FROM now() - min(requested_at)) FROM {} GROUP BY state"
    rows = _rows(connection, " UNION ALL ".join(one.format(_table(kind.model)) for kind in kinds.values()), [*kinds])
    counts = [((kind, state), count) for kind, state, count, _ in rows]
    yield _gauge("jobs", "Background jobs on record, by kind and state.", counts, "kind", "state")
    waiting = [(kinds[kind].queue, count, age) for kind, state, count, age in rows if state == JobState.QUEUED]
    many = [((str(queue),), sum(count for name, count, _ in waiting if name == queue)) for queue in Queue]
    yield _gauge("waiting_jobs", "Background jobs that wait, by queue.", many, "queue")
    oldest = [((str(queue),), max((age for name, _, age in waiting if name == queue), default=0)) for queue in Queue]
    meaning = "How long the oldest job of each queue has waited; 0 where none waits."
    yield _gauge("oldest_waiting_job_seconds", meaning, oldest, "queue")


def _sizes(connection: DatabaseWrapper) -> Iterator[Metric]:
    statement = (
        "SELECT n_tup_ins, pg_database_size(current_database()) FROM pg_stat_user_tables WHERE relid = %s::regclass"
    )
    (stored, size), *_ = _rows(connection, statement, [Submission._meta.db_table])
    meaning = "Answers written by every door since PostgreSQL's statistics began, withdrawn ones included."
    yield CounterMetricFamily("litmus_answers_written", meaning, stored)
    yield _gauge("database_bytes", "Size of the database.", [((), size)])


def _rows(connection: DatabaseWrapper, statement: str, values: list[str]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return [tuple(row) for row in cursor.fetchall()]


def _table(model: type[Model]) -> str:
    return f'"{model._meta.db_table}"'


def _queue() -> Iterator[Metric]:
    from redis import RedisError

    try:
        found = waiting_messages(PATIENCE)
    except (RedisError, OSError):
        found = {}
    yield _gauge("queue_up", "Whether Redis answered.", [((), bool(found))])
    messages = [((str(queue),), many) for queue, many in found.items()]
    yield _gauge("queue_messages", "Messages that no worker has taken yet, by queue.", messages, "queue")
    meaning = "Workers that answered within a second, by the queues that they serve, each with its processes."
    yield _gauge("workers", meaning, _workers() if found else [], "queue")


def _workers() -> list[tuple[tuple[str, ...], float]]:
    """How many there are; nothing where the queue has gone away, as then nobody knows."""
    from kombu.exceptions import OperationalError

    try:
        served = served_queues(1).values()
    except (OperationalError, OSError):
        return []
    return [((str(queue),), sum(queue in queues for queues in served)) for queue in Queue]


def _free() -> Metric:
    places = {"arriving" if settings.BUCKET else "files": settings.MEDIA_ROOT, "indexes": settings.INDEX_DIR}
    found = [((name,), float(shutil.disk_usage(path).free)) for name, path in places.items() if Path(path).exists()]
    return _gauge("free_bytes", "Free space where files and indexes lie.", found, "place")


def _files() -> Iterator[Metric]:
    try:
        files.check()
        is_up = True
    except FilesAway:
        is_up = False
    yield _gauge("files_up", "Whether the folder or bucket of files can be used.", [((), is_up)])
    if settings.BUCKET:
        yield _gauge("local_copies_bytes", "Copies of files and indexes of the bucket here.", [((), copies.size())])

"""/healthz: this process answers. /readyz: it can do its work, with what is missing otherwise.

A middleware above all others and not a view: probes come without a session, by any host name and without TLS. They
need no thread of the others (config/web.py) and no connection of the pool, so that they answer whatever hangs.
"""

import threading
import time
from collections.abc import Callable

from django.conf import settings
from django.db import Error, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.http import HttpRequest, HttpResponse, JsonResponse

from accounts import broker, leaving
from accounts.files.storage import FilesAway, files
from config.tables import MIGRATE, migrations_applied, migrations_on_disk, unknown_migration

PATIENCE = 2.5  # seconds for all servers together
CONNECT_SECONDS = 2
AWAY = "not reachable"


class Probe:
    """A question that may hang, asked in a separate thread; while one answer is awaited nothing more is asked."""

    def __init__(self, ask: Callable[[], str]) -> None:
        self.ask = ask
        self.lock = threading.Lock()
        self.answer = AWAY
        self.ended = threading.Event()
        self.ended.set()

    def start(self) -> None:
        with self.lock:
            if self.ended.is_set():
                self.ended.clear()
                threading.Thread(target=self.run, daemon=True).start()

    def run(self) -> None:
        try:
            self.answer = self.ask()
        finally:
            self.ended.set()

    def result(self, seconds: float) -> str:
        return self.answer if self.ended.wait(seconds) else AWAY


class HealthMiddleware:
    """Answers the two probes and hands every other request on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.migrated = False  # once true it stays true for the code of this process
        self.database, self.redis = Probe(self.database_problem), Probe(redis_problem)
        self.files = Probe(files_problem)

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/healthz":
            return JsonResponse({"status": "ok"})
        if request.path_info == "/readyz":
            return self.readiness()
        return self.get_response(request)

    def readiness(self) -> HttpResponse:
        """503 where this web server is to end, or without the database: without Redis only jobs wait, without the
        bucket only files, and people continue to label."""
        if leaving.is_announced():
            return JsonResponse({"web": "ends"}, status=503)
        deadline = time.monotonic() + PATIENCE
        probes = {"database": self.database, "redis": self.redis} | ({"files": self.files} if settings.BUCKET else {})
        for probe in probes.values():
            probe.start()
        state = {name: probe.result(max(0, deadline - time.monotonic())) or "ok" for name, probe in probes.items()}
        return JsonResponse(state, status=200 if state["database"] == "ok" else 503)

    def database_problem(self) -> str:
        """Why the database cannot be used, or "". No detail of the connection is shown to strangers."""
        connection = own_connection()
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            # Not by Django's executor, which asks over a connection of the pool and keeps it.
            if not self.migrated:
                applied = migrations_applied(connection)
                if unknown_migration(applied):
                    return "made by a later version of Litmus"
                self.migrated = migrations_on_disk() <= applied
        except Error:
            return AWAY
        finally:
            connection.close()
        return "" if self.migrated else f"not migrated: run {MIGRATE}"


def own_connection() -> DatabaseWrapper:
    """A connection to the database of this process that comes from no pool, which may be empty for a long time."""
    parameters = connections["default"].settings_dict
    options = {name: value for name, value in parameters["OPTIONS"].items() if name != "pool"}
    return DatabaseWrapper(parameters | {"OPTIONS": options | {"connect_timeout": CONNECT_SECONDS}}, "default")


def redis_problem() -> str:
    """Why the queue cannot be used, or ""."""
    return "" if broker.answers() else f"{AWAY}: background jobs wait"


def files_problem() -> str:
    """Why the bucket cannot be used, or "". Its name is shown to nobody."""
    try:
        files.check()
    except FilesAway:
        return f"{AWAY}: uploads, papers and releases wait"
    return ""

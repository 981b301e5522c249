"""/healthz: this process answers. /readyz: it can do its work, with what is missing otherwise.

A middleware above all others and not a view: probes come without a session, by any host name and without TLS.
"""

from collections.abc import Callable

import redis
from django.core.cache import cache
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse


class HealthMiddleware:
    """Answers the two probes and hands every other request on."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.migrated = False  # once true it stays true for the code of this process

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == "/healthz":
            return JsonResponse({"status": "ok"})
        if request.path_info == "/readyz":
            return self.readiness()
        return self.get_response(request)

    def readiness(self) -> HttpResponse:
        problems = {"database": self.database_problem(), "redis": redis_problem()}
        state = {name: problem or "ok" for name, problem in problems.items()}
        return JsonResponse(state, status=503 if any(problems.values()) else 200)

    def database_problem(self) -> str:
        """Why the database cannot be used, or "". No detail of the connection is told to strangers."""
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
            if not self.migrated:
                executor = MigrationExecutor(connection)
                self.migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
        except Error:
            return "not reachable"
        finally:
            connection.close()
        return "" if self.migrated else "not migrated: run manage.py migrate"


def redis_problem() -> str:
    """Why Redis cannot be used, or ""."""
    try:
        cache.get("readiness")
    except (redis.RedisError, OSError):
        return "not reachable"
    return ""

"""What each web process counts: requests by page, how long they took, connections of the pool.

Where several processes serve (config/gunicorn.py), each writes into a file of `PROMETHEUS_MULTIPROC_DIR`, and whichever
answers adds them up. The library reads that variable when it is loaded, so it is loaded here and by nobody else.
"""

import time
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

OWN = CollectorRegistry()  # of this process
REQUESTS = Counter(
    "litmus_http_requests", "Web requests by page, method and status.", ["view", "method", "status"], registry=OWN
)
SECONDS = Histogram(
    "litmus_http_request_seconds",
    "Seconds until the answer began, by page.",
    ["view"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
    registry=OWN,
)
POOL = Gauge(
    "litmus_database_connections",
    "Connections of the pools of all web processes; waiting: requests that wait for one.",
    ["state"],
    multiprocess_mode="livesum",
    registry=OWN,
)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class RequestFiguresMiddleware:
    """Counts each request once it is answered."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = self.get_response(request)
        # Names of pages and known methods alone: what strangers make up would be kept for ever.
        view = request.resolver_match.view_name if request.resolver_match else ""
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(view or "none", method, response.status_code).inc()
        SECONDS.labels(view or "none").observe(time.perf_counter() - began)
        count_connections()
        return response


def count_connections() -> None:
    """Read the pool of this process; without one (tests, runserver) there is nothing to say."""
    if pool := getattr(connection, "pool", None):
        figures = pool.get_stats()
        size, free = figures.get("pool_size", 0), figures.get("pool_available", 0)
        POOL.labels("used").set(size - free)
        POOL.labels("free").set(free)
        POOL.labels("waiting").set(figures.get("requests_waiting", 0))

"""gunicorn's worker with threads: probes never wait behind other requests, and a connection that ends says so."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterable
from concurrent import futures
from typing import Any

from django.conf import settings
from gunicorn.http.errors import ParseException
from gunicorn.workers.gthread import _DEFER, TConn, ThreadWorker

PROBES = tuple(f"GET {site}/{name}".encode() for site in {"", settings.SITE_PATH} for name in ("healthz", "readyz"))
REST_SECONDS = 10  # that what is left of a refused upload may take to arrive


class Worker(ThreadWorker):
    """Two threads are kept for probes: the others may all be waiting, for a server that is away for example."""

    def init_process(self) -> None:
        self.probes = futures.ThreadPoolExecutor(max_workers=2)
        super().init_process()

    def load_wsgi(self) -> None:
        super().load_wsgi()
        self.wsgi = closing_after_refused_bodies(self.wsgi)  # type: ignore[has-type]

    def accept(self, listener: socket.socket) -> None:
        """Take a connection in; its request is looked at once it arrives."""
        try:
            client, address = listener.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        self.nr_conns += 1
        deferred: futures.Future[Any] = futures.Future()
        deferred.set_result(_DEFER)
        self.finish_request(TConn(self.cfg, client, address, listener.getsockname()), deferred)

    def set_accept_enabled(self, enabled: bool) -> None:
        """At the end listen no longer, so that who connects now is refused and does not wait for the last request."""
        super().set_accept_enabled(enabled)
        if not self.alive:
            for listener in self.sockets:
                listener.close()

    def handle(self, conn: TConn) -> Any:
        """Answer a request. Where the connection ends, what is left of the body is read first, as far as time allows.

        Else most clients, which read no answer before they have sent everything, would see a broken connection and
        not the reason. gunicorn reads 64 kB of it.
        """
        kept = super().handle(conn)
        if not kept and conn.parser is not None and not conn.is_http2:
            with contextlib.suppress(OSError, ParseException):
                conn.parser.finish_body(time.monotonic() + REST_SECONDS, float("inf"))
        return kept

    def enqueue_req(self, conn: TConn) -> None:
        """Hand a request that has begun to arrive to a thread."""
        threads = self.probes if is_probe(conn.sock) else self.tpool
        done = threads.submit(self.handle, conn)
        done.add_done_callback(lambda future: self.method_queue.defer(self.finish_request, conn, future))


def is_probe(client: socket.socket) -> bool:
    """Whether the bytes that wait to be read begin a probe."""
    with contextlib.suppress(OSError):  # gone, or nothing is there
        return client.recv(max(map(len, PROBES)), socket.MSG_PEEK | socket.MSG_DONTWAIT).startswith(PROBES)
    return False


def closing_after_refused_bodies(application: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """An upload that is refused before it was read ends its connection, and the answer says so.

    gunicorn promises to keep each connection and then closes those with much of a body left: the next request on it,
    of a program or a browser, was lost.
    """

    def answered(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        def start(*arguments: Any) -> Any:
            body = environ["wsgi.input"].reader
            if getattr(body, "length", 0) or getattr(body, "parser", None):  # `parser`: of a body sent in chunks
                start_response.__self__.force_close()  # type: ignore[attr-defined]  # a method of gunicorn's response
            return start_response(*arguments)

        return application(environ, start)

    return answered

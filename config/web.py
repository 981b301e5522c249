"""gunicorn's worker with threads, in which probes never wait behind other requests."""

import contextlib
import socket
from concurrent import futures
from typing import Any

from gunicorn.workers.gthread import _DEFER, TConn, ThreadWorker

PROBES = (b"GET /healthz", b"GET /readyz")


class Worker(ThreadWorker):
    """Probes have two threads of their own: the others may all be waiting, for a server that is away for example."""

    def init_process(self) -> None:
        self.probes = futures.ThreadPoolExecutor(max_workers=2)
        super().init_process()

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

    def enqueue_req(self, conn: TConn) -> None:
        """Hand a request that has begun to arrive to a thread."""
        threads = self.probes if is_probe(conn.sock) else self.tpool
        done = threads.submit(self.handle, conn)
        done.add_done_callback(lambda future: self.method_queue.defer(self.finish_request, conn, future))


def is_probe(client: socket.socket) -> bool:
    """Whether the bytes that wait to be read begin a probe."""
    with contextlib.suppress(OSError):  # gone, or nothing is there
        return client.recv(16, socket.MSG_PEEK | socket.MSG_DONTWAIT).startswith(PROBES)
    return False

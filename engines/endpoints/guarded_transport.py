"""How a guarded client connects: to an address that its guard has checked, without a proxy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

from engines.endpoints.connections import trusted
from engines.endpoints.guard import Guard


class GuardedTransport(httpx2.HTTPTransport):
    """As httpx connects, but only where the guard lets it. Certificates are still checked against the name."""

    def __init__(self, guard: Guard) -> None:
        super().__init__(verify=trusted(), trust_env=False)
        # httpx has no parameter for the backend; its pool is the public one of httpcore.
        self._pool = httpcore2.ConnectionPool(
            ssl_context=trusted(), max_connections=1_000, network_backend=_CheckedBackend(guard)
        )


class _CheckedBackend(httpcore2.SyncBackend):
    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        try:
            addresses = self.guard.addresses(host, port)
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        failed: httpcore2.NetworkError | httpcore2.TimeoutException = httpcore2.ConnectError("it has no address")
        for address in addresses:
            try:
                return super().connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed

"""How a guarded client connects: to an address that its guard has checked, without a proxy."""

from __future__ import annotations

import ssl
import time
from collections.abc import Iterable
from typing import Any

import httpcore2
import httpx2

from engines.endpoints.connections import trusted
from engines.endpoints.guard import Guard


class GuardedTransport(httpx2.HTTPTransport):
    """As httpx connects, but only where the guard lets it. Certificates are still checked against the name.

    With `seconds` a connection ends after that time, however slowly its bytes come.
    """

    def __init__(self, guard: Guard, seconds: float | None = None) -> None:
        super().__init__(verify=trusted(), trust_env=False)
        # httpx has no parameter for the backend; its pool is the public one of httpcore.
        self._pool = httpcore2.ConnectionPool(
            ssl_context=trusted(), max_connections=1_000, network_backend=_CheckedBackend(guard, seconds)
        )


class _CheckedBackend(httpcore2.SyncBackend):
    def __init__(self, guard: Guard, seconds: float | None) -> None:
        self.guard, self.seconds = guard, seconds

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
                stream = super().connect_tcp(address, port, timeout, local_address, socket_options)
                return stream if self.seconds is None else _EndingStream(stream, time.monotonic() + self.seconds)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failed = error
        raise failed


class _EndingStream(httpcore2.NetworkStream):
    """A connection that times out at a moment of `time.monotonic`. The time-out of a read ends with each byte."""

    def __init__(self, stream: httpcore2.NetworkStream, end: float) -> None:
        self.stream, self.end = stream, end

    def _within(self, timeout: float | None) -> float:
        left = self.end - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout
        return left if timeout is None else min(timeout, left)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self.stream.read(max_bytes, self._within(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.stream.write(buffer, self._within(timeout))

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _EndingStream(self.stream.start_tls(ssl_context, server_hostname, self._within(timeout)), self.end)

    def get_extra_info(self, info: str) -> object:
        return self.stream.get_extra_info(info)

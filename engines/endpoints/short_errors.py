"""Errors of an endpoint whose bodies never end."""

from __future__ import annotations

import time
from collections.abc import Iterator

import httpx2

LONGEST_ERROR = 64 << 10  # bytes of an error's body that are read
LONGEST_ERROR_SECONDS = 10.0


class _Beginning(httpx2.SyncByteStream):
    """The first bytes of a stream, whatever else would come."""

    def __init__(self, stream: httpx2.SyncByteStream) -> None:
        self.stream = stream

    def __iter__(self) -> Iterator[bytes]:
        left, until = LONGEST_ERROR, time.monotonic() + LONGEST_ERROR_SECONDS
        for chunk in self.stream:
            yield chunk[:left]
            left -= len(chunk)
            if left <= 0 or time.monotonic() > until:
                return

    def close(self) -> None:
        self.stream.close()


def keep_errors_short(response: httpx2.Response) -> None:
    """The client reads the body of an error whole before anybody sees it: one that never ends would block it."""
    if response.status_code >= 300 and isinstance(response.stream, httpx2.SyncByteStream):
        response.stream = _Beginning(response.stream)

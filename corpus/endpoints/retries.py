"""What the clients of all services share: failures in words, those worth another try, and answers that end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

LONGEST_PAUSE = 120.0  # seconds; a service that asks for more is given up on
WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504})
TICK = 0.2  # seconds between two looks at whether somebody cancelled


class EndpointError(Exception):
    """There is no answer; `reason` is for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Busy(EndpointError):
    """Worth another try: rate limit, server error, time-out, broken connection. `retry_after`: seconds, or None."""

    def __init__(self, reason: str, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.retry_after = retry_after


def nobody_cancels() -> None:
    """For a `check` that never stops anything."""


def rest_until(moment: float, check: Callable[[], None]) -> None:
    """Sleep until that moment of `time.monotonic`; `check` is called first and at each tick, and may raise to stop."""
    check()
    while (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, TICK))
        check()


def whole_number(text: str) -> int | None:
    """A whole number of seconds or requests as headers give it, None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


@contextmanager
def broken_connections(timeout: float) -> Iterator[None]:
    """Turn what httpx raises on the way into `Busy`."""
    import httpx2

    try:
        yield
    except httpx2.TimeoutException:
        raise Busy(f"nothing came within {timeout:g} seconds") from None
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        raise Busy(f"the connection failed ({type(error).__name__})") from None


def read_body(response: httpx2.Response, timeout: float, most_bytes: int, check: Callable[[], None]) -> bytes | None:
    """The body of an answer, None where it is longer than `most_bytes`.

    One that drips in may take three times as long as one may keep silent (`timeout`, seconds); then `Busy` is raised.
    """
    end = time.monotonic() + 3 * timeout
    held = bytearray()
    for piece in response.iter_bytes():
        check()
        held += piece
        if len(held) > most_bytes:
            return None
        if time.monotonic() > end:
            raise Busy(f"the answer was not whole after {3 * timeout:g} seconds")
    return bytes(held)

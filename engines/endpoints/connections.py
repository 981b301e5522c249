"""What the clients of all services share: certificates, failures in words, another try, and answers that end."""

from __future__ import annotations

import email.utils
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

if TYPE_CHECKING:
    import ssl

    import httpx2  # loaded when a service is asked, not by every process

    from engines.endpoints.guard import Guard

LONGEST_PAUSE = 120.0  # seconds; a service that asks for more is given up on
WORTH_ANOTHER_TRY = frozenset({408, 425, 429, 500, 502, 503, 504})
TICK = 0.2  # seconds between two looks at whether somebody cancelled
LONGEST_TIMES = 3  # an answer may take this many time-outs to arrive


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


class _Closable(Protocol):
    def close(self) -> None: ...


Client = TypeVar("Client", bound=_Closable)


class Connection(Generic[Client]):
    """An open connection to a service: a context manager that closes its client."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.client.close()


def open_client(timeout: float, headers: Mapping[str, str], guard: Guard | None = None) -> httpx2.Client:
    """A client that reads JSON, follows no redirects and waits so many seconds for a byte, at most 10 to connect.

    What it may connect to is for the `guard` to say (None: for the operator, who has typed the address).
    """
    import httpx2

    return httpx2.Client(
        timeout=httpx2.Timeout(timeout, connect=min(timeout, 10.0)),
        headers={"Accept": "application/json", **headers},
        **ways_to_connect(guard),
    )


def ways_to_connect(guard: Guard | None) -> dict[str, Any]:
    """Arguments of every client: no redirects; with a guard no proxies, which would resolve names themselves."""
    if guard is None:
        return {"follow_redirects": False, "verify": trusted()}
    from engines.endpoints.guarded_transport import GuardedTransport

    return {"follow_redirects": False, "transport": GuardedTransport(guard), "trust_env": False}


def trusted() -> ssl.SSLContext:
    """What the system trusts (or `SSL_CERT_FILE`), read once for all clients of the process: it takes 40 ms.

    A worker lives for weeks: it reads the file again when somebody has replaced it.
    """
    import ssl

    paths = ssl.get_default_verify_paths()
    return _read_certificates(
        tuple((path, Path(path).stat().st_mtime_ns) for path in (paths.cafile, paths.capath) if path)
    )


@lru_cache(maxsize=1)
def _read_certificates(_changed_at: tuple[tuple[str, int], ...]) -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context()


def nobody_cancels() -> None:
    """The `check` of work that nobody can cancel."""


def rest_until(moment: float, check: Callable[[], None]) -> None:
    """Sleep until that moment of `time.monotonic`; `check` is called first and at each tick, and may raise to stop."""
    check()
    while (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, TICK))
        check()


def whole_number(text: str) -> int | None:
    """A whole number of seconds or requests as headers give it, None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def retry_after(headers: Mapping[str, str], longest: float) -> float | None:
    """Seconds to wait as a server asks for, at most the longest, from either form of Retry-After (RFC 9110, 10.2.3)."""
    written = headers.get("retry-after")
    if not written:
        return None
    try:
        seconds = float(written)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(written).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), longest) if not math.isnan(seconds) else None


def object_in(value: object) -> Mapping[str, Any]:
    """A JSON object in an answer, an empty one for anything else."""
    return value if isinstance(value, dict) else {}


@contextmanager
def broken_connections(timeout: float) -> Iterator[None]:
    """Turn what httpx raises on the way into `Busy`."""
    import httpx2

    try:
        yield
    except httpx2.TimeoutException:
        raise Busy(f"no answer within {timeout:g} seconds") from None
    except (httpx2.TransportError, httpx2.DecodingError) as error:
        raise Busy(f"the connection failed ({type(error).__name__})") from None


def read_body(
    pieces: Iterable[bytes],
    most_bytes: int,
    seconds: float,
    *,
    since: float | None = None,
    check: Callable[[], None] = nobody_cancels,
) -> bytes | None:
    """The body of an answer, None where it is longer than `most_bytes`.

    One that drips in for more than so many seconds, from now or from `since` (`time.monotonic`), raises `Busy`.
    """
    end = (time.monotonic() if since is None else since) + seconds
    body = bytearray()
    for piece in pieces:
        check()
        body += piece
        if len(body) > most_bytes:
            return None
        if time.monotonic() > end:
            raise Busy(f"the answer was not complete after {seconds:g} seconds")
    return bytes(body)

"""A message posted to an address that somebody typed: no redirects, bounded time, the beginning of the answer."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engines.endpoints.connections import EndpointError, retry_after
from engines.endpoints.guard import Guard

LONGEST_SECONDS = 15.0  # from the connection to the end of the answer
LONGEST_ANSWER = 1_000  # bytes of its body that are read
LONGEST_RETRY_AFTER = 24 * 3600.0  # seconds; who asks for more is asked again after this


@dataclass(frozen=True, slots=True)
class Posted:
    """What became of it. `status` is None where no answer came, for which `problem` has the reason, for people."""

    status: int | None = None
    answer: str = ""  # the beginning of the body
    problem: str = ""
    retry_after: float | None = None  # seconds
    seconds: float = 0.0


def post(
    address: str, body: bytes, headers: Mapping[str, str], guard: Guard, *, seconds: float = LONGEST_SECONDS
) -> Posted:
    """Post the body where the guard lets it. What comes after the status and the first bytes is not waited for."""
    import httpx2

    from engines.endpoints.guarded_transport import GuardedTransport

    started, problem = time.monotonic(), ""
    try:
        with (
            httpx2.Client(transport=GuardedTransport(guard, seconds), trust_env=False, timeout=seconds) as client,
            client.stream("POST", address, content=body, headers={"Accept-Encoding": "identity", **headers}) as answer,
        ):
            return Posted(
                answer.status_code,
                _beginning(answer.iter_raw()).decode("utf-8", "replace").replace("\0", "\ufffd"),
                retry_after=retry_after(answer.headers, LONGEST_RETRY_AFTER),
                seconds=round(time.monotonic() - started, 3),
            )
    except EndpointError as error:
        problem = error.reason
    except httpx2.TimeoutException:
        problem = f"no answer within {seconds:g} seconds"
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        problem = f"the connection failed: {str(error)[:200] or type(error).__name__}"
    return Posted(problem=problem, seconds=round(time.monotonic() - started, 3))


def _beginning(pieces: Iterable[bytes]) -> bytes:
    """The first bytes of a body; less of one that breaks off or comes too slowly, since the status has come."""
    import httpx2

    found = bytearray()
    try:
        for piece in pieces:
            found += piece
            if len(found) >= LONGEST_ANSWER:
                break
    except httpx2.HTTPError:
        pass
    return bytes(found[:LONGEST_ANSWER])

"""HTTP to a repository of data: a client that sends files, and keeps its token to itself.

The token goes to the origin of the service alone: redirects are never followed, and addresses that the service names
on other hosts (storage with signed addresses) are asked without it. It is taken out of every text that is reported.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import urlsplit

from engines.endpoints.connections import (
    LONGEST_PAUSE,
    LONGEST_TIMES,
    WORTH_ANOTHER_TRY,
    Busy,
    Connection,
    EndpointError,
    broken_connections,
    nobody_cancels,
    object_in,
    open_client,
    read_body,
    rest_until,
    whole_number,
)
from engines.formats.characters import carriable

if TYPE_CHECKING:
    import httpx2  # loaded when something is sent, not by every process

PIECE = 256 * 1024  # bytes sent at a time
MOST_BYTES = 20_000_000  # of an answer
LONGEST_MESSAGE = 300  # characters of what a service says

T = TypeVar("T")

is_token = re.compile(r"[!-~]{8,512}").fullmatch


@dataclass(frozen=True, slots=True)
class Service:
    """Where a service is and how it is asked: seconds without a byte, tries, seconds before the second try."""

    name: str
    base_url: str
    token: str = field(repr=False)
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 1.0


@dataclass(frozen=True, slots=True)
class Upload:
    """A file to send: its name there, size in bytes, SHA-256 in hex, and its content in pieces, as often as asked."""

    path: str
    size: int
    sha256: str
    pieces: Callable[[], Iterator[bytes]]

    @classmethod
    def of_file(cls, path: str, file: Path) -> Self:
        """A file on this disk."""
        digest, total = sha256(), 0
        for piece in pieces_of(file):
            digest.update(piece)
            total += len(piece)
        return cls(path, total, digest.hexdigest(), lambda: pieces_of(file))


def pieces_of(file: Path) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    with file.open("rb") as opened:
        while piece := opened.read(PIECE):
            yield piece


class SendingFailed(EndpointError):
    """The service did not take it; `reason` is for people and never holds the token."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came: status, headers, and the body where it is JSON, else None."""

    status: int
    headers: Mapping[str, str]
    data: Any


class Sender(Connection["httpx2.Client"]):
    """An open connection to a service; a context manager, for one thread.

    `sent(bytes)` is called for each piece of a file on its way, with a negative number where a try did not count;
    `check` before each request and several times a second in pauses. Both may raise to stop.
    """

    def __init__(
        self, service: Service, sent: Callable[[int], None] = lambda _: None, check: Callable[[], None] = nobody_cancels
    ) -> None:
        super().__init__(open_client(service.timeout, {"User-Agent": "Litmus/1.0"}))
        self.service = service
        self.sent = sent
        self.check = check

    def ask(
        self,
        method: str,
        address: str,
        *,
        value: Any = None,
        content: Callable[[], Iterable[bytes]] | None = None,
        headers: Mapping[str, str] | None = None,
        accepted: frozenset[int] = frozenset(),
        once: bool = False,
        counted: bool = True,
    ) -> Answer:
        """Ask the service, or an address that it named; with `value` as JSON or `content` in pieces.

        Statuses below 300 and those in `accepted` are answers. `once`: what would be done twice if it were asked again
        after an answer was lost. `counted`: whether `sent` is called for the pieces. Raises `SendingFailed`.
        """
        url = address if "://" in address else self.service.base_url + address
        reason = ""
        attempts = 1 if once else self.service.attempts
        sent = self.sent if counted else lambda _: None
        for attempt in range(attempts):
            self.check()
            try:
                answer = self._ask(method, url, value=value, content=content, headers=headers or {}, sent=sent)
            except Busy as busy:
                reason = busy.reason
                pause = self.service.pause * 2**attempt if busy.retry_after is None else busy.retry_after
                if pause > LONGEST_PAUSE or attempt + 1 == attempts:
                    break
                rest_until(time.monotonic() + pause, self.check)
                continue
            if answer.status >= 300 and answer.status not in accepted:
                raise SendingFailed(self.refusal(answer))
            return answer
        raise SendingFailed(
            f"{self.service.name} could not be reached: {reason}. What was sent stays there. Publish again when the"
            " service is back: files that arrived are not sent again."
        )

    def refusal(self, answer: Answer) -> str:
        """Why the service did not do what was asked, and what to do."""
        name, message = self.service.name, self._message(answer.data)
        quoted = f" {name} says: “{message}”." if message else ""
        if 300 <= answer.status < 400:
            return (
                f"{name} sent us to another address, and the token was not sent there. The operator of this Litmus"
                " checks the address of the service (docs/configuration.md)."
            )
        if answer.status in (402, 413, 507) or (answer.status in (400, 403) and _is_quota(message)):
            return f"{name} has no room for it in this account: its storage limit is reached.{quoted} Free some space."
        if answer.status == 401:
            return f"{name} does not know this token. Check that it was copied whole and has not expired.{quoted}"
        if answer.status == 403:
            return f"The token does not allow this at {name}. Make one that may write.{quoted}"
        return f"{name} refused with status {answer.status}.{quoted}"

    def message_in(self, error: Any) -> str:
        """What the service says in an error, bounded, on one line and without the token. HTML is not repeated."""
        return self._message(error if isinstance(error, dict) else {"error": error})

    def without_token(self, text: str) -> str:
        """The text with the token taken out."""
        return text.replace(self.service.token, "[token]") if self.service.token else text

    def is_own(self, url: str) -> bool:
        """Whether an address is on the service itself, to which alone the token goes."""
        return _origin(url) == _origin(self.service.base_url)

    # --- one request --------------------------------------------------------------------------------------------------

    def _ask(
        self,
        method: str,
        url: str,
        *,
        value: Any,
        content: Callable[[], Iterable[bytes]] | None,
        headers: Mapping[str, str],
        sent: Callable[[int], None],
    ) -> Answer:
        import httpx2

        body: dict[str, Any] = {} if value is None else {"json": value}
        counted = 0

        def pieces() -> Iterator[bytes]:
            nonlocal counted
            for piece in content() if content else ():
                self.check()
                yield piece
                counted += len(piece)
                sent(len(piece))

        if content is not None:
            body = {"content": pieces()}
        headers = {**headers, **self._credentials(url)}
        try:
            with (
                broken_connections(self.service.timeout),
                self.client.stream(method, url, headers=headers, **body) as response,
            ):
                return self._answer(response)
        except EndpointError:
            sent(-counted)
            raise
        except (httpx2.InvalidURL, UnicodeError, ValueError):
            raise SendingFailed(f"{self.service.name} named an address that is none.") from None

    def _credentials(self, url: str) -> dict[str, str]:
        """The token for the service; elsewhere none, and no unsafe way."""
        if self.is_own(url):
            return {"Authorization": f"Bearer {self.service.token}"}
        if urlsplit(url).scheme != "https" and urlsplit(self.service.base_url).scheme == "https":
            raise SendingFailed(f"{self.service.name} named an address without encryption, so nothing was sent there.")
        return {}

    def _answer(self, response: httpx2.Response) -> Answer:
        status = response.status_code
        if status in WORTH_ANOTHER_TRY:
            raise Busy(f"it answered with status {status}", whole_number(response.headers.get("retry-after", "")))
        return Answer(status, dict(response.headers), self._json(response))

    def _json(self, response: httpx2.Response) -> Any:
        """The body as JSON, None for anything else."""
        seconds = LONGEST_TIMES * self.service.timeout
        body = read_body(response.iter_bytes(), MOST_BYTES, seconds, check=self.check)
        if body is None:
            raise SendingFailed(f"{self.service.name} sent more than {MOST_BYTES // 1_000_000} MB as an answer.")
        try:
            return json.loads(body.decode())
        except (ValueError, RecursionError):
            return None

    def _message(self, data: Any) -> str:
        """What the service says in its error, on one line. Pages of HTML are not repeated."""
        found = object_in(data)
        texts = [str(found.get(key)) for key in ("error", "message") if isinstance(found.get(key), str)]
        each = found.get("errors")
        for one in each if isinstance(each, list) else ():
            if isinstance(one, dict):
                texts += [f"{one.get('field', '')}: {one.get('message') or one.get('messages') or ''}".lstrip(": ")]
        message = " ".join(self.without_token(carriable(" ".join(texts))).split())
        return message[:LONGEST_MESSAGE].rstrip(". ")

    def part(self, data: Any, name: str, kind: type[T]) -> T:
        """What stands in an answer under a name. Raises `SendingFailed` where it is not there or of another kind."""
        value = object_in(data).get(name)
        if not isinstance(value, kind):
            raise self.bad_answer()
        return value

    def bad_answer(self) -> SendingFailed:
        """For an answer without what it should hold, such as a page of HTML."""
        return SendingFailed(
            f"{self.service.name} sent something that is no answer, such as a page of a proxy."
            " Publish again later; if it stays so, the operator of this Litmus checks the address of the service."
        )


def _origin(url: str) -> tuple[str, str, int | None]:
    try:
        parts = urlsplit(url)
        port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
        return parts.scheme, parts.hostname or "", port
    except ValueError:
        return "", "", None


def _is_quota(message: str) -> bool:
    return bool(re.search(r"quota|storage limit|limit reached|exceeds|no space|too large", message, re.IGNORECASE))

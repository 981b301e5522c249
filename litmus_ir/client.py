"""A client of the REST API for scripts and notebooks: `from litmus_ir import Client`.

It knows no operation by itself: what there is, and what each takes, is what the server says of itself (OpenAPI).
"""

import importlib
import os
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx2

from litmus_ir.description import Arguments, Description, Operation, Schema, Unknown

__all__ = ["Client", "Job", "JobCancelled", "JobFailed", "JobTimedOut", "NoAnswer", "Refused", "Rows", "Unknown"]

LOOPBACK = {"localhost", "127.0.0.1", "::1"}
PAGE = 1000  # rows asked for at once
MOST_TRIES, MOST_LEADS = 5, 5
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0  # seconds between two questions about a job, or two tries
BUSY = (429, 503)
DTYPES = {"integer": "Int64", "number": "Float64", "boolean": "boolean"}  # of pandas; values may be missing
Progress = Callable[[int, int], object]  # what is done, and of how much
Found = TypeVar("Found")


class Refused(Exception):
    """The server's words; `status` as in HTTP, `errors` by field, `answer` all that it said."""

    def __init__(self, status: int, answer: Any) -> None:
        found = answer if isinstance(answer, dict) else {}
        self.status, self.answer, self.errors = status, answer, found.get("errors", {})
        by_field = [f"{name}: {' '.join(words)}" for name, words in self.errors.items()]
        of_parts = [part.get("reason") for part in found.get("results", ())]
        super().__init__(" ".join(filter(None, [found.get("detail"), *by_field, *of_parts])) or f"HTTP {status}")


class NoAnswer(Exception):
    """The server cannot be reached, leads elsewhere, or answers with what is not its own."""


class Job(dict[str, Any]):
    """What the server says of work in the background, and how that was asked for."""

    def __init__(self, record: Arguments, operation: Operation, path: Arguments, address: str = "") -> None:
        super().__init__(record)
        self.operation, self.path, self.address = operation, path, address


class JobFailed(Exception):
    """For the reason that the server gives; `job` is its last state."""

    words = "The job failed."

    def __init__(self, job: Job) -> None:
        self.job = job
        super().__init__(" ".join(filter(None, [self.words, job.get("reason")])))


class JobCancelled(JobFailed):
    words = "The job was cancelled."


class JobTimedOut(JobFailed, TimeoutError):
    words = "The job is not done yet. It goes on: wait for it again, or cancel it."


class Rows:
    """The rows of a list, asked for page by page as they are taken; each time from the beginning."""

    def __init__(self, client: "Client", operation: Operation, arguments: Arguments) -> None:
        self._client, self._operation = client, operation
        self._arguments = ({"page_size": PAGE} if "page_size" in operation.queries else {}) | dict(arguments)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        arguments = dict(self._arguments)
        while True:
            page = self._client._asked(self._operation, arguments).json()
            if isinstance(page, list):
                yield from page
                return
            yield from page["results"]
            if not page["next"]:
                return
            # Of the address only the place in the list is taken: behind a proxy it may name another host.
            arguments["cursor"] = httpx2.URL(page["next"]).params["cursor"]

    def frame(self) -> Any:
        """A data frame of pandas: texts and ids are `string`, numbers `Int64` and `Float64`, times in UTC, lists as
        they are. Errors: ImportError where there is no pandas."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as error:
            raise ImportError("A data frame needs pandas: pip install pandas. Rows can be read without it.") from error
        described, rows = self._client.description, list(self)
        shapes = described.resolved(described.row(self._operation.answer)).get("properties", {})
        columns = {name: ([row.get(name) for row in rows], described.resolved(shapes[name])) for name in shapes}
        return pandas.DataFrame({name: _column(pandas, name, *found) for name, found in columns.items()})


class Client:
    """A person's access to a Litmus at `address`, by a token of the page “API tokens”.

    An answer may take `timeout` seconds, and a busy server is waited for by `patience`. Errors: ValueError for an
    address by which others could read the token: plain http to another machine, unless `allow_plain_http` is said.
    """

    def __init__(
        self,
        address: str,
        *,
        token: str,
        timeout: float = 120.0,
        patience: float = 120.0,
        allow_plain_http: bool = False,
    ) -> None:
        self._site, self._patience = httpx2.URL(address.rstrip("/")), patience
        if self._site.scheme not in ("http", "https") or not self._site.host:
            raise ValueError("Give the address as https://litmus.example.org.")
        if self._site.scheme == "http" and self._site.host not in LOOPBACK and not allow_plain_http:
            raise ValueError("Others on the way could read the token: use https, or say allow_plain_http=True.")
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, */*;q=0.5"}
        self._http = httpx2.Client(headers=headers, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    @cached_property
    def description(self) -> Description:
        """What the server can do, asked for once."""
        return Description(_trying(lambda: self._whole("get", "/api/schema/", {})).json())

    def call(self, operation: str, /, **arguments: Any) -> Any:
        """What the operation answers: JSON, or the bytes of a file. Where it starts work in the background, a `Job` or
        a list of them. Files are given by their paths. Errors: Unknown, Refused, NoAnswer."""
        return self._called(self.description.operation(operation), arguments)

    def rows(self, operation: str, /, **arguments: Any) -> Rows:
        """The rows of an operation that lists. Errors: Unknown also where it does not."""
        found = self.description.operation(operation)
        found.check(arguments)
        if found.method != "get" or not self.description.row(found.answer):
            raise Unknown(f"{operation} is no list.")
        return Rows(self, found, arguments)

    def judgments(self, collection: str, campaign: str) -> Rows:
        """The judgments of a campaign that this person may see."""
        return self.rows("judgments_list", slug=collection, campaign=campaign)

    def verdicts(self, collection: str, campaign: str) -> Rows:
        return self.rows("verdicts_list", slug=collection, campaign=campaign)

    def upload(
        self, collection: str, kind: str, *files: str | Path, progress: Progress | None = None, **options: Any
    ) -> Job:
        """Send files of documents, topics, runs, … to be imported; judgments with their `campaign` as an option. Then
        `wait` for the job. `progress` is called with the bytes that were sent, and with all."""
        arguments = {"slug": collection, "files": files, **options}
        if kind == "judgments":
            operation = self.description.operation("judgment_imports_create")
        else:
            operation, arguments["kind"] = self.description.operation("imports_create"), kind
        job: Job = self._called(operation, arguments, progress)
        return job

    def wait(self, job: Job, *, timeout: float | None = None, progress: Progress | None = None) -> Job:
        """The job when it is done; `progress` is called when it has gone on. Errors: JobFailed, JobCancelled,
        JobTimedOut after `timeout` seconds; Unknown where the server does not tell how far it is."""
        end, pause, shown = time.monotonic() + (timeout or 0), FIRST_PAUSE, None
        while True:
            so_far = (job.get("done", 0), job.get("total", 0))
            if progress is not None and so_far != shown:
                progress(*so_far)
                shown = so_far
            if job["state"] == "done":
                return job
            if job["state"] in ("failed", "cancelled"):
                raise (JobFailed if job["state"] == "failed" else JobCancelled)(job)
            if timeout is not None and time.monotonic() >= end:
                raise JobTimedOut(job)
            time.sleep(pause if timeout is None else min(pause, max(0.0, end - time.monotonic())))
            pause = min(pause * 1.5, LONGEST_PAUSE)
            job = self._now(job)

    def export(self, collection: str, name: str, to: str | Path, /, **options: Any) -> Path:
        """Write an export, such as qrels, to a file; `options` as `exports_read` takes them."""
        return self.download("exports_read", to, slug=collection, name=name, **options)

    def download(self, operation: str, to: str | Path, /, **arguments: Any) -> Path:
        """Write the file that an operation answers with; `to` is replaced only when all of it has come."""
        found, target = self.description.operation(operation), Path(to)
        if found.method != "get":
            raise Unknown(f"{operation} reads nothing.")
        part = target.with_name(f".{target.name}.{uuid.uuid4().hex}")

        def fetch() -> None:  # where it breaks within the file, all of it is asked for again
            with self._sent("get", _address(found, arguments), {}) as answer, part.open("wb") as file:
                for piece in answer.iter_bytes():
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())

        try:
            _trying(fetch)
            return part.replace(target)
        finally:
            part.unlink(missing_ok=True)

    def _called(self, operation: Operation, arguments: Arguments, progress: Progress | None = None) -> Any:
        answer = self._asked(operation, arguments, progress)
        if "json" not in answer.headers.get("Content-Type", ""):
            return answer.content or None
        found = answer.json()
        if answer.status_code != 202:
            return found
        path = {name: arguments[name] for name in operation.path_names}
        several = found.get("results") if self.description.row(operation.answer) and isinstance(found, dict) else found
        if isinstance(several, list):
            return [Job(each, operation, path) for each in several]
        return Job(found, operation, path, answer.headers.get("Location", "")) if "state" in found else found

    def _now(self, job: Job) -> Job:
        """The job as the server knows it at this moment."""
        reader, where = self.description.followed(job.operation) or (None, "")
        if reader is None:  # how far it is stands at the address that its beginning gave
            if not job.address:
                raise Unknown(f"The server does not tell how far a job of {job.operation.name} is.")
            found = _trying(lambda: self._whole("get", httpx2.URL(job.address).path, {})).json()
            return Job(found, job.operation, job.path, job.address)
        path = {name: job.path.get(name) for name in reader.path_names}
        if not where:
            own = reader.path_names[-1]
            return Job(self._asked(reader, {**path, own: job[own]}).json(), job.operation, job.path)
        rows = Rows(self, reader, path) if where == "[]" else [self._asked(reader, path).json()[where] or {}]
        for row in rows:
            if row.get("id") == job["id"]:
                return Job(row, job.operation, job.path)
        raise NoAnswer(f"The server tells only of a newer job of {job.operation.name}, not of how this one ended.")

    def _asked(self, operation: Operation, arguments: Arguments, progress: Progress | None = None) -> httpx2.Response:
        address = _address(operation, arguments)
        body = {name: value for name, value in arguments.items() if name in operation.fields}
        if operation.method == "get":
            return _trying(lambda: self._whole("get", address, {}))
        with ExitStack() as opened:
            more = _form(operation, body, opened) if operation.is_form else {"json": _own_names(operation, body)}
            try:
                return self._whole(operation.method, address, more if body else {}, progress)
            except httpx2.TransportError as error:  # it may have been done: who asks decides whether to ask again
                raise NoAnswer(f"The connection broke: {error}") from error

    def _whole(
        self, method: str, path: str, body: Mapping[str, Any], progress: Progress | None = None
    ) -> httpx2.Response:
        with self._sent(method, path, body, progress) as answer:
            answer.read()
            return answer

    @contextmanager
    def _sent(
        self, method: str, path: str, body: Mapping[str, Any], progress: Progress | None = None
    ) -> Iterator[httpx2.Response]:
        """The successful answer, its body not read yet. A busy server is asked again when it says so; where a
        collection was renamed, its new address on this server is asked."""
        address, leads, end = httpx2.URL(f"{self._site}{path}"), 0, time.monotonic() + self._patience
        while True:
            request = self._http.build_request(method, address, **body)
            if progress is not None:
                request.stream = _Counted(request, progress)
            answer = self._http.send(request, stream=True)
            try:
                wait = _seconds(answer.headers.get("Retry-After", "")) if answer.status_code in BUSY else None
                if answer.has_redirect_location and leads < MOST_LEADS:
                    leads, address, wait = leads + 1, self._leading(address, answer.headers["Location"]), 0
                if wait is None or time.monotonic() + wait > end:
                    if answer.status_code >= 300:
                        raise _refusal(answer)
                    yield answer
                    return
            finally:
                answer.close()
            time.sleep(wait)

    def _leading(self, address: httpx2.URL, location: str) -> httpx2.URL:
        """Where a redirect leads. Errors: NoAnswer for another server, which would get the token."""
        found = address.join(location)
        if (found.scheme, found.host, found.port) != (self._site.scheme, self._site.host, self._site.port):
            raise NoAnswer(f"The server leads to {found.scheme}://{found.host}, which is not given the token.")
        return found


class _Counted(httpx2.SyncByteStream):
    """The body of a request, which says how much of it was sent."""

    def __init__(self, request: httpx2.Request, progress: Progress) -> None:
        self._pieces, self._total, self._progress = request.stream, int(request.headers["Content-Length"]), progress

    def __iter__(self) -> Iterator[bytes]:
        sent = 0
        for piece in self._pieces:  # type: ignore[union-attr]  # not async
            yield piece
            sent += len(piece)
            self._progress(sent, self._total)


def _column(pandas: Any, name: str, values: list[Any], shape: Schema) -> Any:
    if shape.get("format") == "date-time":
        return pandas.to_datetime(pandas.Series(values, dtype="object"), utc=True, format="ISO8601")
    if any(isinstance(value, dict | list) for value in values):
        return pandas.Series(values, dtype="object")
    return pandas.Series(values, dtype="string" if name == "id" else DTYPES.get(shape.get("type", ""), "string"))


def _own_names(operation: Operation, body: Arguments) -> dict[str, Any]:
    """Fields as the server calls them."""
    return {name.removesuffix("_") if name[:-1] in operation.path_names else name: body[name] for name in body}


def _form(operation: Operation, body: Arguments, opened: ExitStack) -> dict[str, Any]:
    """Fields and files of a form; files are read while they are sent."""
    shapes = {name: operation.fields[name].get("items", operation.fields[name]) for name in body}
    of_files = [name for name, shape in shapes.items() if shape.get("format") == "binary"]
    paths = [(name, path) for name in of_files for path in _several(body[name])]
    files = [(name, opened.enter_context(Path(path).open("rb"))) for name, path in paths]  # noqa: SIM115
    return {"files": files, "data": {name: _several(body[name]) for name in body if name not in of_files}}


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _address(operation: Operation, arguments: Arguments) -> str:
    """Path and query. A last part that is itself a path keeps its slashes. Errors: Unknown."""
    operation.check(arguments)
    path = operation.path
    for name in operation.path_names:
        path = path.replace(
            f"{{{name}}}", quote(str(arguments[name]), safe="/" if path.endswith(f"{{{name}}}") else "")
        )
    query = {name: arguments[name] for name in arguments if name in operation.queries and arguments[name] is not None}
    return f"{path}?{httpx2.QueryParams(query)}" if query else path


def _refusal(answer: httpx2.Response) -> Exception:
    answer.read()
    if answer.status_code < 400 or "json" not in answer.headers.get("Content-Type", ""):
        return NoAnswer(f"The server answered with {answer.status_code} {answer.reason_phrase}.")
    return Refused(answer.status_code, answer.json())


def _seconds(after: str) -> float | None:
    """How long to wait, of either form of Retry-After (RFC 9110, 10.2.3); None where it is not said."""
    if after.isdigit():
        return float(after)
    try:
        return max(0.0, (parsedate_to_datetime(after) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None


def _trying(ask: Callable[[], Found]) -> Found:
    """What was asked for, again where the connection breaks. Errors: NoAnswer after the last try."""
    for attempt in range(MOST_TRIES):
        try:
            return ask()
        except httpx2.TransportError as error:
            if attempt + 1 == MOST_TRIES:
                raise NoAnswer(f"The connection broke {MOST_TRIES} times: {error}") from error
            time.sleep(min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE))
    raise AssertionError

"""A real HTTP server on loopback that speaks as Crossref or OpenAlex, in the shapes of their real answers.

    with RegistryStub([Reply(429, {"Retry-After": "0"}), crossref(item("10.1/a", "Title"))]) as stub:
        Registry("crossref", stub.url) …
        stub.calls[0]["query.bibliographic"]

The script is played in the order of arrival; its last step repeats.
"""

import json
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Reply:
    """An answer; `after` seconds of silence before it, `cut` to break off in its middle, `first` is called before.

    `drip` are seconds between any two bytes.
    """

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    after: float = 0.0
    cut: bool = False
    first: Callable[[], None] | None = None
    drip: float = 0.0


def crossref(*items: dict[str, Any], **headers: str) -> Reply:
    """A work-list of Crossref's REST API."""
    message = {
        "facets": {},
        "total-results": len(items),
        "items": list(items),
        "items-per-page": 5,
        "query": {"start-index": 0, "search-terms": None},
    }
    body = {"status": "ok", "message-type": "work-list", "message-version": "1.0.0", "message": message}
    return Reply(headers={"Content-Type": "application/json", **headers}, body=json.dumps(body).encode())


def item(doi: str, title: str, *, year: int | None = 2019, family: str = "Smith", **more: Any) -> dict[str, Any]:
    """A work as Crossref returns it."""
    return {
        "DOI": doi,
        "title": [title],
        "author": [{"given": "Ada", "family": family, "sequence": "first", "affiliation": []}],
        "issued": {"date-parts": [[year, 7, 18] if year else [None]]},
        "container-title": ["Proceedings of the Archive Conference"],
        "type": "proceedings-article",
        "relation": {},
        **more,
    }


def openalex(*results: dict[str, Any]) -> Reply:
    """A page of OpenAlex's works."""
    meta = {"count": len(results), "db_response_time_ms": 21, "page": 1, "per_page": 5, "groups_count": None}
    body = {"meta": meta, "results": list(results), "group_by": []}
    return Reply(headers={"Content-Type": "application/json"}, body=json.dumps(body).encode())


def result(doi: str | None, title: str, *, year: int = 2019, name: str = "Ada Smith", **more: Any) -> dict[str, Any]:
    """A work as OpenAlex returns it."""
    return {
        "id": "https://openalex.org/W1",
        "doi": doi and f"https://doi.org/{doi}",
        "title": title,
        "display_name": title,
        "relevance_score": 91.2,
        "publication_year": year,
        "ids": {"openalex": "https://openalex.org/W1"},
        "type": "article",
        "authorships": [
            {"author_position": "first", "author": {"id": "https://openalex.org/A1", "display_name": name}}
        ],
        "primary_location": {
            "is_oa": False,
            "landing_page_url": "https://a.example/1",
            "pdf_url": None,
            "source": {"id": "https://openalex.org/S1", "display_name": "Archive Conference"},
            "version": "publishedVersion",
        },
        "open_access": {"is_oa": False, "oa_status": "closed", "oa_url": None},
        **more,
    }


class RegistryStub:
    """Serves the script while its block runs; `calls` are the parameters asked, `agents` the User-Agents."""

    def __init__(self, script: Sequence[Reply]) -> None:
        self.script = list(script)
        self.calls: list[dict[str, str]] = []
        self.agents: list[str] = []
        self.times: list[float] = []
        self.closing = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Self:
        stub = self

        class Handler(BaseHTTPRequestHandler):
            disable_nagle_algorithm = True  # else the body waits 40 ms until the asker has confirmed the headers

            def do_GET(self) -> None:
                stub.times.append(time.monotonic())
                stub.calls.append(dict(parse_qsl(urlsplit(self.path).query)))
                stub.agents.append(self.headers["User-Agent"])
                reply = stub.script[min(len(stub.calls), len(stub.script)) - 1]
                if reply.first is not None:
                    reply.first()
                stub.closing.wait(reply.after)
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.send(reply.body[: len(reply.body) // 2] if reply.cut else reply.body, reply.drip)

            def send(self, body: bytes, pause: float) -> None:
                if not pause:
                    self.wfile.write(body)
                    return
                with suppress(ConnectionError):  # the client may have had enough
                    for place in range(len(body)):
                        self.wfile.write(body[place : place + 1])
                        stub.closing.wait(pause)

            def log_message(self, *arguments: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()

"""The client of the REST API, against a real web server and worker, and others that break, lead away or wait."""

import json
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from accounts.models import TokenScope, User
from corpus.imports.requests import request_import
from litmus_ir import Client
from litmus_ir.client import Job, JobCancelled, JobFailed, JobTimedOut, NoAnswer, Refused, Unknown
from tests.factories.accounts import make_token
from tests.factories.adjudication import AT
from tests.factories.labelling import build_work
from tests.processes import CHECKOUT, Child, web_server


def client_of(address: str, person: User, **more: Any) -> Client:
    return Client(address, token=make_token(person, TokenScope.MANAGE)[1], **more)


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_from_an_upload_to_an_export(celery_worker: Child, tmp_path: Path) -> None:
    built = build_work(items=3, people=("ana",))
    (tmp_path / "papers.jsonl").write_text('{"docno": "007", "title": "Tea"}\n')
    with web_server(tmp_path / "web.log") as address, client_of(address, built.people["manager"]) as manager:
        sent, seen = [], []
        file = tmp_path / "papers.jsonl"
        job = manager.upload("tea", "documents", file, progress=lambda *so_far: sent.append(so_far))
        assert sent[-1][0] == sent[-1][1] > file.stat().st_size
        done = manager.wait(job, timeout=100, progress=lambda *so_far: seen.append(so_far))
        assert (done["state"], done["created"]) == ("done", 1)
        assert seen
        assert manager.call("documents_read", slug="tea", docno="007")["title"] == "Tea"

        with client_of(address, built.people["ana"]) as ana:
            for grade in (1, 2, 0):
                cell = ana.call("next_read", slug="tea", campaign="main")["units"][0]["cells"][0]
                given = {"uuid": str(uuid.uuid4()), "assignment": cell["assignment"], "answers": {"relevance": grade}}
                [stored] = ana.call("submissions_create", slug="tea", campaign="main", submissions=[given])["results"]
                assert stored["outcome"] == "counted"

        frame = manager.judgments("tea", "main").frame()
        assert sorted(frame["value"]) == [0, 1, 2]
        kinds = {name: str(frame.dtypes[name]) for name in ("id", "topic", "docno", "value", "machine", "reason")}
        assert kinds == {
            "id": "string", "topic": "string", "docno": "string", "value": "Int64", "machine": "boolean",
            "reason": "string",
        }  # fmt: skip
        assert str(frame["received_at"].dt.tz) == "UTC"
        by_ones = manager.rows("judgments_list", slug="tea", campaign="main", page_size=1)
        assert [row["id"] for row in by_ones] == [row["id"] for row in manager.judgments("tea", "main")]

        vote = manager.wait(manager.call("votes_request", slug="tea", campaign="main"), timeout=100)
        assert vote["state"] == "done"
        verdicts = manager.verdicts("tea", "main").frame()
        assert (len(verdicts), str(verdicts.dtypes["probability"])) == (3, "Float64")
        out = manager.export("tea", "qrels", tmp_path / "main.qrels", campaign="main")
        assert [len(line.split()) for line in out.read_text().splitlines()] == [4, 4, 4]

        agreement = manager.call("agreement_request", slug="tea", campaign="main")
        assert manager.wait(agreement, timeout=100)["state"] == "done"
        refuses(manager, built, tmp_path)
        manager.call("campaigns_change", slug="tea", campaign="main", state="closed")
        manager.call("collections_archive", slug="tea")
        gone = manager.wait(manager.call("collections_delete", slug="tea", confirm="tea"), timeout=100)
        assert (gone["kind"], gone["state"]) == ("deletions", "done")


def refuses(manager: Client, built: Any, tmp_path: Path) -> None:
    """With the server's words; and a file that is there stays as it was."""
    (tmp_path / "there.qrels").write_text("kept")
    with pytest.raises(Refused) as refused:
        manager.export("tea", "qrels", tmp_path / "there.qrels", campaign="other")
    assert refused.value.status in (404, 422)
    assert str(refused.value) == refused.value.answer["detail"]
    assert (tmp_path / "there.qrels").read_text() == "kept"
    with pytest.raises(Refused, match="already") as refused:
        manager.call("campaigns_create", slug="tea", name="Main", slug_="main", kind="relevance")
    assert refused.value.status in (409, 422)
    with pytest.raises(Unknown, match=r"no operation judgements_list\. Did you mean judgments_list"):
        manager.rows("judgements_list")
    with pytest.raises(Unknown, match=r"takes no campain\. Did you mean campaign"):
        manager.call("votes_list", slug="tea", campain="main")
    with pytest.raises(Unknown, match="also needs campaign"):
        manager.call("votes_list", slug="tea")
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04")
    with pytest.raises(JobFailed, match=r"The job failed\. .+"):
        manager.wait(manager.upload("tea", "documents", tmp_path / "broken.xlsx", format="xlsx"), timeout=100)


@pytest.mark.services
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_jobs_that_wait_or_are_cancelled_a_new_address_and_too_many_requests(tmp_path: Path) -> None:
    built = build_work(items=1, people=("ana",))
    manager, file = built.people["manager"], ContentFile(b'{"docno": "007", "title": "Tea"}\n', "papers.jsonl")
    asked = {"kind": "documents", "files": [file], "format": "jsonl", "send": False}
    run = request_import(by=manager, at=AT, collection=built.collection, **asked)  # no worker learns of it
    with (
        web_server(tmp_path / "web.log", LITMUS_API_RATE="12") as address,
        client_of(address, manager, patience=0.5) as client,
    ):
        record = client.call("imports_read", slug="tea", id=run.pk)
        job = Job(record, client.description.operation("imports_create"), {"slug": "tea"})
        with pytest.raises(JobTimedOut, match="It goes on") as late:
            client.wait(job, timeout=0.1)
        assert (late.value.job["state"], late.value.job["id"]) == ("queued", run.pk)
        client.call("collections_change", slug="tea", slug_="chai")
        client.call("imports_cancel", slug="tea", id=run.pk)  # sent on to its new address
        with pytest.raises(JobCancelled, match="was cancelled"):
            client.wait(job, timeout=60)
        with pytest.raises(Refused) as refused:
            [client.call("collections_read", slug="chai") for _ in range(12)]
        assert refused.value.status == 429
        assert "throttled" in str(refused.value)


SLUG = {"in": "path", "name": "slug"}
DOCUMENT = {
    "paths": {
        "/read/{slug}/": {
            "get": {"operationId": "tea_read", "parameters": [SLUG], "responses": {"200": {}}},
            "post": {"operationId": "tea_brew", "parameters": [SLUG], "responses": {"200": {}}},
        }
    },
    "components": {"schemas": {}},
}
Step = tuple[int, dict[str, str], bytes] | None  # None: the connection is closed without an answer


@contextmanager
def server(*steps: Step) -> Iterator[tuple[str, list[str]]]:
    """A server that answers so in turn, and the methods that it was asked by; all else gets the description."""
    asked: list[str] = []
    left = list(steps)

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            if self.path == "/api/schema/":
                return self.say(200, {"Content-Type": "application/json"}, json.dumps(DOCUMENT).encode())
            asked.append(f"{self.command} {self.headers['Authorization']}")
            step = left.pop(0)
            return self.connection.close() if step is None else self.say(*step)

        def say(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(body))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = answer  # noqa: N815

        def log_message(self, *words: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as stub:
        threading.Thread(target=stub.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{stub.server_port}", asked
        finally:
            stub.shutdown()


FINE: Step = (200, {"Content-Type": "application/json"}, b'{"tea": "hot"}')
NOW = format_datetime(datetime(2020, 1, 1, tzinfo=UTC), usegmt=True)


@pytest.mark.parametrize("busy", [(429, {"Retry-After": "0"}, b""), (503, {"Retry-After": NOW}, b"")])
@pytest.mark.parametrize("operation", ["tea_read", "tea_brew"])
def test_a_busy_server_is_asked_again_when_it_says(busy: Step, operation: str) -> None:
    with server(busy, busy, FINE) as (address, asked), Client(address, token="t") as client:
        assert client.call(operation, slug="a/b") == {"tea": "hot"}
        assert len(asked) == 3


def test_one_that_does_not_say_when_is_not() -> None:
    with server((503, {}, b"")) as (address, asked), Client(address, token="t") as client:
        with pytest.raises(NoAnswer, match="503"):
            client.call("tea_read", slug="a")
        assert len(asked) == 1


def test_after_a_broken_connection_only_what_reads_is_asked_for_again(tmp_path: Path) -> None:
    cut: Step = (200, {"Content-Length": "100"}, b"half")
    with server(None, cut, FINE, cut, FINE, None) as (address, asked), Client(address, token="t") as client:
        assert client.call("tea_read", slug="a") == {"tea": "hot"}
        assert client.download("tea_read", tmp_path / "tea.json", slug="a").read_bytes() == FINE[2]
        assert [path.name for path in tmp_path.iterdir()] == ["tea.json"]
        with pytest.raises(NoAnswer, match="The connection broke"):
            client.call("tea_brew", slug="a")
        assert len(asked) == 6


def test_the_token_goes_to_no_other_server() -> None:
    with server() as (elsewhere, reached):
        away: Step = (307, {"Location": f"{elsewhere}/read/a/"}, b"")
        with server(away) as (address, asked), Client(address, token="t") as client:
            with pytest.raises(NoAnswer, match="not given the token"):
                client.call("tea_read", slug="a")
            assert (asked, reached) == (["GET Bearer t"], [])


def test_plain_http_leads_to_this_machine_only_unless_asked() -> None:
    with pytest.raises(ValueError, match="use https"):
        Client("http://litmus.example.org", token="t")
    with pytest.raises(ValueError, match="Give the address as"):
        Client("litmus.example.org", token="t")
    Client("http://litmus.example.org", token="t", allow_plain_http=True)
    Client("http://[::1]:8000", token="t")


def test_without_pandas_a_frame_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    listing = {"type": "array", "items": {"properties": {"id": {"type": "integer"}}}}
    ways = DOCUMENT["paths"]["/read/{slug}/"] | {
        "get": {
            "operationId": "tea_read",
            "responses": {"200": {"content": {"application/json": {"schema": listing}}}},
        }
    }
    monkeypatch.setitem(DOCUMENT["paths"], "/read/{slug}/", ways)
    rows: Step = (200, {"Content-Type": "application/json"}, b'[{"id": 1}]')
    with server(rows) as (address, _), Client(address, token="t") as client:
        assert list(client.rows("tea_read", slug="a")) == [{"id": 1}]
        with pytest.raises(ImportError, match="pip install pandas"):
            client.rows("tea_read", slug="a").frame()
        with pytest.raises(Unknown, match="is no list"):
            client.rows("tea_brew", slug="a")


def test_the_program_starts_without_the_client() -> None:
    look = "import sys, litmus_ir.command; print('httpx2' in sys.modules, 'litmus_ir.client' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", look], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_the_client_needs_nothing_of_the_web_application() -> None:
    look = "import sys; from litmus_ir import Client; print({'django', 'config', 'accounts'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", look], cwd=CHECKOUT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

"""Behind PgBouncer in transaction mode: pages and programs through it, workers through it or directly."""

import json
import re
import threading
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.models import JobClaim, JobState
from adjudication.agreement.requests import request_agreement
from adjudication.models import AgreementResult
from annotation.models import Judgment, Strategy
from tests.adjudication.agreement.test_agreement import noisy_labels
from tests.factories.accounts import make_token
from tests.factories.adjudication import build_campaign
from tests.factories.labelling import Built, build_work
from tests.pgbouncer import pooled
from tests.processes import nobody_inserts, start_celery_workers, wait_for, web_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture(scope="module")
def bouncer(django_db_setup: None) -> Iterator[str]:
    with pooled() as url:
        yield url


@pytest.fixture(scope="module")
def address(bouncer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real web server behind it."""
    log = tmp_path_factory.mktemp("web") / "web.log"
    with web_server(log, DATABASE_URL=bouncer, LITMUS_TRANSACTION_POOLER="1") as found:
        yield found
    assert "Traceback" not in log.read_text()


def test_the_pooler_gives_a_client_several_sessions(bouncer: str) -> None:
    """What the other tests rest on: what a transaction leaves in its session is not there in the next."""
    options = {"autocommit": True, "prepare_threshold": None}
    with psycopg.connect(bouncer, **options) as one, psycopg.connect(bouncer, **options) as other:
        first = session(one)
        other.execute("BEGIN")
        assert session(other) == first
        assert session(one) != first


def session(connection: psycopg.Connection[tuple[int]]) -> int:
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    assert row is not None
    return row[0]


class Program(threading.Thread):
    """Judges over the API until nothing is left."""

    def __init__(self, base: str, token: str) -> None:
        super().__init__(daemon=True)
        self.base, self.token, self.error = base, token, ""

    def call(self, address: str, body: object = None) -> dict[str, object]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(self.base + address, data, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def run(self) -> None:
        try:
            while units := self.call("next/")["units"]:
                cells = [cell["assignment"] for unit in units for cell in unit["cells"]]
                given = [{"uuid": str(uuid.uuid4()), "assignment": one, "answers": {"relevance": 1}} for one in cells]
                for one in given:
                    self.call("submissions/", {"submissions": [one]})
        except OSError as error:
            self.error = repr(error)


def test_a_queue_is_labelled_by_several_programs_through_it(address: str) -> None:
    built = build_work(items=30, overlap=2, strategy=Strategy.QUEUE)
    people = [built.people[name] for name in built.annotators]
    base = f"{address}/api/collections/{built.collection.slug}/campaigns/{built.campaign.slug}/"
    programs = [Program(base, make_token(person)[1]) for person in people]
    for program in programs:
        program.start()
    for program in programs:
        program.join(120)
    assert [program.error for program in programs] == [""] * len(programs)
    assert Judgment.objects.count() == 60


def test_exports_stream_through_it(address: str) -> None:
    """Audit and topics are read row by row, which a named cursor could not do here."""
    built = build_work(items=5)
    cookie = session_of(built)
    slug = built.collection.slug
    record_event(by=None, at=timezone.now(), verb="create", target=built.campaign, scope=built.collection)
    for path, held in (("audit/csv/", b",create,"), ("exports/topics-jsonl/", b"It brews tea.")):
        request = urllib.request.Request(f"{address}/c/{slug}/{path}", headers={"Cookie": cookie})
        with urllib.request.urlopen(request, timeout=60) as response:
            assert held in response.read()


def session_of(built: Built) -> str:
    client = Client()
    client.force_login(built.people["manager"])
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def test_two_workers_through_it_never_have_the_same_job(bouncer: str, own_queue: str, tmp_path: Path) -> None:
    """Six messages of one job, two workers: it is done once, and nobody holds it afterwards."""
    built = build_campaign(noisy_labels(12, 3), topics=12)
    asked = {"campaign": built.campaign, "by": built.people["manager"], "at": timezone.now()}
    run = request_agreement(**asked, resamples=1000, send=False)
    through = {"DATABASE_URL": bouncer, "LITMUS_TRANSACTION_POOLER": "1"}
    workers = start_celery_workers(tmp_path / "0.log", tmp_path / "1.log", queue=own_queue, **through)

    def one_was_sent_away() -> bool:
        return any(re.search(r"run_job\S+ succeeded", worker.output) for worker in workers)

    try:
        with nobody_inserts(AgreementResult):  # while the job is being done, the other worker takes its copies
            for _ in range(6):
                jobs.send(run)
            wait_for(one_was_sent_away, what="the second worker")
        wait_for(lambda: state_of(run) == JobState.DONE, 120, "the agreement")
    finally:
        for worker in workers:
            worker.stop()
    assert (run.attempts, run.results.exists()) == (1, True)
    assert not JobClaim.objects.exists()
    assert not any(re.search("Traceback|ERROR", worker.output) for worker in workers)


def state_of(run) -> str:
    run.refresh_from_db()
    return run.state

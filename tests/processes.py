"""Real processes for tests: a Celery worker, a web server, any manage.py command, against the test's own database."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from django.conf import settings
from django.db import connection
from django.db.models import Model
from django.db.models.functions import Now

from accounts.claims import LEASE
from accounts.models import Job, JobClaim
from tests.waiting import PATIENCE, wait_for

CHECKOUT = Path(__file__).resolve().parents[1]


def child_environment(**extra: str) -> dict[str, str]:
    """The environment in which a child process works on this test's database and Redis."""
    database = connection.settings_dict
    who = quote(database["USER"]) + (f":{quote(database['PASSWORD'])}" if database["PASSWORD"] else "")
    place = f"/{quote(database['NAME'])}"
    if database["HOST"].startswith("/"):
        url = f"postgres://{who}@{place}?{urlencode({'host': database['HOST']})}"
    else:
        url = f"postgres://{who}@{database['HOST']}:{database['PORT'] or 5432}{place}"
    own = {
        "DATABASE_URL": url,
        "REDIS_URL": settings.REDIS_URL,
        "LITMUS_SECRET_KEY": settings.SECRET_KEY,
        "LITMUS_DATA_DIR": str(settings.DATA_DIR),
        "LITMUS_MEDIA_ROOT": str(settings.MEDIA_ROOT),
        "LITMUS_INDEX_DIR": str(settings.INDEX_DIR),
        "LITMUS_STATIC_ROOT": str(settings.STATIC_ROOT),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "PYTHONUNBUFFERED": "1",
    }
    return os.environ | own | extra


def end_lease(job: Job) -> None:
    """Let the claim of a worker that was killed grow as old as a lease, which takes half a minute by itself."""
    rows = JobClaim.objects.filter(kind=job._meta.label_lower, job=job.pk)
    assert rows.update(renewed_at=Now() - LEASE - timedelta(seconds=1)) == 1, "nobody has claimed it"


def renew_lease(job: Job) -> None:
    """The claim of a worker that was just killed, however long ago that was on a busy machine."""
    assert JobClaim.objects.filter(kind=job._meta.label_lower, job=job.pk).update(renewed_at=Now()) == 1


@contextlib.contextmanager
def nobody_inserts(*models: type[Model], when: str = "") -> Iterator[None]:
    """Who inserts into the tables of the models (with `when`, a row of which it holds) waits for the end of the block,
    however quick it is: it can be killed before."""
    rows = f"FOR EACH ROW WHEN ({when})" if when else ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(hashtext('nobody inserts'))")
        cursor.execute(
            "CREATE FUNCTION wait_to_insert() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_advisory_xact_lock(hashtext('nobody inserts')); RETURN NEW; END $$;"
            + ";".join(
                f"CREATE TRIGGER wait_to_insert BEFORE INSERT ON {model._meta.db_table} {rows}"
                " EXECUTE FUNCTION wait_to_insert()"
                for model in models
            )
        )
        try:
            yield
        finally:
            cursor.execute("SELECT pg_advisory_unlock(hashtext('nobody inserts'))")
            cursor.execute("DROP FUNCTION wait_to_insert CASCADE")


def free_port() -> int:
    """A port that nobody listens at.

    None of those that the system gives out: until the server has started, any connection could get one of them.
    """
    while True:
        port = random.randrange(15_000, 32_000)
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Child:
    """A child process in a separate group, with its output in a file.

    `python -m MODULE …` is put on a leash: it ends with the test run, however that ends. A command that begins with the
    words `inside` becomes that process in its place: `ip netns exec …`.
    """

    def __init__(
        self,
        command: list[str],
        log: Path,
        environment: dict[str, str],
        cwd: Path = CHECKOUT,
        inside: Sequence[str] = (),
    ) -> None:
        self.log = log
        if command[:2] == [sys.executable, "-m"]:
            command = [*command[:2], "config.leash", *command[2:]]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*inside, *command],
                cwd=cwd,
                env=environment | {"LITMUS_PARENT": str(os.getpid())},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for_output(self, text: str, seconds: float = PATIENCE) -> None:
        def has_printed() -> bool:
            assert self.process.poll() is None or text in self.output, f"it ended:\n{self.output}"
            return text in self.output

        wait_for(has_printed, seconds, f"{text!r} in\n{self.output}")

    def stop(self, seconds: float = PATIENCE) -> int:
        """Ask it to end, as a service manager would; the exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
        return self.process.wait()

    def kill(self) -> None:
        """kill -9, the whole group."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def start_celery_worker(log: Path, processes: int = 1, *, queue: str = "", name: str = "", **extra: Any) -> Child:
    """A Celery worker on this test's database and queue (or the one named), ready to take jobs."""
    return start_celery_workers(log, processes=processes, queue=queue, name=name, **extra)[0]


def start_celery_workers(
    *logs: Path, processes: int = 1, queue: str = "", name: str = "", inside: Sequence[str] = (), **extra: str
) -> list[Child]:
    """Several at the same time; of one that is asked about itself, the name should differ from that of others."""
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "--loglevel", "INFO"]
    quiet = ["--without-gossip", "--without-mingle", "--without-heartbeat", "--concurrency", str(processes)]
    served = [*(["-Q", queue] if queue else []), *(["-n", f"{name}@%h"] if name else [])]
    workers = [Child([*command, *quiet, *served], log, child_environment(**extra), inside=inside) for log in logs]
    for worker in workers:
        worker.wait_for_output(" ready.")
    return workers


@contextlib.contextmanager
def web_server(log: Path, *, patient: bool = True, **extra: str) -> Iterator[str]:
    """The address of a real gunicorn on this test's database; it ends with its last requests, or without patience."""
    with web_process(log, patient=patient, **extra) as (address, _):
        yield address


@contextlib.contextmanager
def web_process(
    log: Path, *, patient: bool = True, host: str = "127.0.0.1", inside: Sequence[str] = (), **extra: str
) -> Iterator[tuple[str, Child]]:
    """The address and the process."""
    port = free_port()
    address = f"http://{host}:{port}"
    environment = child_environment(**{"LITMUS_SITE_URL": address, **extra})
    command = [sys.executable, "-m", "gunicorn", "-c", "config/gunicorn.py", "-b", f"{host}:{port}"]
    server = Child([*command, "config.wsgi"], log, environment, inside=inside)
    try:
        wait_for(lambda: answers(address + "/healthz"), what=f"an answer of the web server:\n{server.output}")
        yield address, server
    finally:
        server.stop() if patient else server.kill()


def answers(url: str) -> bool:
    """Whether the address answers with 200."""
    with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=5) as response:
        return response.status == 200
    return False

"""`manage.py up` repairs itself, and kill -9 of all of it in the middle of labelling loses nothing acknowledged."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

from config.embedded import KINDS, postgres_settings
from tests.processes import CHECKOUT, Child, answers, family, free_port, wait_for

ITEMS, OVERLAP = 40, 2
PREPARE = f"""
import json
from annotation.models import Strategy
from tests.factories.accounts import make_token
from tests.factories.labelling import build_work
work = build_work(items={ITEMS}, overlap={OVERLAP}, strategy=Strategy.QUEUE)
people = [work.people[name] for name in work.annotators]
tokens = [make_token(person)[1] for person in people]
print(json.dumps([f"collections/{{work.collection.slug}}/campaigns/{{work.campaign.slug}}/", tokens]))
"""
STORED = "SELECT uuid::text FROM annotation_submission WHERE outcome = 'counted'"
SLOTS = """
SELECT item_id, annotator_id FROM annotation_judgment JOIN annotation_assignment AS held ON held.id = assignment_id
"""

pytestmark = pytest.mark.services


def environment(data_dir: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "LITMUS_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}


def shell(data_dir: Path, script: str) -> Any:
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports"],
        cwd=CHECKOUT, env=environment(data_dir), input=script, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def start(data_dir: Path, port: int, log: Path) -> Child:
    command = [sys.executable, "-m", "manage", "up", "--no-demo", "--workers", "2", "--port", str(port)]
    litmus = Child(command, log, environment(data_dir))
    litmus.wait_for_output("Ctrl-C", 120)
    return litmus


def is_ready(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/readyz", timeout=10) as response:
            return json.load(response) == {"database": "ok", "redis": "ok"}
    except urllib.error.HTTPError as error:
        error.close()
        return False


class Labeller(threading.Thread):
    """A person's program: judges what comes next, and sends again, with the same uuid, whatever was not answered."""

    def __init__(self, base: str, token: str) -> None:
        super().__init__(daemon=True)
        self.base, self.token = base, token
        self.acknowledged: list[str] = []
        self.repeated = 0
        self.at_work = threading.Event()
        self.at_work.set()

    def call(self, address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer, however often it has to be asked for."""
        while True:
            data = json.dumps(body).encode() if body else None
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            try:
                request = urllib.request.Request(self.base + address, data, headers)
                with urllib.request.urlopen(request, timeout=20) as response:
                    return json.load(response)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code < 500:
                        raise
            # An answer whose body was cut off behind its header lines is no OSError.
            except (OSError, http.client.HTTPException):
                pass
            self.repeated += 1
            time.sleep(0.1)

    def run(self) -> None:
        while units := self.call("next/")["units"]:
            self.at_work.wait()
            for cell in units[0]["cells"]:
                given = {"uuid": str(uuid.uuid4()), "assignment": cell["assignment"], "answers": {"relevance": 1}}
                result = self.call("submissions/", {"submissions": [given]})["results"][0]
                assert result["outcome"] == "counted"
                self.acknowledged.append(result["uuid"])


def kill_all_but_up(litmus: Child, data_dir: Path) -> None:
    """All processes of web and worker, both embedded servers and their watcher, at once."""
    victims = [
        process
        for process in psutil.Process(litmus.process.pid).children(recursive=True)
        if {"gunicorn", "celery"} & set(process.cmdline())
    ]
    assert len(victims) >= 4
    watchers = [process for process in family(data_dir) if "config.embedded" in process.cmdline()]
    servers = [kind(data_dir).running() for kind in KINDS.values()]
    assert (len(watchers), None in servers) == (1, False)
    for process in [*watchers, *servers, *victims]:
        process.kill()


def rows(data_dir: Path, query: str) -> list[tuple[Any, ...]]:
    where = postgres_settings(data_dir)
    place = {"host": where["HOST"], "port": where["PORT"], "dbname": where["NAME"], "user": "postgres"}
    with psycopg.connect(**place) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.timeout(600)
def test_up_repairs_itself_and_no_acknowledged_label_is_lost_or_counts_twice(made, tmp_path):
    data_dir = made
    port = free_port()
    site = f"http://localhost:{port}"
    litmus = start(data_dir, port, tmp_path / "first.log")
    assert f"Litmus is running at {site}" in litmus.output
    assert "manage.py create_user you@example.org --staff" in litmus.output  # no account yet
    assert is_ready(site)
    manifest = json.loads((data_dir / "static" / "staticfiles.json").read_text())["paths"]
    assert answers(f"{site}/static/{manifest['js/base.js']}")

    path, tokens = shell(data_dir, PREPARE)
    people = [Labeller(f"{site}/api/{path}", token) for token in tokens]
    for person in people:
        person.start()

    def labels() -> int:
        return sum(len(person.acknowledged) for person in people)

    wait_for(lambda: labels() >= 10, 60, f"ten labels, see {litmus.log.name},")
    kill_all_but_up(litmus, data_dir)
    reached = labels()
    assert reached < ITEMS * OVERLAP, "everything was labelled before anything was killed"
    wait_for(lambda: labels() >= reached + 10, 120, "labelling to go on without help")
    for person in people:
        person.at_work.clear()
    litmus.wait_for_output("The web server was killed by signal 9 unexpectedly and is started again.", 30)
    for name in KINDS:
        litmus.wait_for_output(f"{name} had ended and is started again.", 30)
    wait_for(lambda: is_ready(site), 60, f"both servers:\n{litmus.output}")
    wait_for(lambda: answers(f"{site}/accounts/login/"), 30, "pages")

    # Now `up`, which takes its processes along; a new start goes on.
    def pool_and_beat_run() -> bool:
        return len([process for process in family(data_dir) if "celery" in process.cmdline()]) >= 3

    wait_for(pool_and_beat_run, 60, "the worker with its pool and beat")
    for person in people:
        person.at_work.set()
    reached = labels()
    wait_for(lambda: labels() > reached, 60, "labelling to go on")
    assert labels() < ITEMS * OVERLAP, "everything was labelled before `up` was killed"
    litmus.process.kill()
    litmus.process.wait()
    wait_for(lambda: not family(data_dir), 60, "the end of all processes")
    litmus = start(data_dir, port, tmp_path / "second.log")
    for person in people:
        person.join(120)
        assert not person.is_alive()
    stored, slots = [number for (number,) in rows(data_dir, STORED)], rows(data_dir, SLOTS)
    litmus.process.send_signal(signal.SIGTERM)
    assert litmus.process.wait(60) == 0

    acknowledged = [number for person in people for number in person.acknowledged]
    assert sum(person.repeated for person in people) > 0
    assert len(set(acknowledged)) == len(acknowledged) == ITEMS * OVERLAP
    assert sorted(stored) == sorted(acknowledged)
    assert len(slots) == len(set(slots)) == ITEMS * OVERLAP

"""kill -9 of web, worker and PostgreSQL in the middle of labelling: what was acknowledged is there afterwards."""

import contextlib
import http.client
import json
import os
import signal
import socket
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
import pytest

from config.embedded.postgres import Postgres
from tests.processes import CHECKOUT, PATIENCE, Child, free_port, wait_for

ITEMS, OVERLAP = 40, 2
UNTIL_KILLED = 20  # labels of each person; then there are still some to be given
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
LOOK = """
import json
from annotation.models import Judgment, Submission
stored = [[str(row.uuid), row.outcome] for row in Submission.objects.all()]
slots = list(Judgment.objects.values_list("assignment__item", "assignment__annotator"))
print(json.dumps([stored, slots]))
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
    litmus.wait_for_output("Ctrl-C")
    return litmus


def is_free(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
        return True
    return False


class Labeller(threading.Thread):
    """A person's program: judges what comes next, and sends again, with the same uuid, whatever was not answered."""

    def __init__(self, base: str, token: str, killed: threading.Event) -> None:
        super().__init__(daemon=True)
        self.base, self.token, self.killed = base, token, killed
        self.acknowledged: list[str] = []
        self.repeated = 0

    def call(self, address: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer, however often it has to be asked for."""
        while True:
            data = json.dumps(body).encode() if body else None
            headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
            try:
                request = urllib.request.Request(self.base + address, data, headers)
                with urllib.request.urlopen(request, timeout=60) as response:
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
            for cell in units[0]["cells"]:
                given = {"uuid": str(uuid.uuid4()), "assignment": cell["assignment"], "answers": {"relevance": 1}}
                result = self.call("submissions/", {"submissions": [given]})["results"][0]
                assert result["outcome"] == "counted"
                self.acknowledged.append(result["uuid"])
                if len(self.acknowledged) == UNTIL_KILLED:
                    self.killed.wait(PATIENCE)


def kill_web_worker_and_postgres(litmus: Child, data_dir: Path) -> None:
    """All processes of web and worker, and the postmaster, at once."""
    victims = [
        process
        for process in psutil.Process(litmus.process.pid).children(recursive=True)
        if {"gunicorn", "celery"} & set(process.cmdline())
    ]
    assert len(victims) >= 4
    server = Postgres(data_dir).running()
    assert server is not None
    for process in [server, *victims]:
        process.kill()


@pytest.mark.timeout(600)
def test_no_acknowledged_label_is_lost_and_none_counts_twice(made_with_tables, tmp_path):
    data_dir = made_with_tables
    address, tokens = shell(data_dir, PREPARE)
    port = free_port()
    litmus = start(data_dir, port, tmp_path / "first.log")
    killed = threading.Event()
    people = [Labeller(f"http://127.0.0.1:{port}/api/{address}", token, killed) for token in tokens]
    for person in people:
        person.start()

    def labels() -> int:
        return sum(len(person.acknowledged) for person in people)

    wait_for(lambda: labels() >= 10, what=f"ten labels, see {litmus.log.name},")
    kill_web_worker_and_postgres(litmus, data_dir)
    killed.set()
    reached = labels()
    assert reached < ITEMS * OVERLAP, "everything was labelled before anything was killed"
    wait_for(lambda: labels() >= reached + 10, 120, "labelling to go on without help")

    # Now everything, the supervisor included; a new start goes on.
    litmus.kill()
    wait_for(lambda: is_free(port), what="the end of the killed web server")
    litmus = start(data_dir, port, tmp_path / "second.log")
    for person in people:
        person.join(PATIENCE)
        assert not person.is_alive()
    litmus.process.send_signal(signal.SIGTERM)
    assert litmus.process.wait(PATIENCE) == 0

    stored, slots = shell(data_dir, LOOK)
    acknowledged = [number for person in people for number in person.acknowledged]
    assert sum(person.repeated for person in people) > 0
    assert len(set(acknowledged)) == len(acknowledged) == ITEMS * OVERLAP
    assert sorted(number for number, outcome in stored if outcome == "counted") == sorted(acknowledged)
    assert len(slots) == len({tuple(slot) for slot in slots}) == ITEMS * OVERLAP

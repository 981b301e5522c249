"""Machines of one installation: web servers and workers as processes that share no folder, only PostgreSQL behind
PgBouncer, Valkey and a bucket."""

import re
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx2

from tests.factories.accounts import make_token
from tests.factories.labelling import Built
from tests.pgbouncer import pooled
from tests.processes import Child, start_celery_worker, web_process

RUNS = re.compile(r"Task accounts\.tasks\.run_job\[(\S+)\] (received|succeeded)")


class Network:
    """Where PostgreSQL, Valkey and the bucket are reached, and where machines are: all on the loopback interface."""

    host = "127.0.0.1"

    def join(self) -> tuple[str, list[str]]:
        """The address of a new machine, and the words with which a command begins that runs there."""
        return self.host, []


class Machines:
    """Web servers by their addresses, and workers; each has a data folder below `folder` to itself."""

    def __init__(self, folder: Path, held: ExitStack, network: Network, **shared: str) -> None:
        self.folder, self.held, self.network, self.shared = folder, held, network, shared
        self.started = 0

    def environment(self) -> dict[str, str]:
        """That of the next machine."""
        self.started += 1
        data = self.folder / f"machine-{self.started}"
        data.mkdir()
        names = {"LITMUS_DATA_DIR": "", "LITMUS_MEDIA_ROOT": "media", "LITMUS_INDEX_DIR": "indexes"}
        return self.shared | {name: str(data / place) for name, place in names.items()}

    def web(self) -> tuple[str, Child]:
        environment = self.environment()
        log = self.folder / f"web-{self.started}.log"
        host, inside = self.network.join()
        return self.held.enter_context(web_process(log, patient=False, host=host, inside=inside, **environment))

    def worker(self) -> Child:
        environment = self.environment()
        log, name = self.folder / f"worker-{self.started}.log", f"{self.started}"
        worker = start_celery_worker(log, name=name, inside=self.network.join()[1], **environment)
        self.held.callback(worker.kill)
        return worker


@contextmanager
def machines(folder: Path, bucket_url: str, network: Network | None = None, **settings: str) -> Iterator[Machines]:
    """No machine yet; all that were started are killed after the block."""
    with ExitStack() as held:
        network = network or Network()
        pooler = held.enter_context(pooled(size=60, mode="session", host=network.host))
        shared = {"DATABASE_URL": pooler, "LITMUS_BUCKET_URL": bucket_url, "LITMUS_WEB_PROCESSES": "1"}
        yield Machines(folder, held, network, **shared, **settings)


def at_work(workers: list[Child]) -> list[Child]:
    """Those that do a job now."""
    return [worker for worker in workers if worker.process.poll() is None and len(_open_jobs(worker.output))]


def _open_jobs(log: str) -> set[str]:
    seen = RUNS.findall(log)
    return {job for job, what in seen if what == "received"} - {job for job, what in seen if what == "succeeded"}


class Judge(threading.Thread):
    """Judges over the API until nothing is left, at whichever web server answers."""

    def __init__(self, built: Built, name: str, addresses: list[str]) -> None:
        super().__init__(daemon=True)
        token = make_token(built.people[name])[1]
        self.client = httpx2.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60)
        self.path = f"/api/collections/{built.collection.slug}/campaigns/{built.campaign.slug}/"
        self.addresses, self.confirmed, self.failures, self.error = addresses, list[uuid.UUID](), 0, ""

    def run(self) -> None:
        try:
            while units := self.asked("GET", "next/")["units"]:
                given = {"uuid": str(uuid.uuid4()), "assignment": units[0]["cells"][0]["assignment"]}
                answer = self.asked("POST", "submissions/", {"submissions": [{**given, "answers": {"relevance": 1}}]})
                assert answer["results"][0]["outcome"] == "counted", answer
                self.confirmed.append(uuid.UUID(given["uuid"]))
        except Exception as error:  # noqa: BLE001 - reported by the test
            self.error = repr(error)
        finally:
            self.client.close()

    def asked(self, method: str, path: str, body: object = None) -> Any:
        while True:
            try:
                answer = self.client.request(method, self.addresses[0] + self.path + path, json=body)
            except httpx2.TransportError:
                self.failures += 1
                self.addresses = [*self.addresses[1:], self.addresses[0]]
                assert self.failures < 100, "no web server answers"
                time.sleep(0.05)
            else:
                return answer.raise_for_status().json()

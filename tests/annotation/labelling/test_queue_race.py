"""Twenty clients on one open queue, over HTTP and real processes: no item over k, no label lost, none twice."""

import json
import random
import threading
import uuid
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db.models import Count
from django.test import Client

from annotation.models import Assignment, AssignmentState, Judgment, Strategy, Submission
from tests.factories.adjudication import Built
from tests.factories.labelling import build_work
from tests.processes import web_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

PEOPLE, ITEMS, OVERLAP = 20, 30, 3


class Annotator(threading.Thread):
    """A browser that judges what it is dealt; at times it sends twice at once, skips, undoes, or is opened again."""

    def __init__(self, address: str, path: str, session: str, seed: int) -> None:
        super().__init__(daemon=True)
        self.host, self.path = urlsplit(address).netloc, path
        self.rng = random.Random(seed)
        token = "a" * 32
        self.headers = {
            "Content-Type": "application/json",
            "Cookie": f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={token}",
            "X-CSRFToken": token,
        }
        self.counted: dict[int, str] = {}  # assignment → uuid of the answer that counts, by the server's word
        self.acknowledged: set[str] = set()
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.work()
        except BaseException as error:  # noqa: BLE001 - reported by the test
            self.error = error

    def call(self, method: str, what: str, body: object = None) -> tuple[int, dict]:
        connection = HTTPConnection(self.host, timeout=60)
        connection.request(method, self.path + what, json.dumps(body) if body else None, self.headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer

    def send(self, submission: dict, have: list[list[int]]) -> tuple[int, dict]:
        body = {"submissions": [submission], "have": have}
        twin = None
        if self.rng.random() < 0.3:  # the impatient second press, at the same moment
            twin = threading.Thread(target=self.call, args=("POST", "submissions/", body))
            twin.start()
        answer = self.call("POST", "submissions/", body)
        if twin:
            twin.join()
        assert answer[0] == 200, answer
        self.acknowledged.add(submission["uuid"])
        return answer

    def work(self) -> None:
        hand = self.deal([])
        while hand:
            unit, *hand = hand
            answer = {"uuid": str(uuid.uuid4()), "assignment": unit[0], "answers": {"relevance": self.rng.randrange(3)}}
            if self.rng.random() < 0.1:
                answer = {**answer, "kind": "skip", "reason": "Not English", "answers": {}}
            _, answered = self.send(answer, hand)
            if "kind" not in answer:
                self.counted[unit[0]] = answer["uuid"]
            hand += units(answered)
            if "kind" not in answer and self.rng.random() < 0.1:
                self.take_back(unit, answer, hand)
            if not hand or self.rng.random() < 0.05:
                hand = self.deal([])  # a page opened again

    def take_back(self, unit: list[int], answer: dict, hand: list[list[int]]) -> None:
        undo = {"uuid": str(uuid.uuid4()), "assignment": unit[0], "kind": "undo", "base": answer["uuid"]}
        self.send(undo, hand)
        again = {**answer, "uuid": str(uuid.uuid4()), "base": undo["uuid"]}
        self.send(again, hand)
        self.counted[unit[0]] = again["uuid"]

    def deal(self, have: list[list[int]]) -> list[list[int]]:
        return units(self.call("GET", "next/")[1])


def units(answer: dict) -> list[list[int]]:
    return [[cell["assignment"] for cell in unit["cells"]] for unit in answer["units"]]


def sessions(built: Built) -> list[str]:
    found = []
    for name in built.annotators:
        client = Client()
        client.force_login(built.people[name])
        found.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    return found


def test_twenty_clients_on_one_queue(tmp_path):
    people = [f"annotator{number:02}" for number in range(PEOPLE)]
    built = build_work(items=ITEMS, people=people, overlap=OVERLAP, strategy=Strategy.QUEUE)
    path = f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}/label/"
    with web_server(tmp_path / "web.log", LITMUS_WEB_PROCESSES="2", LITMUS_WEB_THREADS="4") as address:
        clients = [Annotator(address, path, session, seed) for seed, session in enumerate(sessions(built))]
        for client in clients:
            client.start()
        for client in clients:
            client.join(120)
            assert not client.is_alive()
        for _ in range(
            4
        ):  # a client that was done early looks again: others may have skipped what was theirs meanwhile
            for client in clients:
                client.work()
    assert [client.error for client in clients if client.error] == []

    holders = Assignment.objects.filter(slot__isnull=False).values("item").annotate(n=Count("id"))
    assert {row["n"] for row in holders} == {OVERLAP}, "no slot is lost and none is held twice"
    judged = Judgment.objects.values("assignment__item").annotate(n=Count("id"))
    assert max(row["n"] for row in judged) <= OVERLAP

    stored = dict(Judgment.objects.values_list("assignment", "submission__uuid"))
    counted = {assignment: uuid.UUID(number) for client in clients for assignment, number in client.counted.items()}
    assert stored == counted, "what counts is exactly what was acknowledged"
    uuids = set(map(str, Submission.objects.values_list("uuid", flat=True)))
    assert uuids == {number for client in clients for number in client.acknowledged}
    # Slots that are free still are of items that everybody who is left has skipped or judged.
    assert not Assignment.objects.filter(state=AssignmentState.PENDING).exists()
    for free in Assignment.objects.filter(state=AssignmentState.OPEN):
        assert Assignment.objects.filter(item=free.item, annotator__isnull=False).count() == PEOPLE

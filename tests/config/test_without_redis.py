"""Redis is away or refuses to write: people go on labelling, guessing stays limited, only jobs wait, pages say so."""

import http.cookiejar
import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator

import pytest
import redis
from django.contrib.auth.hashers import ScryptPasswordHasher
from django.core.cache import cache
from django.utils import timezone

from accounts import broker, jobs
from accounts.caches import volatile
from accounts.models import JobState, User
from adjudication.models import AgreementRun
from annotation.models import Judgment
from config.embedded.redis import redis_program
from corpus.models import ImportRun
from tests.factories.accounts import PASSWORD, make_token
from tests.factories.corpus import ImportRunFactory
from tests.factories.labelling import Built, assignment_of, build_work, given, send_one
from tests.processes import wait_for, web_server

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

AWAY = "unix:///nowhere/redis.sock?db=0"


@pytest.fixture
def built() -> Built:
    made = build_work(items=6)
    # Hashed in a way that the web server knows and compares cheaply: its usual way takes half a second.
    User.objects.update(password=ScryptPasswordHasher().encode(PASSWORD, "salt", n=2, r=1, p=1))
    return made


@pytest.fixture(scope="module", params=["away", "MISCONF"])
def broken_redis(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of no Redis, and of a real one that answers MISCONF because it cannot save what it holds."""
    if request.param == "away":
        yield AWAY
        return
    place = tmp_path_factory.mktemp("redis")
    socket = tmp_path_factory.mktemp("socket") / "redis.sock"
    options = ["--port", "0", "--unixsocket", socket, "--dir", place]
    with subprocess.Popen(list(map(str, [redis_program(), *options])), stdout=subprocess.DEVNULL) as server:
        try:
            with redis.Redis(unix_socket_path=str(socket)) as client:
                wait_for(lambda: socket.exists() and client.ping(), what="an answer of Redis")
                client.config_set("save", "3600 1")
                place.rmdir()  # nobody can write there then, not even root
                client.set("unsaved", 1)
                client.bgsave()
                wait_for(lambda: _refuses_to_write(client), what="MISCONF")
            yield f"unix://{socket}?db=0"
        finally:
            server.kill()


def _refuses_to_write(client: redis.Redis) -> bool:
    try:
        client.set("unsaved", 2)
    except redis.ResponseError as error:
        return str(error).startswith("MISCONF")
    return False


@pytest.fixture(scope="module")
def address(django_db_setup: None, broken_redis: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A real web server that has never seen a Redis that works."""
    log = tmp_path_factory.mktemp("web") / "web.log"
    with web_server(log, REDIS_URL=broken_redis, LITMUS_DEBUG="1") as found:
        yield found
    assert "Traceback" not in log.read_text()


class Browser:
    """A person without scripts: cookies, forms, redirects."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.jar = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self.jar))

    def ask(self, path: str, data: dict[str, object] | None = None, kind: str = "form") -> tuple[int, str]:
        headers = {"Referer": self.address}
        body = None
        if data is not None:
            headers["X-CSRFToken"] = next(one.value for one in self.jar if "csrf" in one.name)
            body = json.dumps(data).encode() if kind == "json" else urllib.parse.urlencode(data).encode()
            if kind == "json":
                headers["Content-Type"] = "application/json"
        try:
            with self.opener.open(urllib.request.Request(self.address + path, body, headers), timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def sign_in(self, email: str, password: str = PASSWORD) -> tuple[int, str]:
        self.ask("/accounts/login/")
        return self.ask("/accounts/login/", {"login": email, "password": password})


def test_a_person_signs_in_and_labels(address: str, built: Built) -> None:
    ana = Browser(address)
    status, page = ana.sign_in(built.people["ana"].email)
    assert (status, "Sign out" in page) == (200, True)
    path = f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}/label/"
    status, page = ana.ask(path)
    assert status == 200
    unit = json.loads(re.search(r'<script id="[^"]*" type="application/json">(.*?)</script>', page, re.S)[1])["hand"][0]
    answered = {"uuid": str(uuid.uuid4()), "assignment": unit["cells"][0]["assignment"], "answers": {"relevance": 1}}
    status, answer = ana.ask(path + "submissions/", {"submissions": [answered], "have": []}, kind="json")
    assert status == 200, answer
    assert Judgment.objects.count() == 1


def test_a_program_labels_without_a_throttle(address: str, built: Built) -> None:
    key = make_token(built.people["ana"])[1]
    path = f"/api/collections/{built.collection.slug}/campaigns/{built.campaign.slug}/next/"
    request = urllib.request.Request(address + path, headers={"Authorization": f"Bearer {key}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert json.load(answer)["units"]


def test_guessing_is_refused_as_ever(address: str, built: Built) -> None:
    """The right password too, after five wrong ones; and links of forgotten passwords are not sent without end."""
    email = built.people["ana"].email
    for _ in range(5):
        assert "not correct" in Browser(address).sign_in(email, "wrong")[1]
    assert "Too many failed login attempts" in Browser(address).sign_in(email)[1]
    stranger = Browser(address)
    stranger.ask("/accounts/password/reset/")
    answers = (stranger.ask("/accounts/password/reset/", {"email": email})[0] for _ in range(25))
    assert next(answers) == 200
    assert 429 in answers


def test_a_job_waits_and_its_page_says_so(address: str, built: Built) -> None:
    manager = built.people["manager"]
    run = ImportRunFactory(collection=built.collection, state=JobState.QUEUED, requested_at=timezone.now())
    browser = Browser(address)
    browser.sign_in(manager.email)
    status, page = browser.ask(f"/c/{built.collection.slug}/imports/{run.pk}/")
    assert status == 200
    assert "The job queue (Redis) is not available, so this job waits." in page
    assert "Labelling works as usual." in page


def test_a_job_can_be_requested(address: str, built: Built) -> None:
    send_one(built, "ana", given(assignment_of(built, "ana")))
    browser = Browser(address)
    browser.sign_in(built.people["manager"].email)
    campaign = f"/c/{built.collection.slug}/campaigns/{built.campaign.slug}"
    status, page = browser.ask(f"{campaign}/agreement/runs/", {"seed": 1})
    assert status == 200
    assert "so this job waits" in page
    assert AgreementRun.objects.get().state == JobState.QUEUED


def test_a_job_that_could_not_be_sent_is_sent_once_redis_is_back(settings, queue, own_queue, broken_redis) -> None:
    reachable, settings.REDIS_URL = settings.REDIS_URL, broken_redis
    assert not broker.is_reachable()
    run = ImportRunFactory(state=JobState.QUEUED, requested_at=timezone.now() - jobs.LOST_AFTER * 2)
    jobs.send(run)  # no error
    assert ImportRun.objects.get().state == JobState.QUEUED
    settings.REDIS_URL = reachable
    assert jobs.resume_lost_jobs(timezone.now()) == 1
    assert queue.llen(own_queue) == 1


def test_the_cache_forgets_while_redis_is_away_and_limits_do_not(settings, broken_redis) -> None:
    settings.CACHES = settings.CACHES | {"volatile": settings.CACHES["volatile"] | {"LOCATION": broken_redis}}
    for kept, expected in ((volatile, None), (cache, 1)):
        kept.set("count", 1, 60)
        assert kept.get("count") == expected
    assert volatile.get_many(["count"]) == {}
    assert volatile.add("count", 1) is False
    assert volatile.delete("count") is False

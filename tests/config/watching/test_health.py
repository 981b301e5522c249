"""Probes answer whatever is down, hangs or waits."""

import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from django.db import connection, connections
from django.db.migrations.recorder import MigrationRecorder

from config.checks import check_files
from config.env import bucket_parameters
from config.watching.health import HealthMiddleware
from tests.processes import PATIENCE, web_server

MOST_SECONDS = 30.0  # a busy machine may add much to the 2.5 that it takes; a silent server takes for ever


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port at which connections are taken and nothing is ever answered, as by a machine that hangs."""
    with socket.create_server(("127.0.0.1", 0), backlog=100) as listener:
        yield listener.getsockname()[1]


def ready(rf, middleware=None):
    return (middleware or HealthMiddleware(lambda request: None))(rf.get("/readyz"))


def test_healthz_answers_any_host_without_a_session(client):
    response = client.get("/healthz", headers={"host": "10.0.0.7:8000"})
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}
    assert not response.cookies


@pytest.mark.django_db
def test_readyz_names_what_is_ready_and_keeps_no_connection_of_the_pool(rf):
    before = in_use()
    response = ready(rf)
    assert (response.status_code, response.content) == (200, b'{"database": "ok", "redis": "ok"}')
    assert in_use() == before


def in_use() -> int:
    """How many connections of the pool somebody holds."""
    figures = connection.pool.get_stats()
    return figures["pool_size"] - figures["pool_available"]


@pytest.mark.django_db(transaction=True)
def test_readyz_refuses_until_the_database_is_migrated(rf):
    recorded = MigrationRecorder.Migration.objects.filter(app="accounts")
    rows = list(recorded)
    recorded.delete()
    try:
        response = ready(rf)
    finally:
        MigrationRecorder.Migration.objects.bulk_create(rows)
    assert response.status_code == 503
    assert b"manage.py migrate" in response.content


@pytest.mark.django_db
def test_readyz_stays_ready_without_redis_because_labelling_goes_on(rf, settings):
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    response = ready(rf)
    assert response.status_code == 200
    assert b"not reachable: background jobs wait" in response.content
    assert b"nowhere" not in response.content


def test_readyz_without_servers(rf, settings, monkeypatch, django_db_blocker):
    """Both servers are away: the answer is 503, names both and reveals no address."""
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", "/nowhere")
    settings.REDIS_URL = "unix:///nowhere/redis.sock"
    with django_db_blocker.unblock():
        response = ready(rf)
    assert response.status_code == 503
    assert b"nowhere" not in response.content
    assert response.content.count(b"not reachable") == 2


@pytest.mark.slow
def test_readyz_answers_in_time_while_both_servers_are_silent(
    rf, settings, monkeypatch, django_db_blocker, silent_port
):
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", "127.0.0.1")
    monkeypatch.setitem(connections["default"].settings_dict, "PORT", str(silent_port))
    settings.REDIS_URL = f"redis://127.0.0.1:{silent_port}/0"
    with django_db_blocker.unblock():
        middleware = HealthMiddleware(lambda request: None)
        began = time.monotonic()
        response = ready(rf, middleware)
        assert time.monotonic() - began < MOST_SECONDS
        for probe in (middleware.database, middleware.redis):
            assert probe.ended.wait(PATIENCE)
    assert (response.status_code, response.content.count(b"not reachable")) == (503, 2)


@pytest.mark.services
def test_readyz_answers_in_time_while_all_threads_wait_for_the_database(tmp_path, django_db_blocker, silent_port):
    """Requests that wait for a connection of the pool fill every thread; the probe is not behind them."""
    away = {
        "DATABASE_URL": f"postgres://litmus:pass@127.0.0.1:{silent_port}/litmus",
        "REDIS_URL": f"redis://127.0.0.1:{silent_port}/0",
        "LITMUS_WEB_PROCESSES": "1",
        "LITMUS_WEB_THREADS": "2",
    }
    with django_db_blocker.unblock(), web_server(tmp_path / "web.log", patient=False, **away) as address:
        waiting = [threading.Thread(target=status_of, args=(f"{address}/questions/none/",)) for _ in range(6)]
        for thread in waiting:
            thread.start()
        time.sleep(1)
        began = time.monotonic()
        assert status_of(f"{address}/readyz") == 503
        assert time.monotonic() - began < MOST_SECONDS
        assert all(thread.is_alive() for thread in waiting), "the requests did not wait at all"


def status_of(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code
    except OSError:
        return 0


@pytest.mark.browser
def test_a_real_browser_reaches_the_live_server(page):
    assert page.goto("/healthz").ok
    assert "ok" in page.text_content("body")


@pytest.mark.services
@pytest.mark.django_db
def test_readyz_names_a_bucket_that_is_away_and_stays_ready(rf, settings, in_bucket):
    settings.BUCKET = bucket_parameters(in_bucket)
    assert json.loads(ready(rf).content) == {"database": "ok", "redis": "ok", "files": "ok"}
    options = {**settings.BUCKET, "bucket_name": "gone"}
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"], "OPTIONS": options}}
    response = ready(rf)
    assert response.status_code == 200
    assert json.loads(response.content)["files"] == "not reachable: uploads, papers and releases wait"
    assert [each.id for each in check_files()] == ["litmus.E002"]

import pytest
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.db.migrations.recorder import MigrationRecorder

from config.health import HealthMiddleware


def test_healthz_answers_any_host_without_a_session(client):
    response = client.get("/healthz", headers={"host": "10.0.0.7:8000"})
    assert response.status_code == 200
    assert response.json() == {"status": "ok"}
    assert not response.cookies


@pytest.mark.django_db
def test_readyz_names_what_is_ready(client):
    response = client.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"database": "ok", "redis": "ok"})


@pytest.mark.django_db
def test_readyz_refuses_until_the_database_is_migrated(rf):
    MigrationRecorder.Migration.objects.filter(app="accounts").delete()
    response = HealthMiddleware(lambda request: None)(rf.get("/readyz"))
    assert response.status_code == 503
    assert b"manage.py migrate" in response.content


def test_readyz_without_servers(rf, settings, monkeypatch, django_db_blocker):
    """Both servers are away: the answer is 503, names both and tells no address."""
    away = DatabaseWrapper(connections.settings["default"] | {"HOST": "/nowhere", "OPTIONS": {}})
    monkeypatch.setattr("config.health.connection", away)
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "unix:///nowhere/redis.sock"}}
    with django_db_blocker.unblock():
        response = HealthMiddleware(lambda request: None)(rf.get("/readyz"))
    assert response.status_code == 503
    assert b"nowhere" not in response.content
    assert response.content.count(b"not reachable") == 2


@pytest.mark.browser
def test_a_real_browser_reaches_the_live_server(page):
    assert page.goto("/healthz").ok
    assert "ok" in page.text_content("body")

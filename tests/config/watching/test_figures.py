"""Figures of operation: only for the token, and what they say is what happened."""

import json
from datetime import timedelta
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from django.db import connections
from django.urls import reverse
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from config.watching import figure_page
from config.watching.figure_page import Figure, FigureTable, find_troubles
from tests.factories.accounts import UserFactory
from tests.factories.corpus import ImportRunFactory
from tests.processes import web_server

pytestmark = pytest.mark.django_db
TOKEN = "a token that is long enough to be a secret"


@pytest.fixture
def scrape(client, settings):
    settings.METRICS_TOKEN = TOKEN

    def figures():
        response = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}", "Host": "10.0.0.7:8000"})
        assert response.status_code == 200
        families = text_string_to_metric_families(response.text)
        return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}

    return figures


@pytest.mark.parametrize("sent", [{}, {"Authorization": "Bearer no"}, {"Authorization": TOKEN}])
def test_without_the_token_nothing_is_said(client, settings, sent):
    settings.METRICS_TOKEN = TOKEN
    response = client.get("/metrics", headers=sent)
    assert (response.status_code, response.text) == (401, "The token is missing or wrong.")


def test_without_the_setting_there_is_no_such_page(client, settings):
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_requests_are_counted_by_page_and_what_strangers_invent_is_one_figure(client, scrape):
    client.force_login(UserFactory())
    before = scrape()
    for path in ("/no/such/page", "/no/other/page"):
        client.get(path)
    client.generic("INVENT", reverse("home"))
    after = scrape()

    def more(*key):
        return after.get(key, 0) - before.get(key, 0)

    assert more("litmus_http_requests_total", "GET", "404", "none") == 2
    assert more("litmus_http_requests_total", "other", "405", "home") == 1
    assert more("litmus_http_request_seconds_count", "home") == 1
    assert not any("no/such/page" in str(key) or "INVENT" in key for key in after)


@pytest.mark.django_db(transaction=True)
def test_jobs_are_counted_by_kind_and_state_with_the_age_of_the_oldest_that_waits(scrape):
    before = scrape()
    now = timezone.now()
    for minutes in (3, 9):
        ImportRunFactory(state="queued", requested_at=now - timedelta(minutes=minutes))
    ImportRunFactory(state="done", requested_at=now - timedelta(hours=1))
    after = scrape()
    assert after["litmus_jobs", "imports", "queued"] == 2
    assert after["litmus_jobs", "imports", "done"] == before.get(("litmus_jobs", "imports", "done"), 0) + 1
    assert 9 * 60 <= after["litmus_oldest_waiting_job_seconds", "heavy"] < 20 * 60
    assert after["litmus_oldest_waiting_job_seconds", "quick"] == 0
    assert [after["litmus_waiting_jobs", name] for name in ("quick", "heavy", "index")] == [0, 2, 0]
    assert (after["litmus_database_up",], after["litmus_queue_up",]) == (1, 1)
    assert after["litmus_database_bytes",] > 1e6
    assert after["litmus_free_bytes", "files"] > 0
    assert after["litmus_files_up",] == 1


def test_servers_that_are_away_are_said_to_be_and_the_rest_is_there(scrape, settings, monkeypatch):
    settings.REDIS_URL = "redis://127.0.0.1:9/0"
    monkeypatch.setitem(connections["default"].settings_dict, "PORT", "9")
    monkeypatch.setitem(connections["default"].settings_dict, "HOST", "127.0.0.1")
    found = scrape()
    assert (found["litmus_database_up",], found["litmus_queue_up",]) == (0, 0)
    assert not {"litmus_jobs", "litmus_queue_messages", "litmus_workers"} & {key[0] for key in found}
    assert found["litmus_free_bytes", "files"] > 0


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_the_processes_of_a_web_server_add_up_what_they_count(tmp_path):
    """Sixteen requests over two processes, on new connections each, and the figures from whichever answers."""
    settings = {"LITMUS_WEB_PROCESSES": "2", "LITMUS_METRICS_TOKEN": TOKEN, "LITMUS_LOG_FORMAT": "json"}
    with web_server(tmp_path / "log", LITMUS_ACCESS_LOG="1", **settings) as address:
        for _ in range(16):
            with pytest.raises(HTTPError) as refused:
                urlopen(f"{address}/api/collections/")
            number = refused.value.headers["X-Request-ID"]
            refused.value.close()
        asked = Request(f"{address}/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
        with urlopen(asked) as answer:
            figures = answer.read().decode()
    assert 'litmus_http_requests_total{method="GET",status="401",view="api_collections"} 16.0' in figures
    assert 'litmus_database_connections{state="waiting"} 0.0' in figures
    lines = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines() if line.startswith("{")]
    assert {"time", "level", "logger", "message"} <= lines[0].keys()
    assert [line["request_id"] for line in lines if line["logger"] == "gunicorn.access"].count(number) == 1


def test_staff_see_the_same_figures_and_where_to_collect_them(client, settings, monkeypatch):
    settings.METRICS_TOKEN = ""
    monkeypatch.setattr(figure_page, "SLOWEST", 1000)  # pages of other tests may have taken longer
    client.force_login(UserFactory(is_staff=True))
    client.get(reverse("home"))
    page = client.get(reverse("state_figures")).text
    assert "<code>home</code>" in page
    assert "litmus_database_bytes" in page
    assert page.index("Background jobs and workers") < page.index("Pages that took most time")
    assert ("Nothing needs attention." in page) is not ("No worker answered, so background jobs wait." in page)
    assert "LITMUS_METRICS_TOKEN" in page
    client.force_login(UserFactory())
    assert client.get(reverse("state_figures")).status_code == 403


def test_what_needs_attention_is_said_in_words():
    def table(name, *values, of=()):
        return FigureTable(name, "", (), [Figure(of, value, "") for value in values])

    fine = [table("litmus_database_up", 1), table("litmus_queue_up", 1), table("litmus_workers", 2)]
    assert find_troubles(fine) == []
    [idle] = find_troubles([*fine[:2], table("litmus_workers", 0)])
    assert idle == "No worker answered, so background jobs wait."
    assert (idle.remedy.label, idle.remedy.href) == ("How to start a worker", "/docs/operations/#workers")
    assert find_troubles([]) == [
        "PostgreSQL did not answer in time.",
        "Redis did not answer, so background jobs wait.",
    ]
    late = table("litmus_oldest_waiting_job_seconds", 601, of=("quick",))
    assert find_troubles([*fine[:2], table("litmus_workers", 0), late]) == [idle], "said once: it waits for a worker"
    assert find_troubles([*fine, table("litmus_oldest_waiting_job_seconds", 601, of=("heavy",))]) == []
    one = FigureTable("litmus_workers", "", (), [Figure(("quick",), 1, ""), Figure(("heavy",), 0, "")])
    assert find_troubles([*fine[:2], one]) == ["No worker serves the queue heavy, so its jobs wait."]
    full = table("litmus_database_connections", 3, of=("waiting",))
    assert find_troubles([*fine, late, full]) == [
        "A quick background job has waited for more than ten minutes.",
        "Requests wait for a connection to the database.",
    ]

"""The page for staff: each part is tried for real, against servers that work and servers that do not."""

import json

import pytest
from celery.app.control import Control
from django.core import mail
from django.urls import reverse

from accounts.sql import execute
from config.celery import app as current_app
from config.env import bucket_parameters
from config.state import TESTS, parts, try_part
from tests.factories.accounts import UserFactory
from tests.stubs.chat import Answer, ChatStub, Garbage, Status

pytestmark = pytest.mark.django_db
VECTOR = json.dumps({"data": [{"index": 0, "embedding": [3.0, 4.0]}]}).encode()


@pytest.fixture
def staff():
    return UserFactory(email="op@example.org", is_staff=True)


@pytest.fixture
def no_mail(settings):
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"


def words(key, staff, works):
    outcome = try_part(key, staff)
    assert outcome.works is works, outcome.words
    return outcome.words


def test_the_page_names_what_is_missing_and_offers_no_test_of_it(client, staff, no_mail, settings):
    settings.LLM_BASE_URL = settings.EMBEDDINGS_BASE_URL = ""
    client.force_login(staff)
    page = client.get(reverse("state")).text
    assert {part.key for part in parts()} == set(TESTS)
    for name in ("LITMUS_EMAIL_URL", "LITMUS_LLM_BASE_URL", "LITMUS_EMBEDDINGS_BASE_URL"):
        assert name in page
    assert page.count('href="/docs/configuration/#:~:text=LITMUS_') == 3
    assert page.count(">not set up<") == page.count('aria-disabled="true"') == 3
    assert page.count('<button class="button" type="submit">Test') == 3
    assert settings.SECRET_KEY not in page


def test_the_page_shows_addresses_without_what_is_secret_in_them(client, staff, settings):
    settings.LLM_BASE_URL, settings.LLM_MODEL = "https://me:hidden@llm.example/v1?key=hidden", "m"
    client.force_login(staff)
    page = client.get(reverse("state")).text
    assert "https://llm.example/v1" in page
    assert "hidden@" not in page
    assert "key=hidden" not in page


def test_a_test_that_fails_leads_to_what_to_do(client, staff, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.INDEX_DIR = tmp_path / "file" / "indexes"
    client.force_login(staff)
    card = client.post(reverse("state_test", args=["storage"]), headers={"HX-Request": "true"}).text
    assert '<a href="/docs/operations/#when-something-is-wrong">When something is wrong</a>' in card


def test_a_test_by_htmx_gives_its_card_and_without_it_the_page(client, staff):
    client.force_login(staff)
    address = reverse("state_test", args=["storage"])
    card = client.post(address, headers={"HX-Request": "true"}).text
    assert card.count("state-part") == 1
    assert "Every place can be written" in card
    assert client.post(address).text.count("state-part") == len(TESTS)
    assert client.post(reverse("state_test", args=["nothing"])).status_code == 404


def test_mail(staff, settings):
    assert words("mail", staff, True) == "The mail server took a mail to op@example.org."
    assert mail.outbox[0].to == ["op@example.org"]
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    assert "refused" in words("mail", staff, False)
    settings.EMAIL_BACKEND = "accounts.mail.NoServerBackend"
    assert "no mail server is set up" in words("mail", staff, False)


def test_a_language_model(staff, settings):
    with ChatStub([Answer("yes"), Status(401)]) as stub:
        settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_API_KEY = stub.url, "m", "very-secret"
        assert words("language-model", staff, True).startswith("m at default answered “yes” in ")
        refused = words("language-model", staff, False)
    assert "401" in refused
    assert "very-secret" not in refused
    settings.LLM_BASE_URL = ""
    assert "No language model is set up" in words("language-model", staff, False)


def test_embeddings(staff, settings):
    with ChatStub([Garbage(VECTOR, "application/json"), Status(404)]) as stub:
        settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_MODEL = stub.url, "m"
        assert words("embeddings", staff, True).startswith("m at default answered with a vector of 2 numbers in ")
        assert "404" in words("embeddings", staff, False)


def test_storage(staff, settings, tmp_path):
    settings.INDEX_DIR = tmp_path / "indexes"
    assert "can be written" in words("storage", staff, True)
    (tmp_path / "file").write_text("")
    settings.INDEX_DIR = tmp_path / "file" / "indexes"
    assert words("storage", staff, False).startswith(f"Indexes: {settings.INDEX_DIR} cannot be written")


@pytest.mark.services
def test_a_bucket_that_is_missing_is_named_without_its_key(staff, settings, in_bucket):
    settings.BUCKET = {**bucket_parameters(in_bucket), "bucket_name": "gone"}
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"], "OPTIONS": settings.BUCKET}}
    assert words("storage", staff, False) == "Files: There is no bucket gone. Create it, or correct LITMUS_BUCKET_URL."
    (part,) = (part for part in parts() if part.key == "storage")
    assert part.facts[0] == ("Files", "s3://gone/of/tests")
    assert "verysecretword" not in str(part.facts)


def test_versions(staff, settings):
    assert "has every table of this version" in words("versions", staff, True)
    settings.CACHE_URL = "redis://127.0.0.1:9/0"
    assert "did not answer" in words("versions", staff, False)


def test_what_a_pooler_did_not_pass_on_is_named(client, staff, settings):
    settings.TRANSACTION_POOLER = True
    client.force_login(staff)
    assert "Wrong setting" not in client.get(reverse("state")).text
    execute("SET LOCAL jit = on")
    assert 'jit is on, not off. <a href="/docs/operations/#behind-pgbouncer">' in client.get(reverse("state")).text


@pytest.mark.slow
def test_workers_that_are_away(staff, monkeypatch):
    control = Control(current_app)
    control.mailbox.exchange.name = "unserved.pidbox"  # the worker of other tests listens to another
    monkeypatch.setitem(vars(current_app), "control", control)
    assert "No worker answered" in words("workers", staff, False)


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_workers(staff, celery_worker):
    assert "1 answered" in words("workers", staff, True)

"""Imports through the API: an answer at once, or word that another import is in the way."""

import psycopg
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from corpus.imports import api as imports
from corpus.models import Collection, Document, ImportRun, Role, Topic
from tests.factories.accounts import CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection() -> Collection:
    return CollectionFactory(slug="tea")


@pytest.fixture
def another_import(collection: Collection):
    """Another worker's transaction that imports into the collection."""
    parameters = connection.get_connection_params()
    known = {name: parameters[name] for name in ("dbname", "user", "host", "port", "password") if parameters.get(name)}
    with psycopg.connect(**known) as other:
        other.execute("SELECT pg_advisory_xact_lock(hashtext('corpus import'), %s::int)", [collection.pk])
        yield other


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("api_documents", {"documents": [{"docno": "d1", "title": "On tea"}]}),
        ("api_topics", {"topics": [{"number": "1", "text": "Which tea?"}]}),
    ],
)
def test_a_request_waits_for_another_import_only_so_long(
    client: Client, collection: Collection, another_import, monkeypatch, settings, tmp_path, name: str, body: dict
) -> None:
    settings.MEDIA_ROOT = tmp_path  # without files of other tests
    monkeypatch.setattr(imports, "PATIENCE", 0.3)
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    address = reverse(name, args=["tea"])
    answer = client.post(address, body, content_type="application/json")
    assert (answer.status_code, answer["Content-Type"]) == (409, "application/problem+json")
    assert int(answer["Retry-After"]) > 0
    assert "Another import of this collection is running" in answer.json()["detail"]
    assert not Document.objects.exists()
    assert not Topic.objects.exists()
    run = ImportRun.objects.get()
    assert (run.state, run.created) == ("failed", 0)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    another_import.rollback()
    assert client.post(address, body, content_type="application/json").json()["created"] == 1


def test_an_option_of_other_records_is_refused(client: Client, collection: Collection, settings, tmp_path) -> None:
    """It would do nothing: years leave out documents, and no topics."""
    settings.MEDIA_ROOT = tmp_path
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)

    def send(kind: str) -> HttpResponse:
        sent = {
            "kind": kind,
            "files": SimpleUploadedFile("a.jsonl", b'{"id": "d1", "title": "Tea"}\n'),
            "year_from": "2001",
        }
        return client.post(reverse("api_imports", args=["tea"]), sent)

    refused = send("topics")
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["year_from"])
    assert "dry_run, encoding, files, format, kind" in refused.text
    assert not ImportRun.objects.exists()
    assert (taken := send("documents")).status_code == 202, taken.text

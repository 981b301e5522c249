"""Documents become searchable: with each change at once, after large imports by a job, and never with another text."""

from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.models import AuditEvent, JobState
from accounts.refusals import Conflict
from corpus.documents import indexing
from corpus.documents import storing as loading
from corpus.documents.finding import search_documents, unfinished_indexing
from corpus.documents.indexing import index_again
from corpus.imports.requests import undo_import
from corpus.models import Collection, Document, ImportRun, Indexing, Role, SearchEntry
from tests.corpus.imports.importing import import_files, jsonl
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory
from tests.factories.corpus import DocumentFactory

ROWS = [{"id": f"d{n}", "title": f"Tea {n}", "abstract": "Leaves in water."} for n in range(7)]


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every import is large, every batch small."""
    monkeypatch.setattr(loading, "SEARCHABLE_AT_ONCE", 0)
    monkeypatch.setattr(indexing, "BATCH", 3)


def hits(collection: Collection, text: str) -> list[str]:
    return sorted(hit.docno for hit in search_documents(collection, text).hits)


def imported(collection: Collection, tmp_path: Path, rows: list[dict[str, Any]]) -> ImportRun:
    run = import_files(collection, jsonl(tmp_path / f"{ImportRun.objects.count()}.jsonl", rows))
    assert run.state == JobState.DONE, run.reason
    return run


def test_a_document_is_searchable_with_each_change_of_its_text(collection: Collection) -> None:
    document = DocumentFactory(collection=collection, title="Tea", abstract="")
    assert hits(collection, "tea") == [document.docno]
    Document.objects.filter(pk=document.pk).update(title="Coffee")
    assert (hits(collection, "tea"), hits(collection, "coffee")) == ([], [document.docno])
    document.delete()
    assert not SearchEntry.objects.exists()


def test_a_small_import_is_searchable_at_once(collection: Collection, tmp_path: Path) -> None:
    imported(collection, tmp_path, ROWS)
    imported(collection, tmp_path, [{**ROWS[0], "title": "Coffee"}])
    assert hits(collection, "coffee") == ["d0"]
    assert len(hits(collection, "tea")) == 6
    assert unfinished_indexing(collection) is None


@pytest.mark.usefixtures("large")
def test_a_large_import_is_searchable_after_its_job(collection: Collection, tmp_path: Path) -> None:
    DocumentFactory(collection=collection, docno="older", title="Tea")
    imported(collection, tmp_path, ROWS)
    assert hits(collection, "tea") == ["older"]
    job = unfinished_indexing(collection)
    assert job is not None
    assert job.state == JobState.QUEUED
    jobs.carry_out(job)
    assert len(hits(collection, "tea")) == 8
    assert unfinished_indexing(collection) is None
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == (JobState.DONE, 8, 8)
    jobs.carry_out(job)  # sent twice


@pytest.mark.usefixtures("large")
def test_a_changed_text_is_never_found_by_its_former_words(collection: Collection, tmp_path: Path) -> None:
    imported(collection, tmp_path, ROWS)
    jobs.carry_out(Indexing.objects.get())
    imported(collection, tmp_path, [{**ROWS[0], "title": "Coffee"}, {**ROWS[1], "year": 1999}])
    assert len(hits(collection, "tea")) == 6  # d1 kept its text, so its entry as well
    assert hits(collection, "coffee") == []
    jobs.carry_out(Indexing.objects.latest("pk"))
    assert hits(collection, "coffee") == ["d0"]


@pytest.mark.usefixtures("large")
def test_nothing_changed_needs_no_job_and_a_dry_run_none(collection: Collection, tmp_path: Path) -> None:
    import_files(collection, jsonl(tmp_path / "dry.jsonl", ROWS), dry_run=True)
    assert not Indexing.objects.exists()
    imported(collection, tmp_path, ROWS)
    imported(collection, tmp_path, ROWS)
    assert Indexing.objects.count() == 1


@pytest.mark.usefixtures("large")
def test_undoing_an_import_takes_its_entries(collection: Collection, tmp_path: Path) -> None:
    imported(collection, tmp_path, ROWS)
    changing = imported(collection, tmp_path, [{**ROWS[0], "title": "Coffee"}, {"id": "new", "title": "Coffee"}])
    jobs.carry_out(Indexing.objects.latest("pk"))
    undo_import(by=None, at=AT, run=changing)
    assert hits(collection, "coffee") == []
    assert len(hits(collection, "tea")) == 7


@pytest.mark.usefixtures("large")
def test_a_job_that_was_killed_goes_on_where_it_was(
    collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported(collection, tmp_path, ROWS)
    job = Indexing.objects.get()
    real = indexing._fill

    def dies_after_one(collection_id: int, after: str) -> tuple[int, str | None]:
        if after:
            raise MemoryError
        return real(collection_id, after)

    monkeypatch.setattr("corpus.documents.indexing._fill", dies_after_one)
    with pytest.raises(MemoryError):
        jobs.carry_out(job)
    assert SearchEntry.objects.count() == 3
    monkeypatch.setattr("corpus.documents.indexing._fill", real)
    jobs.carry_out(index_again(by=None, at=AT, collection=collection, send=False))
    assert SearchEntry.objects.count() == 7


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("large")
def test_documents_that_somebody_holds_are_passed_over_and_then_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = CollectionFactory(slug="tea")
    import_files(collection, jsonl(tmp_path / "a.jsonl", ROWS))
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("UPDATE corpus_document SET title = 'Coffee' WHERE docno = 'd1'")
        monkeypatch.setattr(jobs.time, "sleep", lambda _: other.commit())
        jobs.carry_out(Indexing.objects.get())
    assert Indexing.objects.get().state == JobState.DONE
    assert len(hits(collection, "tea")) == 6
    assert hits(collection, "coffee") == ["d1"]


class TestPages:
    @pytest.fixture
    def client(self, collection: Collection, client: Client) -> Client:
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        return client

    def page(self, client: Client) -> str:
        return client.get(reverse("document_list", args=["tea"]), {"q": "tea"}).content.decode()

    @pytest.mark.usefixtures("large")
    def test_it_says_what_is_not_searchable_yet(self, collection: Collection, client: Client, tmp_path: Path) -> None:
        imported(collection, tmp_path, ROWS)
        assert "The documents of the last import are not searchable yet." in self.page(client)
        Indexing.objects.update(state=JobState.RUNNING, done=1234, total=5678)
        assert "1,234 of 5,678 documents are searchable so far." in self.page(client)
        Indexing.objects.update(state=JobState.DONE)
        assert "searchable" not in self.page(client)

    def test_after_a_failure_a_manager_starts_it_again(self, collection: Collection, client: Client) -> None:
        Indexing.objects.create(collection=collection, requested_at=AT, state=JobState.FAILED, reason="Unexpected: X")
        assert "Indexing failed, so search misses some of the documents. Unexpected: X" in self.page(client)
        client.post(reverse("indexing_create", args=["tea"]))
        assert Indexing.objects.latest("pk").state == JobState.QUEUED
        assert AuditEvent.objects.filter(verb="request_indexing", scope_id=collection.pk).exists()
        with pytest.raises(Conflict), transaction.atomic():
            index_again(by=None, at=AT, collection=collection)


@pytest.mark.usefixtures("large")
def test_command(collection: Collection, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    imported(collection, tmp_path, ROWS)
    call_command("index_documents", "tea", "--json")
    assert capsys.readouterr().out.strip() == '{"documents": 7}'
    assert len(hits(collection, "tea")) == 7
    assert unfinished_indexing(collection) is None

"""What one collection may hold: documents and files of imports, refused at every door with the figures."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.refusals import Refused
from corpus.imports.requests import request_import, request_import_after_dry_run, undo_import
from corpus.models import Collection, ImportRun, Role
from tests.corpus.imports.importing import counts, import_files, jsonl
from tests.databases import at_once
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db
WHO = r"Only the operator of this Litmus can change the limit \(LITMUS_COLLECTION_"


@pytest.fixture
def collection() -> Collection:
    return CollectionFactory(slug="tea")


def documents(folder: Path, first: int, count: int, title: str = "Tea") -> Path:
    rows = [{"id": f"d{number}", "title": title} for number in range(first, first + count)]
    return jsonl(folder / f"{first}.jsonl", rows)


def upload(size: int) -> "ContentFile[bytes]":
    line = b'{"id": "d1", "title": "Tea"}\n'
    return ContentFile(line + b" " * (size - len(line)), "tea.jsonl")


def request(collection: Collection, size: int, **more: Any) -> ImportRun:
    common = {"by": None, "at": AT, "kind": "documents", "format": "jsonl", "send": False}
    return request_import(collection=collection, files=[upload(size)], **common, **more)


class TestDocuments:
    @pytest.mark.parametrize("dry_run", [False, True])
    def test_no_import_and_no_dry_run_passes_the_limit(
        self, collection: Collection, tmp_path: Path, settings: Any, dry_run: bool
    ) -> None:
        settings.COLLECTION_DOCUMENTS = 5
        assert import_files(collection, documents(tmp_path, 0, 3)).state == "done"
        refused = import_files(collection, documents(tmp_path, 2, 4), dry_run=dry_run)
        assert (refused.state, counts(refused), collection.documents.count()) == ("failed", (0, 0, 0, 0), 3)
        assert refused.reason == (
            "The collection has 3 documents and may have 5. The files hold more than 2 new ones. Nothing was imported."
            " Only the operator of this Litmus can change the limit (LITMUS_COLLECTION_DOCUMENTS)."
        )
        assert counts(import_files(collection, documents(tmp_path, 2, 3), dry_run=dry_run)) == (2, 0, 1, 0)

    def test_a_full_collection_still_takes_corrections(
        self, collection: Collection, tmp_path: Path, settings: Any
    ) -> None:
        import_files(collection, documents(tmp_path, 0, 3))
        settings.COLLECTION_DOCUMENTS = 2  # set later than they came
        assert counts(import_files(collection, documents(tmp_path, 0, 3, title="Coffee"))) == (0, 3, 0, 0)
        assert "more than 0 new ones" in import_files(collection, documents(tmp_path, 3, 1)).reason

    def test_records_that_a_program_sends(self, client: Client, collection: Collection, settings: Any) -> None:
        settings.COLLECTION_DOCUMENTS = 1
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        body = {"documents": [{"docno": f"d{number}", "title": "Tea"} for number in range(2)]}
        answer = client.post(reverse("api_documents", args=["tea"]), body, content_type="application/json")
        assert answer.status_code == 422
        assert "may have 1" in answer.json()["detail"]


class TestFiles:
    def test_those_of_a_dry_run_count_once(self, collection: Collection, settings: Any) -> None:
        settings.COLLECTION_BYTES = 1_000
        manager = MembershipFactory(collection=collection, role=Role.MANAGER)
        tried = request(collection, 600, dry_run=True)
        with pytest.raises(Refused, match=rf"take 0\.1 MB and may take 0\.1 MB\. These files take 0\.1 MB.*{WHO}MB"):
            request(collection, 600)
        ImportRun.objects.filter(pk=tried.pk).update(state="done")
        run = request_import_after_dry_run(by=manager.user, at=AT, dry_run=tried)
        with pytest.raises(Refused):  # they are the import's now
            request(collection, 401)
        ImportRun.objects.filter(pk=run.pk).update(state="failed")
        assert request(collection, 1_000)

    def test_those_that_brought_nothing_and_undone_ones_do_not_count(
        self, collection: Collection, settings: Any, tmp_path: Path
    ) -> None:
        file, others = documents(tmp_path, 10, 10), documents(tmp_path, 20, 10)
        settings.COLLECTION_BYTES = 2 * file.stat().st_size
        first = import_files(collection, file)
        assert [import_files(collection, file).unchanged for _ in range(3)] == [10, 10, 10]
        assert import_files(collection, others).created == 10
        with pytest.raises(Refused):
            import_files(collection, file)
        assert import_files(CollectionFactory(slug="coffee"), file).created == 10
        undo_import(by=None, at=AT, run=first)
        assert import_files(collection, file).created == 10

    def test_nothing_of_a_refused_upload_stays(self, collection: Collection, settings: Any, tmp_path: Path) -> None:
        settings.COLLECTION_BYTES, settings.MEDIA_ROOT = 100, tmp_path
        with pytest.raises(Refused):
            request(collection, 200)
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]
        assert not collection.import_runs.exists()

    @pytest.mark.django_db(transaction=True)
    def test_requests_at_the_same_time_do_not_pass_it_together(self, collection: Collection, settings: Any) -> None:
        settings.COLLECTION_BYTES = 300
        outcomes = at_once(*[partial(request, collection, 100)] * 6)
        assert sum(isinstance(each, Refused) for each in outcomes) == 3
        assert collection.import_runs.count() == 3

    def test_every_door_refuses(self, client: Client, collection: Collection, settings: Any, tmp_path: Path) -> None:
        settings.COLLECTION_BYTES = 10
        client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
        page = reverse("import_create", args=["tea", "documents"])
        answer = client.post(page, {"uploads": SimpleUploadedFile("a.jsonl", upload(40).read()), "format": "jsonl"})
        assert answer.status_code == 422
        assert "LITMUS_COLLECTION_MB" in answer.content.decode()
        sent = {"kind": "documents", "files": SimpleUploadedFile("a.jsonl", upload(40).read())}
        answer = client.post(reverse("api_imports", args=["tea"]), sent)
        assert answer.status_code == 422
        assert "LITMUS_COLLECTION_MB" in answer.json()["detail"]
        with pytest.raises(CommandError, match=f"{WHO}MB"):
            call_command("import_documents", "tea", str(documents(tmp_path, 0, 1)))


@pytest.mark.parametrize("page", [("import_list", "tea"), ("import_create", "tea", "documents")])
def test_pages_show_the_limits_that_are_set(
    client: Client, collection: Collection, settings: Any, tmp_path: Path, page: tuple[str, ...]
) -> None:
    import_files(collection, documents(tmp_path, 0, 3))
    client.force_login(MembershipFactory(collection=collection, role=Role.MANAGER).user)
    name, *place = page
    assert "of at most" not in client.get(reverse(name, args=place)).content.decode()
    settings.COLLECTION_DOCUMENTS, settings.COLLECTION_BYTES = 1_000, 2_000_000
    shown = client.get(reverse(name, args=place)).content.decode()
    assert "3 of at most 1,000 documents are in the collection." in shown
    assert "take 0.1 MB of at most 2.0 MB." in shown

"""Imports in the browser: uploads checked and stored out of reach, a real worker, dry run and follow-up, cancelling."""

import gzip
import html
import io
import json
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import jobs
from accounts.models import JobState
from accounts.refusals import Refused
from corpus.imports.requests import KEPT_AFTER_DRY_RUN, MOST_FILES, request_import
from corpus.loading.uploads import UPLOADS
from corpus.models import Collection, ImportRun, Membership, Role, SearchEntry
from engines.formats.registry import formats_for
from tests.factories.accounts import AT, CollectionFactory, one_member_each
from tests.factories.corpus import ImportRunFactory, TopicFactory
from tests.processes import Child, wait_for

DOCUMENTS = b"".join(
    json.dumps({"id": f"d{n}", "title": f"On tea, part {n}", "abstract": "Leaves and water. " * 20}).encode() + b"\n"
    for n in range(300)
)
BIBTEX = b"@article{key1, title = {On {T}ea}, year = {2001}}\n@article{key2, title = {On pots}, year = {2002}}\n"
PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


def test_the_form_shows_a_sample_and_all_fields_of_each_format(client: Client, members: dict[Role, Membership]) -> None:
    client.force_login(members[Role.MANAGER].user)
    for kind in ("documents", "qrels"):
        page = html.unescape(client.get(reverse("import_create", args=["tea", kind])).content.decode())
        for each in formats_for(kind):
            assert each.layouts[kind].sample in page
            assert all(f"<code>{name}</code>" in page for one in each.layouts[kind].fields for name in one.names)


def test_the_command_prints_samples_and_fields(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("formats", "qrels", "--for", "qrels")
    printed = capsys.readouterr()
    assert "    1 0 10.1145/1 2\n    1 0 10.1145/2 0\n" in printed.out
    assert printed.err == "1 format\n"
    call_command("formats", "--json")
    (sample,) = (
        one["sample"]
        for one in json.loads(capsys.readouterr().out)["formats"]
        if (one["format"], one["records"]) == ("qrels", "qrels")
    )
    assert sample == formats_for("qrels")[1].layouts["qrels"].sample
    with pytest.raises(CommandError, match=r"There is no format no. There are acm-cr, beir"):
        call_command("formats", "no")


@pytest.fixture
def client(members: dict[Role, Membership]) -> Client:
    client = Client()
    client.force_login(members[Role.MANAGER].user)
    return client


def send(client: Client, *files: tuple[str, bytes], kind: str = "documents", **data: Any) -> Any:
    uploads = [SimpleUploadedFile(name, content) for name, content in files]
    return client.post(reverse("import_create", args=["tea", kind]), {"uploads": uploads, "format": "auto", **data})


def uploaded(run: ImportRun) -> list[Path]:
    return [Path(settings.MEDIA_ROOT) / file["path"] for file in run.files]


class TestSending:
    def test_files_are_stored_under_names_of_our_own(self, client: Client, collection: Collection) -> None:
        answer = send(client, ("../../etc/pass\nwd.jsonl", DOCUMENTS), ("b.bib", BIBTEX))
        run = collection.import_runs.get()
        assert answer["Location"] == reverse("import_detail", args=["tea", run.pk])
        assert run.state == JobState.QUEUED
        first, second = uploaded(run)
        assert first.read_bytes() == DOCUMENTS
        assert (first.name, second.name) == ("0", "1")
        assert first.is_relative_to(Path(settings.MEDIA_ROOT) / UPLOADS)
        assert first.parent.stat().st_mode & 0o777 == 0o700
        assert "/" not in run.files[0]["name"]
        assert "\n" not in run.files[0]["name"]
        assert run.total == len(DOCUMENTS) + len(BIBTEX)

    @pytest.mark.parametrize(
        ("name", "content", "reason"),
        [
            ("empty.bib", b"", "the file is empty"),
            ("picture.png", PICTURE, "picture.png is not a text file"),
            ("words.txt", b"just some words\n", "its format is not recognised"),
            ("nul.jsonl", b'{"id": "a"}\n\0', "is not a text file"),
        ],
    )
    def test_garbage_is_refused_at_once(
        self, client: Client, collection: Collection, name: str, content: bytes, reason: str
    ) -> None:
        before = set(Path(settings.MEDIA_ROOT).rglob("*"))
        answer = send(client, (name, content))
        assert (answer.status_code, reason in answer.content.decode()) == (422, True)
        assert not collection.import_runs.exists()
        assert {path for path in Path(settings.MEDIA_ROOT).rglob("*") if path.is_file()} <= before

    def test_a_form_without_files_says_so(self, client: Client, collection: Collection) -> None:
        answer = send(client)
        assert (answer.status_code, b"This field is required" in answer.content) == (422, True)

    def test_more_than_allowed_is_refused_before_it_is_read(self, client: Client, settings: Any) -> None:
        settings.UPLOAD_LIMIT = 1_000_000
        claimed = io.BytesIO(b"x")
        answer = client.generic(
            "POST",
            reverse("import_create", args=["tea", "documents"]),
            claimed.getvalue(),
            content_type="multipart/form-data; boundary=b",
            CONTENT_LENGTH="2200000000",
        )
        assert answer.status_code == 413

    @pytest.mark.parametrize("place", ["import_create", "api_imports"])
    @pytest.mark.parametrize(
        ("count", "of", "reason"), [(101, "files", "At most 100 files"), (5001, "fields", "5,000")]
    )
    def test_more_parts_than_a_request_may_have_are_refused_with_what_to_do(
        self, client: Client, collection: Collection, place: str, count: int, of: str, reason: str
    ) -> None:
        client.handler.enforce_csrf_checks = True  # the first to read the form
        client.get(reverse("import_list", args=["tea"]))  # brings the cookie
        parts = [SimpleUploadedFile(f"{number}.jsonl", DOCUMENTS) for number in range(count)]
        path = reverse(place, args=["tea", "documents"] if place == "import_create" else ["tea"])
        data = {"uploads": parts} if of == "files" else {f"field{number}": "" for number in range(count)}
        answer = client.post(path, data, headers={"Authorization": ""})
        assert (answer.status_code, reason in answer.content.decode()) == (413, True)

    def test_too_many_files_are_refused(self, collection: Collection) -> None:
        with pytest.raises(Refused, match="At most 2,000 files"):
            request_import(
                by=None,
                at=AT,
                collection=collection,
                kind="documents",
                files=[Path("x")] * (MOST_FILES + 1),
                send=False,
            )

    def test_unknown_kinds_are_not_there(self, client: Client, collection: Collection) -> None:
        for kind in ("judgments", "pictures"):
            assert client.get(reverse("import_create", args=["tea", kind])).status_code == 404

    def test_a_compressed_bomb_is_refused(self, client: Client, collection: Collection) -> None:
        bomb = gzip.compress(DOCUMENTS + b" " * 40_000_000)
        assert len(bomb) < 100_000
        send(client, ("bomb.jsonl.gz", bomb))
        run = collection.import_runs.get()
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.FAILED
        assert "the line is longer than 32 MB" in run.reason
        assert not collection.documents.exists()


class TestAfterwards:
    def run_now(self, collection: Collection) -> ImportRun:
        run = collection.import_runs.latest("pk")
        jobs.carry_out(run)
        run.refresh_from_db()
        return run

    def test_a_dry_run_is_followed_by_the_import_of_the_same_files(
        self, client: Client, collection: Collection
    ) -> None:
        send(client, ("a.jsonl", DOCUMENTS + b"broken\n"), dry_run="on", exclude="d1\nd2")
        dry = self.run_now(collection)
        page = client.get(reverse("import_detail", args=["tea", dry.pk])).content.decode()
        assert "Import them now" in page
        assert "298" in page
        assert "a.jsonl" in page
        assert "How the first records were understood" in page
        assert [(one["file"], one["line"]) for one in dry.samples] == [("a.jsonl", line) for line in (1, 4, 5)]
        assert ["docno", "d3"] in dry.samples[1]["fields"]  # d1 and d2 are left out
        assert not collection.documents.exists()
        answer = client.post(reverse("import_follow", args=["tea", dry.pk]))
        run = self.run_now(collection)
        assert answer["Location"] == reverse("import_detail", args=["tea", run.pk])
        assert (run.created, run.skipped, collection.documents.count()) == (298, 3, 298)
        assert run.samples == []  # what came in is looked at where it is
        listed = client.get(reverse("import_list", args=["tea"])).content.decode()
        assert listed.count("a.jsonl") == 2  # the dry run still says what it tried
        again = client.post(reverse("import_follow", args=["tea", dry.pk]), follow=True)
        assert b"no longer stored" in again.content
        send(client, ("a.jsonl", DOCUMENTS), dry_run="on")
        same = client.get(reverse("import_detail", args=["tea", self.run_now(collection).pk])).content.decode()
        assert "No documents would be new or updated." not in same  # d1 and d2 would be new
        send(client, ("a.jsonl", DOCUMENTS), dry_run="on", exclude="d1\nd2")
        same = client.get(reverse("import_detail", args=["tea", self.run_now(collection).pk])).content.decode()
        assert "No documents would be new or updated." in same

    def test_uploads_are_removed_when_nothing_needs_them(self, client: Client, collection: Collection) -> None:
        send(client, ("a.jsonl", DOCUMENTS))
        files = uploaded(collection.import_runs.get())
        assert all(path.exists() for path in files)
        run = self.run_now(collection)
        assert not any(path.parent.exists() for path in files)
        assert [sorted(file) for file in run.files] == [["name", "sha256", "size"]]

    def test_uploads_of_forgotten_dry_runs_go_after_a_week(self, client: Client, collection: Collection) -> None:
        send(client, ("a.jsonl", DOCUMENTS), dry_run="on")
        dry = self.run_now(collection)
        assert uploaded(dry)[0].exists()
        ImportRun.objects.filter(pk=dry.pk).update(requested_at=timezone.now() - 2 * KEPT_AFTER_DRY_RUN)
        send(client, ("b.bib", BIBTEX))
        assert not uploaded(dry)[0].exists()

    def test_failures_say_why_and_where(self, client: Client, collection: Collection) -> None:
        send(client, ("cut.jsonl.gz", gzip.compress(DOCUMENTS)[:-20]))
        run = self.run_now(collection)
        page = client.get(reverse("import_detail", args=["tea", run.pk])).content.decode()
        assert "cut.jsonl.gz" in page
        assert "Nothing was imported" in page
        again = reverse("import_create", args=["tea", "documents"])
        assert f'<strong>Next:</strong> correct the cause above, then <a href="{again}">start it again</a>' in page
        assert page.count("cut.jsonl.gz: ") == 1  # the reason is not repeated as its only problem

    def test_a_file_of_another_kind_leads_to_where_it_is_imported(self, client: Client, collection: Collection) -> None:
        send(client, ("queries.txt", b"Query: 1\nHow hot should the water be?\n"))
        run = self.run_now(collection)
        page = client.get(reverse("import_detail", args=["tea", run.pk])).content.decode()
        assert "holds no documents: it looks like a file of topics (DORIS-MAE)" in page
        assert f'href="{reverse("import_create", args=["tea", "topics"])}"' in page

    def test_reading_in_another_way_is_open_only_where_it_is_what_helps(
        self, client: Client, collection: Collection
    ) -> None:
        for content, is_open in ((b"qid\tquery\nq1\towls\n", False), (b"Nr;Titel\n1;Eulen\n", True)):
            send(client, ("a.csv", content), dry_run="on")
            run = self.run_now(collection)
            assert run.state == JobState.FAILED
            page = client.get(reverse("import_detail", args=["tea", run.pk])).text
            assert ("<details open>" in page) == is_open

    def test_what_came_in_is_not_called_skipped(self, client: Client, collection: Collection) -> None:
        """A run whose documents are unknown keeps its ranks: that is a note. Rankings are counted, not runs."""
        TopicFactory(collection=collection, number="1")
        send(client, ("a.run", b"1 Q0 X 1 3.0 bm25\n"), kind="runs")
        run = ImportRun.objects.get()
        jobs.carry_out(run)
        page = client.get(reverse("import_detail", args=["tea", run.pk])).content.decode()
        assert "new rankings" in page
        assert "1 note</h2>" in page
        assert "What was noticed" in page
        assert "Nothing was skipped because of this: the records came in." in page
        assert "were skipped" not in page
        listed = client.get(reverse("import_list", args=["tea"])).content.decode()
        assert "in rankings" in listed
        assert "1 problem" not in listed
        send(client, ("b.run", b"1 Q0 X 1 3.0 e5\n9 Q0 X 1 3.0 e5\n"), kind="runs", dry_run="on")
        run = ImportRun.objects.latest("pk")
        jobs.carry_out(run)
        page = " ".join(client.get(reverse("import_detail", args=["tea", run.pk])).content.decode().split())
        assert "2 notes</h2>" in page  # an unknown topic and an unknown document are counted, their rows come in
        assert "Nothing would be skipped because of these: the records would c" in page
        assert "rankings that would be new" in page

    def test_a_waiting_import_is_cancelled_once(self, client: Client, collection: Collection) -> None:
        send(client, ("a.jsonl", DOCUMENTS))
        run = collection.import_runs.get()
        address = reverse("job_cancel", args=["imports", run.pk])
        assert b"Cancelled" in client.post(address, follow=True).content
        assert b"has already ended" in client.post(address, follow=True).content
        problems = [{"file": "a.jsonl", "line": 2, "reason": "has no title"}]
        collection.import_runs.update(errors=problems, skipped=1, error_count=1)
        page = client.get(reverse("import_detail", args=["tea", run.pk])).text
        assert "1 problem</h2>" in page
        assert "none of its records were imported" in page
        assert "the others are in" not in page

    def test_errors_are_escaped(self, client: Client, collection: Collection) -> None:
        evil = "<script>alert(1)</script>"
        error = {"file": evil, "line": 1, "reason": f'=cmd|"{evil}"'}
        run = ImportRunFactory(
            collection=collection,
            state=JobState.DONE,
            started_at=AT,
            finished_at=AT,
            files=[{"name": evil, "path": "x", "size": 1, "sha256": ""}],
            errors=[error],
            error_count=1,
            skips={evil: 1},
        )
        for address in (reverse("import_detail", args=["tea", run.pk]), reverse("import_list", args=["tea"])):
            assert evil not in client.get(address).content.decode()

    def test_the_list_costs_the_same_for_many_imports(
        self, client: Client, collection: Collection, django_assert_max_num_queries: Any
    ) -> None:
        for state in (JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.QUEUED) * 6:
            ImportRunFactory(collection=collection, state=state)
        with django_assert_max_num_queries(6):
            assert len(client.get(reverse("import_list", args=["tea"])).context["page"].object_list) == 24


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
class TestWorker:
    """By a real Celery worker, watched as a browser would."""

    def test_an_upload_is_read_by_the_worker(self, celery_worker: Child) -> None:
        members = one_member_each(CollectionFactory(slug="tea"))
        collection = members[Role.MANAGER].collection
        client = Client()
        client.force_login(members[Role.MANAGER].user)
        send(client, ("a.jsonl.gz", gzip.compress(DOCUMENTS)), ("b.bib", BIBTEX))
        run = collection.import_runs.get()
        files = uploaded(run)
        fragment = reverse("job_detail", args=["imports", run.pk])

        def is_final() -> bool:
            answer = client.get(fragment, headers={"HX-Request": "true"})
            assert answer.templates[0].name == "accounts/_job.html"
            return "data-job-final" in answer.content.decode()

        wait_for(is_final, what="the end of the import")
        run.refresh_from_db()
        assert (run.state, run.created) == (JobState.DONE, 302)
        assert SearchEntry.objects.filter(collection=collection, vector="tea").count() == 301
        wait_for(lambda: not any(path.exists() for path in files), what="the removal of its files")

    def test_imports_that_wait_leave_the_workers_to_others(self, celery_worker: Child) -> None:
        """Two imports behind a slow one of their collection once held both processes, and no job went on."""
        tea, silk = CollectionFactory(slug="tea"), CollectionFactory(slug="silk")

        def state(run: ImportRun) -> str:
            return ImportRun.objects.get(pk=run.pk).state

        def others_go_on() -> bool:
            waiting = ImportRun.objects.filter(collection=tea, state=JobState.QUEUED, step__contains="waiting for")
            return waiting.count() == 2 and state(other) == JobState.DONE

        with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as holder:
            # As another import of the collection holds it.
            holder.execute("SELECT pg_advisory_xact_lock(hashtext('corpus import'), %s::int)", [tea.pk])
            first, second, other = (
                request_import(
                    by=None,
                    at=timezone.now(),
                    collection=where,
                    kind="documents",
                    files=[SimpleUploadedFile("a.jsonl", DOCUMENTS)],
                )
                for where in (tea, tea, silk)
            )
            wait_for(others_go_on, what="the import of another collection")
        wait_for(lambda: {state(first), state(second)} == {JobState.DONE}, what="the imports that waited")

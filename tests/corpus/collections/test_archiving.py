"""The archive, deletion, and the backup that brings a collection back."""

import io
import zipfile
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command, get_commands
from django.db import connection
from django.test import Client
from django.urls import reverse
from lxml import html

from accounts import jobs
from accounts.files.folder import FolderStorage
from accounts.files.storage import FilesAway, files
from accounts.job_kinds import kind_of
from accounts.models import AuditEvent, JobState, User
from accounts.refusals import Conflict, Refused
from adjudication.models import Release
from annotation.models import Annotator, Campaign, CampaignState, Judgment, Level, MachineRun, Submission
from corpus.collections.audit import audit_of
from corpus.collections.backup import backup_pieces, restore_backup
from corpus.collections.collections import (
    archive_collection,
    create_collection,
    rename_collection,
    reopen_collection,
    request_removal,
)
from corpus.collections.contents import contents, unfinished_jobs
from corpus.models import Collection, CollectionRemoval, ImportRun, Role
from tests.access_world import World, make_world
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory, UserFactory

pytestmark = pytest.mark.django_db
HASHES = {"manifest_sha256": "a" * 64, "anonymous_sha256": "b" * 64}


@pytest.fixture(scope="module")
def shared_world(module_db: None) -> World:
    """A collection with one of everything, a judgment among it."""
    world = make_world()
    level = Level.objects.filter(criterion__campaign=world.campaign).first()
    sent = Submission.objects.create(uuid=uuid4(), assignment=world.assignment, kind="answer", received_at=AT)
    Judgment.objects.create(assignment=world.assignment, criterion=level.criterion, value=level.value, submission=sent)
    make_committee(world)
    return world


def make_committee(world: World) -> None:
    """Who belongs to it is a table that no model names."""
    named = {"campaign": world.campaign, "name": "committee", "kind": "machine", "model": "committee"}
    annotator = Annotator.objects.create(**named, created_at=AT)
    run = MachineRun.objects.create(
        campaign=world.campaign,
        annotator=annotator,
        kind="committee",
        recipe={},
        recipe_hash="ef" * 32,
        requested_at=AT,
    )
    run.members.add(world.machine_run)


@pytest.fixture
def world(shared_world: World, db: None) -> World:
    """The shared world; what a test writes is rolled back."""
    shared_world.collection.refresh_from_db()
    return shared_world


@pytest.fixture
def archived(world: World) -> World:
    """A collection with one of everything, in the archive."""
    world.collection.campaigns.update(state=CampaignState.CLOSED)
    for content in contents():
        if hasattr(content.model, "is_final"):
            content.of(world.collection.pk).update(state=JobState.CANCELLED, finished_at=AT)
    archive_collection(by=manager(world), at=AT, collection=world.collection)
    world.collection.refresh_from_db()
    return world


def manager(world: World) -> User:
    return world.members[Role.MANAGER].user


def delete(world: World) -> CollectionRemoval:
    run = request_removal(
        by=manager(world), at=AT, collection=world.collection, confirm=world.collection.slug, send=False
    )
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


def rows_of(collection_id: int) -> dict[str, list[dict[str, object]]]:
    """All rows of a collection, by table."""
    return {each.name: list(each.of(collection_id).order_by("pk").values()) for each in contents()}


class TestAudit:
    def test_follows_the_collection_and_not_its_slug(self) -> None:
        tea = CollectionFactory(slug="tea")
        rename_collection(by=None, at=AT, collection=tea, slug="teas")
        assert [event.verb for event in audit_of(tea)] == ["rename_collection"]
        # However a slug came to be reused (before addresses were kept, or by hand), no log shows another's events.
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM corpus_collectionaddress WHERE slug = 'tea'")
        assert not audit_of(CollectionFactory(slug="tea")).exists()


class TestArchive:
    def test_refused_while_a_campaign_is_open_or_a_job_runs(self, world: World) -> None:
        Campaign.objects.filter(pk=world.campaign.pk).update(state=CampaignState.OPEN)
        ImportRun.objects.create(collection=world.collection, kind="documents", requested_at=AT)
        with pytest.raises(
            Refused, match=r"Close the campaign “.*” first\. .*The job “import of documents” is not finished"
        ):
            archive_collection(by=manager(world), at=AT, collection=world.collection)

    def test_what_is_open_is_named_with_its_page_on_both_pages(self, world: World, client: Client) -> None:
        client.force_login(manager(world))
        place = [world.collection.slug]
        Campaign.objects.filter(pk=world.campaign.pk).update(state=CampaignState.OPEN)
        still_open = world.collection.campaigns.filter(state=CampaignState.OPEN).order_by("name")
        for page in ("collection_delete", "collection_edit"):
            found = html.fromstring(client.get(reverse(page, args=place)).text)
            links = [
                (a.text_content(), a.get("href")) for a in found.xpath("//li[contains(., 'Close the campaign')]/a")
            ]
            pages = [reverse("campaign_detail", args=[*place, one.slug]) for one in still_open]
            assert links == [(f"Go to campaign “{one}”", page) for one, page in zip(still_open, pages, strict=True)]
            jobs_in_the_way = found.xpath("//li[contains(., 'is not finished. Wait for it')]/a/@href")
            assert jobs_in_the_way == [kind_of(job).address(job) for job in unfinished_jobs(world.collection)]
            assert jobs_in_the_way

    def test_nothing_is_written_by_page_api_or_command(self, archived: World, client: Client) -> None:
        slug = archived.collection.slug
        client.force_login(manager(archived))
        page = client.post(reverse("topic_create", args=[slug]), {"number": "9", "text": "Why?"})
        assert page.status_code == 409
        assert "is archived, so it can be read but not changed" in page.text
        sent = client.post(reverse("api_topics", args=[slug]), [{"number": "9", "text": "Why?"}], "application/json")
        assert sent.status_code == 409
        with pytest.raises(CommandError, match="is archived"):
            call_command("import_documents", slug, __file__)
        assert client.get(reverse("document_list", args=[slug])).status_code == 200

    def test_outsiders_do_not_learn_of_it(self, archived: World, client: Client) -> None:
        client.force_login(UserFactory())
        assert client.post(reverse("topic_create", args=[archived.collection.slug])).status_code == 404

    def test_listed_apart_and_reopened(self, archived: World, client: Client) -> None:
        client.force_login(manager(archived))
        assert "Archived collections (1)" in client.get(reverse("collection_list")).text
        client.post(reverse("collection_reopen", args=[archived.collection.slug]))
        assert "Archived collections" not in client.get(reverse("collection_list")).text
        verbs = audit_of(archived.collection).values_list("verb", flat=True)
        assert list(verbs[:2]) == ["reopen_collection", "archive_collection"]


READING = {"backup_collection", "collection_stats", "evaluate", "explain", "export", "export_run", "pool_report"}
READING |= {"costs", "gold_results", "machine_audit", "pay_sheet", "quality", "sample_size", "verify_release"}
ENDING = {"archive_collection", "delete_collection", "restore_collection"}  # what an archive is for
OF_NO_COLLECTION = {"changepassword", "create_collection", "create_user", "erase_person", "export_person"}
OF_NO_COLLECTION |= {"first_code", "formats", "add_endpoint", "change_endpoint", "remove_endpoint", "test_endpoint"}
SLUG, FILE = "tea", __file__
WRITING: dict[str, tuple[str, ...]] = {
    "add_webhook": (SLUG, "https://hooks.example.org/"),
    "change_webhook": (SLUG, "WEBHOOK", "--events", "job.done"),
    "ping_webhook": (SLUG, "WEBHOOK"),
    "redeliver_message": (SLUG, "DELIVERY"),
    "remove_webhook": (SLUG, "WEBHOOK"),
    "replace_webhook_secret": (SLUG, "WEBHOOK"),
    "add_annotators": (SLUG, "main", "outsider@example.org"),
    "add_member": (SLUG, "outsider@example.org", "viewer"),
    "adjudicate": (SLUG, "main", "--policy", "majority"),
    "adjudicate_papers": (SLUG, "undo", "contexts", "PAPER"),
    "agreement": (SLUG, "main"),
    "anno_gpt": (SLUG, "decide", "1", "stop", "--reason", "Enough."),
    "annotate": (SLUG, "main", "--kind", "lexical"),
    "assign": (SLUG, "main"),
    "author_calls": (SLUG, "create", "authors", "--deadline-at", "2999-12-31"),
    "build_items": (SLUG, "main"),
    "build_pools": (SLUG,),
    "make_run": (SLUG, "ours", "--recipe", "bm25"),
    "prompts": (SLUG, "write", FILE, "--purpose", "questions"),
    "state_release_address": (SLUG, "RELEASE", "--doi", "10.5281/zenodo.1"),
    "release": (SLUG, "v1"),
    "order_queue": (SLUG, "main", "random"),
    "correct_machine_labels": (SLUG, "main", FILE, "--by", "manager@example.org"),
    "create_campaign": (SLUG, "Another"),
    "delete_split": (SLUG, "SPLIT"),
    "draw_audit_sample": (SLUG, "main"),
    "draw_known_answers": (SLUG, "main", "dev", "2"),
    "change_cutoffs": (SLUG, "QUESTIONS", "--overlap-definition", "words"),
    "generate_questions": (SLUG,),
    "judge_unjudged": (SLUG, "--gold", "targets", "--run", "bm25", "--name", "More"),
    "import_documents": (SLUG, FILE),
    "invite_people": (SLUG, FILE, "--by", "MANAGER"),
    "import_judgments": (SLUG, "main", FILE),
    "import_known_answers": (SLUG, "main", FILE),
    "import_mentions": (SLUG, FILE),
    "import_papers": (SLUG, FILE),
    "import_pool": (SLUG, FILE),
    "import_qrels": (SLUG, FILE),
    "import_runs": (SLUG, FILE),
    "import_topics": (SLUG, FILE),
    "index_documents": (SLUG,),
    "make_context_topics": (SLUG, "--level", "paragraph"),
    "make_split": (SLUG, "halves", "--parts", "dev=50", "test=50"),
    "make_sub_queries": (SLUG,),
    "remove_items": (SLUG, "main"),
    "rename_collection": (SLUG, "teas"),
    "request_committee": (SLUG, "main", "--members", "machine, run 1"),
    "request_rejudging": (SLUG, "main"),
    "withdraw_rejudging": (SLUG, "main"),
    "rewrites": (SLUG, "decide", "main", "1", "confirmed", "--by", "MANAGER"),
    "search_sheet": (SLUG, "read", FILE, "--name", "engine"),
    "set_consent": (SLUG, "--text", "Agree."),
    "set_pay_rate": (SLUG, "main", "12", "EUR"),
    "set_calibration": (SLUG, "main", "1"),
    "set_known_answer": (SLUG, "main", "1", "1", "--docno", "d1"),
    "set_purpose": (SLUG, "main", "training"),
    "set_paper_doi": (SLUG, "10.1/tea.1", "10.1000/182"),
    "undo_import": (SLUG, "IMPORT"),
    "open_campaign": (SLUG, "main"),
    "close_campaign": (SLUG, "main"),
    "update_annotator": (SLUG, "main", "annotator", "--weight", "2"),
    "update_campaign": (SLUG, "main", "--name", "Other"),
    "update_collection": (SLUG, "--title", "Other"),
}
OUR_APPS = ("accounts", "corpus", "annotation", "adjudication")


class TestCommands:
    @pytest.mark.slow
    def test_every_command_that_writes_is_refused(self, archived: World) -> None:
        named = {name for name, app in get_commands().items() if app in OUR_APPS}
        assert named == {*READING, *ENDING, *OF_NO_COLLECTION, *WRITING}
        known = {"IMPORT": str(archived.import_run.pk), "PAPER": archived.paper.key, "RELEASE": archived.release.name}
        known |= {"WEBHOOK": str(archived.webhook.pk), "DELIVERY": str(archived.webhook.deliveries.get().pk)}
        known |= {"SPLIT": archived.split.name, "QUESTIONS": str(archived.question.reply.run_id)}
        known["MANAGER"] = manager(archived).email
        frozen = {
            "frozen_at": AT,
            "place": "releases/1.1",
            "manifest_sha256": "0" * 64,
            "anonymous_sha256": "0" * 64,
            "state": JobState.DONE,
        }
        Release.objects.filter(pk=archived.release.pk).update(**frozen)
        before = rows_of(archived.collection.pk)
        for name, arguments in WRITING.items():
            with pytest.raises(CommandError, match="is archived, so it can be read but not changed"):
                call_command(name, *(known.get(each, each) for each in arguments))
        assert rows_of(archived.collection.pk) == before

    def test_papers_too(self, archived: World) -> None:
        """The campaign of papers is adjudicated and compared by other actions than the one of grades."""
        papers = archived.own_paper.item.campaign
        for name, arguments in (("adjudicate", ("--policy", "majority")), ("agreement", ())):
            with pytest.raises(CommandError, match="is archived"):
                call_command(name, SLUG, papers.slug, *arguments)

    def test_exports_only_read(self, archived: World, tmp_path: Path) -> None:
        """Prefixes of ids are not remembered either: tests/adjudication/exports/test_beir_ids.py."""
        out = tmp_path / "documents.jsonl"
        before = rows_of(archived.collection.pk)
        call_command("export", SLUG, "--format", "documents", "--out", str(out))
        assert "D1" in out.read_text()
        assert rows_of(archived.collection.pk) == before


class TestDeletion:
    @pytest.mark.slow
    def test_everything_of_it_goes_and_nothing_else(self, archived: World, client: Client) -> None:
        other = CollectionFactory(slug="other")
        MembershipFactory(collection=other, user=manager(archived), role=Role.MANAGER)
        before, pk = rows_of(other.pk), archived.collection.pk
        filled = {name for name, rows in rows_of(pk).items() if rows}
        run = delete(archived)
        assert {name for name, rows in rows_of(pk).items() if rows} == set()
        assert set(run.counts) == filled
        assert rows_of(other.pk) == before
        assert User.objects.filter(pk=manager(archived).pk).exists()
        client.force_login(manager(archived))
        page = client.get(reverse("collection_removal", args=[run.pk])).text
        assert "delete collection" in page
        log = b"".join(client.get(reverse("collection_removal_audit", args=[run.pk])).streaming_content).decode()
        assert "archive_collection" in log
        with pytest.raises(Conflict):
            create_collection(by=None, at=AT, slug=run.slug, title="Again")

    def test_its_files_go_too_and_nothing_else(self, archived: World, monkeypatch: pytest.MonkeyPatch) -> None:
        pk, release = archived.collection.pk, Release.objects.filter(collection=archived.collection).first()
        Release.objects.filter(pk=release.pk).update(place=f"releases/{release.pk}.2", frozen_at=AT, **HASHES)
        run = ImportRun.objects.filter(collection=pk).first()
        ImportRun.objects.filter(pk=run.pk).update(files=[{"name": "x", "path": "imports/f0f0/0", "sha256": ""}])
        own = [f"papers/{pk}/x.pdf", f"papers/{pk}/x.pdf.pages/1.png", f"releases/{release.pk}.2/named/manifest.json"]
        others = [f"papers/{pk}0/x.pdf", f"releases/{release.pk}.20/named/manifest.json", "imports/f0f/0"]
        for name in (*own, "imports/f0f0/0", *others):
            files.save(name, ContentFile(b"x"))
        asked: list[str] = []
        remove = FolderStorage.remove_folder

        def once_away(storage: FolderStorage, name: str) -> None:
            asked.append(name)
            if len(asked) == 2:
                raise FilesAway("The server of the bucket refused: SlowDown.")
            remove(storage, name)

        monkeypatch.setattr(FolderStorage, "remove_folder", once_away)
        delete(archived)  # which goes on once the storage is there again, with rows that are gone
        assert len(asked) > 3
        assert [name for name in (*own, "imports/f0f0/0") if files.exists(name)] == []
        assert [name for name in others if not files.exists(name)] == []

    def test_only_archived_and_only_by_its_name(self, world: World, client: Client) -> None:
        by, collection = manager(world), world.collection
        with pytest.raises(Refused, match="Archive the collection first"):
            request_removal(by=by, at=AT, collection=collection, confirm=collection.slug)
        Collection.objects.filter(pk=collection.pk).update(archived_at=AT)
        with pytest.raises(Refused, match="Nothing was deleted"):
            request_removal(by=by, at=AT, collection=collection, confirm="something else")
        client.force_login(by)
        page = client.post(reverse("collection_delete", args=[collection.slug]), {"confirm": "tee"})
        assert page.status_code == 422
        assert reverse("collection_backup", args=[collection.slug]) in page.text
        assert not CollectionRemoval.objects.filter(collection_id=collection.pk).exists()

    def test_a_reopened_one_stays(self, archived: World) -> None:
        by, collection = manager(archived), archived.collection
        run = request_removal(by=by, at=AT, collection=collection, confirm=collection.slug, send=False)
        with pytest.raises(Conflict, match="is being deleted"):
            reopen_collection(by=by, at=AT, collection=collection)
        Collection.objects.filter(pk=collection.pk).update(archived_at=None)
        jobs.carry_out(run)
        run.refresh_from_db()
        assert run.state == JobState.FAILED
        assert Collection.objects.filter(pk=collection.pk).exists()

    @pytest.mark.slow
    def test_as_many_statements_for_many_documents_as_for_one(
        self, archived: World, django_assert_max_num_queries
    ) -> None:
        with django_assert_max_num_queries(2 * len(contents()) + 60):
            delete(archived)

    def test_every_foreign_key_that_rows_are_deleted_by_is_indexed(self) -> None:
        """Deleting a row looks for rows that refer to it: without an index that reads a whole table for each row."""
        assert unindexed_keys() <= SMALL_TARGETS

    def test_submissions_stay_append_only_otherwise(self, world: World) -> None:
        with pytest.raises(Exception, match="append-only"), connection.cursor() as cursor:
            cursor.execute("DELETE FROM annotation_submission")


# Rows that these keys refer to are few in a collection: criteria, levels, guidelines.
SMALL_TARGETS = {
    "annotation_judgment.criterion_id",
    "annotation_judgment.criterion_id,value",
    "annotation_replyvalue.criterion_id",
    "annotation_submission.guideline_id",
    "annotation_assignment.queue_id",
}


def unindexed_keys() -> set[str]:
    """Foreign keys between tables of collections whose own columns no index begins with."""
    tables = [content.model._meta.db_table for content in contents()]
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT c.conrelid::regclass || '.' || (
              SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k(attnum, n)
              JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum)
            FROM pg_constraint c
            WHERE c.contype = 'f' AND c.conrelid::regclass::text = ANY(%s) AND c.confrelid::regclass::text = ANY(%s)
              AND NOT EXISTS (
                SELECT FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                WHERE i.indrelid = c.conrelid AND a.attnum = ANY(c.conkey) AND (i.indpred IS NULL
                  OR pg_get_expr(i.indpred, i.indrelid) = format('(%%I IS NOT NULL)', a.attname)))
            """,
            [tables, tables],
        )
        return {name for (name,) in cursor.fetchall()}


class TestBackup:
    @pytest.mark.slow
    def test_a_deleted_collection_comes_back_as_it_was(self, archived: World, tmp_path: Path) -> None:
        pk, slug = archived.collection.pk, archived.collection.slug
        before = rows_of(pk)
        file = tmp_path / "tea.zip"
        call_command("backup_collection", slug, str(file))
        with pytest.raises(CommandError, match=r"exists\. Choose another name"):
            call_command("backup_collection", slug, str(file))
        with pytest.raises(CommandError, match="Only a deleted one"):
            call_command("restore_collection", str(file))
        delete(archived)
        call_command("restore_collection", str(file))
        assert rows_of(pk) == before
        assert AuditEvent.objects.filter(scope_id=pk, verb="restore_collection").count() == 1

    @pytest.mark.slow
    def test_what_is_no_backup_of_here_is_refused(self, archived: World) -> None:
        with pytest.raises(Refused, match="not a zip file"):
            restore_backup(io.BytesIO(b"tea"))
        with pytest.raises(Refused, match="not a backup of a collection"):
            restore_backup(io.BytesIO(zip_of({"a.txt": b"tea"})))
        data = b"".join(backup_pieces(archived.collection))
        manifest = zipfile.ZipFile(io.BytesIO(data)).read("manifest.json")
        delete(archived)
        other = manifest.replace(b"manager@example.org", b"somebody@example.org")
        User.objects.filter(email="manager@example.org").update(email="moved@example.org")
        with pytest.raises(Refused, match="another version"):
            restore_backup(io.BytesIO(zip_of({"manifest.json": other.replace(b"00", b"99")})))

    @pytest.mark.slow
    def test_a_damaged_one_is_refused_and_nothing_of_it_stays(self, archived: World) -> None:
        whole = zipfile.ZipFile(io.BytesIO(b"".join(backup_pieces(archived.collection))))
        files = {name: whole.read(name) for name in whole.namelist()}
        delete(archived)
        for changed in (
            {"manifest.json": b"[]"},
            {"tables/corpus.document.csv": b"1,2,3\n"},
            {"files/papers/first.pdf": b"first", "files/papers/../../../outside.pdf": b"last"},
        ):
            self.refuse(zip_of({**files, **changed}))
        broken = bytearray(zip_of({**files, "files/papers/first.pdf": b"first", "files/papers/last.pdf": b"whole"}))
        broken[broken.index(b"whole")] ^= 1  # its checksum does not fit any longer
        self.refuse(bytes(broken))

    def refuse(self, data: bytes) -> None:
        before = sorted(Path(settings.MEDIA_ROOT).rglob("*.pdf"))
        with pytest.raises(Refused, match=r"The backup is damaged \(.*\)\. Nothing was restored"):
            restore_backup(io.BytesIO(data))
        assert not Collection.objects.filter(slug="tea").exists()
        assert sorted(Path(settings.MEDIA_ROOT).rglob("*.pdf")) == before

    @pytest.mark.slow
    def test_page(self, archived: World, client: Client) -> None:
        client.force_login(manager(archived))
        answer = client.get(reverse("collection_backup", args=[archived.collection.slug]))
        names = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist()
        assert {"manifest.json", "tables/corpus.document.csv", "tables/annotation.submission.csv"} <= set(names)


def zip_of(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()

"""Deletion, and the backup that brings a collection back."""

import io
import zipfile
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts import jobs
from accounts.files.folder import FolderStorage
from accounts.files.storage import FilesAway, files
from accounts.models import AuditEvent, JobState, User
from accounts.refusals import Conflict, Refused
from adjudication.models import Release
from corpus.collections.backup import backup_pieces, restore_backup
from corpus.collections.collections import create_collection, reopen_collection, request_removal
from corpus.collections.contents import contents
from corpus.models import Collection, CollectionRemoval, ImportRun, Role
from tests.access_world import World
from tests.corpus.collections.archiving import manager_of, rows_of
from tests.factories.accounts import AT, CollectionFactory, MembershipFactory

pytestmark = pytest.mark.django_db
HASHES = {"manifest_sha256": "a" * 64, "anonymous_sha256": "b" * 64}


def delete(world: World) -> CollectionRemoval:
    run = request_removal(
        by=manager_of(world), at=AT, collection=world.collection, confirm=world.collection.slug, send=False
    )
    jobs.carry_out(run)
    run.refresh_from_db()
    assert run.state == JobState.DONE, run.reason
    return run


class TestDeletion:
    @pytest.mark.slow
    def test_everything_of_it_goes_and_nothing_else(self, archived: World, client: Client) -> None:
        other = CollectionFactory(slug="other")
        MembershipFactory(collection=other, user=manager_of(archived), role=Role.MANAGER)
        before, pk = rows_of(other.pk), archived.collection.pk
        filled = {name for name, rows in rows_of(pk).items() if rows}
        run = delete(archived)
        assert {name for name, rows in rows_of(pk).items() if rows} == set()
        assert set(run.counts) == filled
        assert rows_of(other.pk) == before
        assert User.objects.filter(pk=manager_of(archived).pk).exists()
        client.force_login(manager_of(archived))
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
        by, collection = manager_of(world), world.collection
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
        by, collection = manager_of(archived), archived.collection
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
        client.force_login(manager_of(archived))
        answer = client.get(reverse("collection_backup", args=[archived.collection.slug]))
        names = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))).namelist()
        assert {"manifest.json", "tables/corpus.document.csv", "tables/annotation.submission.csv"} <= set(names)


def zip_of(files: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return stream.getvalue()

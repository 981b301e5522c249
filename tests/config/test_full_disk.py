"""A disk without room, for real: 507 with the reason on pages, in the API and for jobs and commands; nothing is lost.

Disks are small file systems in memory, which only root may mount; elsewhere these tests are skipped.
"""

import contextlib
import io
import json
import os
import secrets
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from accounts.models import JobState
from accounts.storage_full import NO_ROOM, is_no_room
from annotation.models import Submission
from config.embedded.redis import redis_program
from corpus.models import Collection, Document, ImportRun, Role
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.factories.labelling import assignment_of, build_work
from tests.processes import wait_for

Disk = Callable[[int], Path]


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    """Mounts an empty disk of so many kilobytes, which everybody may write to."""
    mounted: list[Path] = []

    def mount(kilobytes: int) -> Path:
        place = tmp_path_factory.mktemp("disk")
        command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=777", "tmpfs", place]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            pytest.skip(f"a small disk cannot be mounted: {error}")
        if done.returncode:
            pytest.skip(f"a small disk cannot be mounted: {done.stderr.strip()}")
        mounted.append(place)
        for parent in place.parents[:-1]:  # the database server may be another user
            if parent.stat().st_uid == os.geteuid() and parent != Path("/tmp"):
                parent.chmod(parent.stat().st_mode | 0o011)
        return place

    yield mount
    for place in mounted:
        subprocess.run(["umount", "-l", place], check=True)


def fill(place: Path) -> None:
    """Take every byte that is left."""
    with (place / "filler").open("wb", buffering=0) as filler, contextlib.suppress(OSError):
        while True:
            filler.write(b"x" * 4096)


@pytest.fixture
def tables_on_a_small_disk(transactional_db: None, small_disk: Disk) -> Iterator[Callable[..., Path]]:
    """Moves tables of the test's database to a separate disk; only the embedded PostgreSQL lets us."""
    known = {name: connection.get_connection_params().get(name) for name in ("dbname", "host", "port")}
    try:
        owner = psycopg.connect(**known, user="postgres", autocommit=True)
    except psycopg.Error as error:
        pytest.skip(f"not a superuser of this PostgreSQL: {error}")
    moved: list[str] = []
    name = f"small_{secrets.token_hex(4)}"  # of the whole cluster, thus of all test processes

    def move(table: str, *, kilobytes: int = 1024) -> Path:
        place = small_disk(kilobytes)
        directory = place / "postgres"
        directory.mkdir(mode=0o700)
        server = Path(owner.execute("SHOW data_directory").fetchone()[0]).stat()
        os.chown(directory, server.st_uid, server.st_gid)
        owner.execute(f"CREATE TABLESPACE {name} LOCATION '{directory}'")
        owner.execute(f"ALTER TABLE {table} SET TABLESPACE {name}")
        moved.append(table)
        return place

    with owner:
        yield move
        for table in moved:
            owner.execute(f"ALTER TABLE {table} SET TABLESPACE pg_default")
            owner.execute(f"DROP TABLESPACE {name}")


@pytest.fixture
def collection(transactional_db: None) -> Collection:
    return MembershipFactory(collection=CollectionFactory(slug="tea"), role=Role.MANAGER).collection


@pytest.fixture
def manager(collection: Collection) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(collection.memberships.get().user)
    return client


def documents(count: int) -> bytes:
    """JSON lines with texts that cannot be compressed."""
    rows = ({"id": f"D{n}", "title": f"Tea {n}", "abstract": secrets.token_hex(2000)} for n in range(count))
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_a_disk_of_uploads_that_is_full(manager: Client, small_disk: Disk, settings) -> None:
    place = small_disk(256)
    settings.MEDIA_ROOT = settings.FILE_UPLOAD_TEMP_DIR = place
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 1000
    file = documents(100)

    def send(address: str, **fields: str):
        return manager.post(address, {**fields, "files": SimpleUploadedFile("tea.jsonl", file)})

    page = send(reverse("import_create", args=["tea", "documents"]))
    assert page.status_code == 507
    assert "disk is full" in page.text
    assert NO_ROOM in page.text
    problem = send(reverse("api_imports", args=["tea"]), kind="documents")
    assert (problem.status_code, problem["Content-Type"]) == (507, "application/problem+json")
    assert problem.json()["detail"] == NO_ROOM
    assert not ImportRun.objects.exists()
    assert not [path for path in place.rglob("*") if path.is_file()]  # what had arrived does not stay


@pytest.mark.slow
def test_a_full_database_stores_all_or_nothing_of_an_import(
    manager: Client, tables_on_a_small_disk, tmp_path: Path
) -> None:
    tables_on_a_small_disk("corpus_document")
    kept = {"documents": [{"docno": "kept", "title": "Tea"}]}
    address = reverse("api_documents", args=["tea"])
    assert manager.post(address, kept, content_type="application/json").status_code == 200
    many = {"documents": [json.loads(line) for line in documents(600).splitlines()]}
    for row in many["documents"]:
        row["docno"] = row.pop("id")
    answer = manager.post(address, many, content_type="application/json")
    assert (answer.status_code, answer.json()["detail"]) == (507, NO_ROOM)
    run = ImportRun.objects.latest("pk")
    assert (run.state, run.reason) == (JobState.FAILED, NO_ROOM)
    path = tmp_path / "tea.jsonl"
    path.write_bytes(documents(600))
    with pytest.raises(CommandError, match="disk of the server is full"):
        call_command("import_documents", "tea", str(path), stderr=io.StringIO())
    assert [document.docno for document in Document.objects.all()] == ["kept"]
    assert manager.get(reverse("document_list", args=["tea"])).status_code == 200


@pytest.mark.slow
def test_labels_on_a_full_database_are_stored_or_507(tables_on_a_small_disk) -> None:
    built = build_work(items=60)
    place = tables_on_a_small_disk("annotation_submission")
    client = Client(raise_request_exception=False)
    client.force_login(built.people["ana"])
    address = reverse("submission_create", args=[built.collection.slug, built.campaign.slug])
    given = [
        {"uuid": str(uuid.uuid4()), "assignment": each.pk, "answers": {"relevance": 1}, "note": secrets.token_hex(900)}
        for each in assignment_of(built, "ana").annotator.assignments.order_by("pk")
    ]

    def send(one: dict[str, object]) -> int:
        return client.post(address, {"submissions": [one]}, content_type="application/json").status_code

    first = [send(one) for one in given[:5]]
    fill(place)
    rest = [send(one) for one in given[5:]]
    assert set(first) == {200}
    assert set(rest) <= {200, 507}
    assert rest.count(507) > 10
    acknowledged = {one["uuid"] for one, status in zip(given, [*first, *rest], strict=True) if status == 200}
    assert {str(row.uuid) for row in Submission.objects.all()} == acknowledged
    (place / "filler").unlink()
    assert {send(one) for one in given} == {200}  # what was refused is sent again, as the page does
    assert Submission.objects.count() == len(given)


def test_a_redis_that_cannot_write_is_said_to_be_out_of_room(small_disk: Disk, tmp_path: Path) -> None:
    place = small_disk(64)
    socket = tmp_path / "redis.sock"
    command = [redis_program(), "--port", "0", "--unixsocket", socket, "--dir", place, "--appendonly", "yes"]
    refusals: list[redis.RedisError] = []

    def is_refused() -> bool:
        try:
            client.set("a", secrets.token_hex(4_000))
        except redis.ResponseError as error:
            refusals.append(error)
        return bool(refusals)

    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL) as server:
        try:
            with redis.Redis(unix_socket_path=str(socket)) as client:
                wait_for(lambda: socket.exists() and client.ping(), what="Redis")
                fill(place)
                wait_for(is_refused, what="a refusal")
        finally:
            server.kill()
    assert str(refusals[0]).startswith("MISCONF")
    assert is_no_room(refusals[0])
    assert not is_no_room(redis.ResponseError("WRONGTYPE"))

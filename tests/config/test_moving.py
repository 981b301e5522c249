"""Files moved between folder and bucket: whole or not at all, compared by hash, deleted only when all are the same."""

import hashlib
import json
import signal
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command

from accounts.files.bucket import BucketStorage
from accounts.files.folder import FolderStorage
from config.env import bucket_parameters
from corpus.models import Paper
from tests.buckets import client
from tests.factories.accounts import CollectionFactory
from tests.factories.adjudication import AT
from tests.processes import PATIENCE, Child, child_environment

pytestmark = [pytest.mark.services, pytest.mark.django_db]

LARGE = b"0123456789abcdef" * (12 << 16)  # 12 MB: two parts of an upload
FILES = {"a/first.txt": b"first", "m/large": LARGE, "papers/1/x.pdf": b"%PDF", "z/last.txt": b"last"}


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> FolderStorage:
    settings.MEDIA_ROOT = tmp_path / "media"
    (settings.MEDIA_ROOT / "arriving").mkdir(parents=True)
    (settings.MEDIA_ROOT / "arriving" / "half").write_bytes(b"of an upload")
    found = FolderStorage()
    for name, content in FILES.items():
        found.save(name, ContentFile(content))
    return found


@pytest.fixture
def bucket(settings: Any, bucket_url: str) -> BucketStorage:
    settings.BUCKET = bucket_parameters(bucket_url)
    return BucketStorage(**settings.BUCKET)


def contents(storage: Any) -> dict[str, bytes]:
    return {name: b"".join(storage.pieces(name)) for name, _ in storage.sizes()}


def moved(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command("move_files", *words, "--json", stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())


KILLED = """
import os, signal, sys, django
django.setup()
from accounts.files.folder import FolderStorage
from django.core.management import call_command
class Killing:
    def __init__(self, file): self.file, self.pieces = file, 0
    def read(self, size=-1):
        self.pieces += 1
        if self.pieces == 2: os.kill(os.getpid(), signal.SIGKILL)
        return self.file.read(size)
    def __getattr__(self, name): return getattr(self.file, name)
    def __enter__(self): return self
    def __exit__(self, *_): self.file.close()
stream, seen = FolderStorage.stream, []
def killing(self, name):
    seen.append(name)
    return Killing(stream(self, name)) if seen.count("m/large") == 2 else stream(self, name)  # hashed, then copied
FolderStorage.stream = killing
call_command("move_files", "bucket")
"""


@pytest.mark.django_db(transaction=True)
def test_a_move_that_is_killed_goes_on_and_comes_back(
    folder: FolderStorage, bucket: BucketStorage, bucket_url: str, tmp_path: Path
) -> None:
    assert moved("bucket", "--dry-run")["copied"] == 4
    assert contents(bucket) == {}
    environment = child_environment(LITMUS_BUCKET_URL=bucket_url)
    child = Child([sys.executable, "-c", KILLED], tmp_path / "log", environment)
    assert child.process.wait(PATIENCE) == -signal.SIGKILL, child.output
    assert contents(bucket) == {"a/first.txt": b"first"}, "no half of the large one"
    assert contents(folder) == FILES
    found = moved("bucket")
    assert (found["copied"], found["there"], found["deleted"], found["problems"]) == (3, 1, 0, {})
    assert contents(bucket) == contents(folder) == FILES
    assert moved("bucket", "--delete-source")["deleted"] == 4
    assert contents(folder) == {}
    bucket.save("indexes/1-tea/x", ContentFile(b"is built again"))
    assert moved("folder")["copied"] == 4
    assert contents(folder) == FILES


def test_nothing_is_deleted_while_one_file_is_not_what_the_database_says(
    folder: FolderStorage, bucket: BucketStorage
) -> None:
    paper = Paper.objects.create(
        collection=CollectionFactory(slug="tea"), key="x", source="pdf", file="papers/1/x.pdf", created_at=AT,
        updated_at=AT, sha256=hashlib.sha256(b"another").hexdigest(),
    )  # fmt: skip
    errors = StringIO()
    with pytest.raises(CommandError, match="Not all files were moved"):
        call_command("move_files", "bucket", "--delete-source", stderr=errors)
    assert f"papers/1/x.pdf: its SHA-256 should be {paper.sha256}" in errors.getvalue()
    assert contents(folder) == FILES
    assert "papers/1/x.pdf" not in contents(bucket)
    Paper.objects.update(sha256=hashlib.sha256(b"%PDF").hexdigest())
    bucket.save("a/first.txt", ContentFile(b"FIRST"))  # as large as it should be
    assert (moved("bucket")["copied"], contents(bucket)) == (2, FILES)


def test_names_that_lead_elsewhere_stay_and_are_reported(
    settings: Any, bucket: BucketStorage, s3_server: str, tmp_path: Path
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    bucket.save("a/good.txt", ContentFile(b"good"))
    odd = ["../out.txt", "m/../../../out.txt", "a//twice.txt"]
    for name in (*odd, "by a console/"):  # which shows folders by empty objects
        key = f"{bucket.location}/{name}"
        client(s3_server).put_object(Bucket=bucket.bucket_name, Key=key, Body=b"" if name.endswith("/") else b"odd")
    errors = StringIO()
    with pytest.raises(CommandError, match="Not all files were moved"):
        call_command("move_files", "folder", "--delete-source", stderr=errors)
    assert [name for name in odd if f"{name}: its name leads elsewhere" not in errors.getvalue()] == []
    assert contents(FolderStorage()) == {"a/good.txt": b"good"}
    assert bucket.exists("a/good.txt"), "nothing is deleted while something is wrong"


def test_without_a_bucket_it_is_refused(folder: FolderStorage, settings: Any) -> None:
    settings.BUCKET = {}
    with pytest.raises(CommandError, match="LITMUS_BUCKET_URL is not set"):
        call_command("move_files", "bucket")

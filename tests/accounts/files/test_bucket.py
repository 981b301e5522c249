"""Files in a bucket, against another project's S3 server in a process of its own."""

import hashlib
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
from django.core.files.base import ContentFile, File
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts import jobs
from accounts.files.bucket import BucketStorage
from accounts.files.storage import FilesAway, files
from accounts.models import JobState
from accounts.storage_full import AWAY
from config.env import bucket_parameters
from corpus.models import Collection
from tests.buckets import client
from tests.factories.accounts import CollectionFactory, MembershipFactory
from tests.processes import PATIENCE, Child, child_environment

pytestmark = pytest.mark.services


def storage_of(url: str) -> BucketStorage:
    return BucketStorage(**bucket_parameters(url))


def test_files_are_saved_read_listed_and_deleted(in_bucket: str, s3_server: str) -> None:
    assert files.save("a/one.txt", ContentFile(b"first")) == "a/one.txt"
    assert files.save("a/one.txt", ContentFile(b"second")) == "a/one.txt"  # no second name
    files.save("ab/two.txt", ContentFile(b"other"))
    assert b"".join(files.pieces("a/one.txt")) == b"second"
    with files.open("a/one.txt") as file:
        assert file.read() == b"second"
    assert files.size("a/one.txt") == 6
    assert sorted(files.sizes("a")) == [("a/one.txt", 6)]
    assert sorted(files.sizes()) == [("a/one.txt", 6), ("ab/two.txt", 5)]
    name = in_bucket.split("/")[3]
    assert [one["Key"] for one in client(s3_server).list_objects_v2(Bucket=name)["Contents"]] == [
        "of/tests/a/one.txt",
        "of/tests/ab/two.txt",
    ]
    files.remove_folder("a")
    assert [name for name, _ in files.sizes()] == ["ab/two.txt"]
    for read in (lambda: files.size("a/one.txt"), lambda: list(files.pieces("a/one.txt"))):
        with pytest.raises(FileNotFoundError):
            read()


def test_a_large_file_goes_in_parts_and_comes_back_whole(in_bucket: str, tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"0123456789abcdef" * (20 << 16))  # 20 MB: three parts
    with large.open("rb") as file:
        files.save("large", File(file))
    digest = hashlib.sha256(large.read_bytes()).hexdigest()
    with files.local("large", digest) as path:
        assert path.read_bytes() == large.read_bytes()


@pytest.mark.parametrize(
    ("pattern", "other", "words"),
    [(r"/litmus-", "/missing-", "There is no bucket missing-"), (r":\d+/", ":9/", "EndpointConnectionError")],
)
def test_what_cannot_be_reached_is_said_without_a_secret(bucket_url: str, pattern: str, other: str, words: str) -> None:
    with pytest.raises(FilesAway, match=words) as refused:
        storage_of(re.sub(pattern, other, bucket_url)).check()
    assert "verysecretword" not in str(refused.value)
    assert "AKIATEST" not in str(refused.value)


def test_a_key_that_is_wrong_is_said_so(bucket_url: str, s3_server: str) -> None:
    """The server looks at no key until it is asked to."""

    def look_at_keys(after: str) -> None:
        address, plain = f"http://{s3_server}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        urlopen(Request(address, after.encode(), plain, method="POST")).close()

    look_at_keys("0")
    try:
        with pytest.raises(FilesAway, match="does not know the key of LITMUS_BUCKET_URL") as refused:
            storage_of(bucket_url).check()
    finally:
        look_at_keys("inf")
    assert "verysecretword" not in str(refused.value)


def upload(client: Any) -> Collection:
    """An import that a page took in, of a collection `tea`."""
    membership = MembershipFactory(role="manager", collection=CollectionFactory(slug="tea"))
    client.force_login(membership.user)
    sent = SimpleUploadedFile("tea.jsonl", b'{"docno": "D1", "title": "Tea", "abstract": "Leaves."}\n')
    client.post(reverse("import_create", args=["tea", "documents"]), {"uploads": [sent], "format": "auto"})
    return membership.collection


class Keeping(BaseHTTPRequestHandler):
    """A server that lets list and refuses to delete, object by object, as Amazon's does: in an answer with 200."""

    def do_GET(self) -> None:
        self.answer("<ListBucketResult><Contents><Key>a/b</Key><Size>1</Size></Contents></ListBucketResult>")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer("<DeleteResult><Error><Key>a/b</Key><Code>AccessDenied</Code></Error></DeleteResult>")

    def answer(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_folder_that_may_not_be_deleted_is_no_success() -> None:
    with HTTPServer(("127.0.0.1", 0), Keeping) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        storage = BucketStorage(**bucket_parameters(f"http://key:secret@127.0.0.1:{server.server_port}/tea?region=x"))
        with pytest.raises(FilesAway, match="may not do this in the bucket tea"):
            storage.remove_folder("a")
        server.shutdown()


def test_without_the_bucket_pages_and_jobs_say_so(in_bucket: str, db: None, client: Any, settings: Any) -> None:
    collection = upload(client)
    options = {**settings.STORAGES["default"]["OPTIONS"], "bucket_name": "gone"}
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"], "OPTIONS": options}}
    client.raise_request_exception = False
    address = reverse("import_create", args=["tea", "documents"])
    answer = client.post(address, {"uploads": [SimpleUploadedFile("x.jsonl", b'{"docno": "D2"}\n')], "format": "auto"})
    assert (answer.status_code, AWAY in answer.text) == (503, True)
    assert collection.import_runs.count() == 1
    run = collection.import_runs.get()
    with pytest.raises(FilesAway):
        jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.reason) == (JobState.FAILED, AWAY)


def test_an_upload_lies_in_the_bucket_alone_until_it_is_imported(
    in_bucket: str, db: None, client: Any, settings: Any
) -> None:
    collection = upload(client)
    run = collection.import_runs.get()
    assert [name for name, _ in files.sizes()] == [run.files[0]["path"]]
    jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.created) == (JobState.DONE, 1), run.reason
    assert not list(files.sizes())
    assert not Path(settings.MEDIA_ROOT).exists()


@pytest.mark.slow
def test_what_goes_through_takes_little_memory(in_bucket: str, tmp_path: Path) -> None:
    """300 MB up, down and as a copy on this machine, in a process that may take 160 MB more than it has."""
    log, place = tmp_path / "log", tmp_path / "large"
    with place.open("wb") as file:
        file.truncate(300 << 20)
    environment = child_environment(LITMUS_BUCKET_URL=in_bucket, LITMUS_INDEX_DIR=str(tmp_path / "indexes"))
    child = Child([sys.executable, "-c", LARGE, str(place)], log, environment)
    assert child.process.wait(PATIENCE) == 0, child.output
    assert int(child.output.splitlines()[-1]) < 160, "MB"


LARGE = """
import hashlib, resource, sys, django
django.setup()
from django.core.files import File
from accounts.files.storage import download, files
from config.moving import sha256_of
files.check()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[1], "rb") as file:
    files.save("large", File(file))
assert sum(map(len, download("large", "large"))) == 300 << 20
with files.local("large", sha256_of(files, "large")) as path:
    assert path.stat().st_size == 300 << 20
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""

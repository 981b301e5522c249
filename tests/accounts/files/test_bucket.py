"""Files in a bucket, against another project's S3 server in a process of its own."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile, File
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from accounts import jobs
from accounts.files.bucket import BucketStorage
from accounts.files.storage import FilesAway, files
from accounts.models import JobState
from config.env import bucket_parameters
from tests.buckets import client
from tests.factories.accounts import CollectionFactory, MembershipFactory

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


def test_uploads_and_downloads_by_the_pages(in_bucket: str, db: None, client: Any, settings: Any) -> None:
    """An upload of any size never lies on a disk that machines share, and its import finds it in the bucket."""
    membership = MembershipFactory(role="manager", collection=CollectionFactory(slug="tea"))
    collection, manager = membership.collection, membership.user
    client.force_login(manager)
    upload = SimpleUploadedFile("tea.jsonl", b'{"docno": "D1", "title": "Tea", "abstract": "Leaves."}\n')
    client.post(reverse("import_create", args=["tea", "documents"]), {"uploads": [upload], "format": "auto"})
    run = collection.import_runs.get()
    assert [name for name, _ in files.sizes()] == [run.files[0]["path"]]
    jobs.carry_out(run)
    run.refresh_from_db()
    assert (run.state, run.created) == (JobState.DONE, 1), run.reason
    assert not list(files.sizes())
    assert not Path(settings.MEDIA_ROOT).exists()

"""A release whose files are in a bucket: written, read, compared with the next, and backed up with its collection."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.files.storage import files
from adjudication.releases.archive import text_of
from adjudication.releases.explaining import explain
from adjudication.releases.verifying import verify_release
from corpus.collections.backup import backup_pieces
from tests.adjudication.releases.releasing import files_of, freeze
from tests.factories.adjudication import Built

pytestmark = [pytest.mark.services, pytest.mark.django_db]


def test_a_release_lies_in_the_bucket_alone(
    built: Built, client: Client, in_bucket: str, settings: Any, tmp_path: Path
) -> None:
    release = freeze(built)
    names = {name for name, _ in files.sizes()}
    assert names
    assert all(name.startswith(f"{release.place}/") for name in names)
    assert not Path(settings.MEDIA_ROOT).exists()
    client.force_login(built.people["manager"])
    where = [built.collection.slug, release.name]
    answer = client.get(reverse("release_archive", args=where))
    with zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content))) as archive:
        archive.extractall(tmp_path / "out")
    assert verify_release(tmp_path / "out").remade is True
    one = client.get(reverse("release_file", args=[*where, "LICENSE"]))
    content = b"".join(one.streaming_content)
    assert (int(one["Content-Length"]), content) == (len(content), files_of(tmp_path / "out")["LICENSE"])
    assert explain(built.collection, "7", "doc-b")["lines"][0]["changed"] is False
    with zipfile.ZipFile(io.BytesIO(b"".join(backup_pieces(built.collection)))) as archive:
        kept = {name.removeprefix("files/") for name in archive.namelist() if name.startswith("files/releases/")}
    assert kept == names
    later = freeze(built, "v2")
    assert (
        "No data changed since v1" in b"".join(files.pieces(f"{later.variant(anonymous=False)}/CHANGELOG.md")).decode()
    )
    assert json.loads(text_of(later, "manifest.json", anonymous=True))["anonymous"] is True

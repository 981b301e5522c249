"""A changed copy of a release is found and named, and an unchanged one is made again."""

import json
import shutil
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from adjudication.models import Release
from adjudication.releases.sources import fingerprints, last_ids, sources
from adjudication.releases.verifying import verify_release
from tests.adjudication.releases.releasing import folder_of
from tests.factories.adjudication import Built

pytestmark = pytest.mark.django_db


class TestVerification:
    @pytest.mark.slow
    def test_an_unchanged_collection_is_made_again_byte_for_byte(self, release: Release) -> None:
        for anonymous in (False, True):
            found = verify_release(folder_of(release, anonymous=anonymous))
            assert found.as_json() == {
                "ok": True, "changed": [], "missing": [], "extra": [], "other_version": None, "remade": True,
                "differing": [], "reasons": [],
            }  # fmt: skip

    def test_what_changed_since_is_named(self, built: Built, release: Release) -> None:
        topic = built.collection.topics.first()
        topic.text += " Really?"
        topic.save()
        found = verify_release(folder_of(release, anonymous=False))
        assert found.is_ok
        assert found.remade is None
        assert found.reasons == ["corpus.topic has changed."]

    def test_of_another_version_no_table_has_changed(self, built: Built, release: Release, settings) -> None:
        """An update changes tables: nine were named of a release of 0.1.0 though nobody had changed a row."""
        settings.CODE_VERSION = "9.9.9"
        topic = built.collection.topics.first()
        topic.text += " Really?"
        topic.save()
        found = verify_release(folder_of(release, anonymous=False))
        assert (found.is_ok, found.remade) == (True, None)
        assert found.reasons == [
            f"It was made with Litmus {release.code_version}; this is 9.9.9, which can have other tables: what has"
            " changed in the collection since is not known."
        ]

    @pytest.mark.slow
    def test_every_touch_of_the_folder_is_named(self, release: Release, tmp_path: Path) -> None:
        folder = tmp_path / "copy"
        shutil.copytree(folder_of(release, anonymous=False), folder)
        (folder / "topics/topics.trec").write_bytes((folder / "topics/topics.trec").read_bytes()[:-1] + b"x")
        (folder / "LICENSE").unlink()
        (folder / "more.txt").write_text("more")
        found = verify_release(folder)
        assert (found.changed, found.missing, found.extra) == (["topics/topics.trec"], ["LICENSE"], ["more.txt"])
        assert not found.is_ok
        with pytest.raises(CommandError, match="not the release"):
            call_command("verify_release", str(folder))

    def test_another_manifest_under_the_name_is_another_version(self, release: Release, tmp_path: Path) -> None:
        folder = tmp_path / "copy"
        shutil.copytree(folder_of(release, anonymous=False), folder)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["date"] = "1999-01-01"
        (folder / "manifest.json").write_text(json.dumps(manifest))
        found = verify_release(folder)
        assert "not that of release v1" in found.other
        assert not found.is_ok


def test_what_all_tables_are_asked_at_once_is_what_each_holds(built: Built, release: Release) -> None:
    """Tables with a single row included, and the collection itself."""
    ids = {each.name: list(each.of(built.collection.pk).values_list("pk", flat=True)) for each in sources()}
    held = {name: found for name, found in ids.items() if found}
    assert len(held) > 10
    assert last_ids(built.collection.pk) == {name: max(found) for name, found in held.items()}
    with CaptureQueriesContext(connection) as queries:
        found = fingerprints(built.collection.pk)
    assert {name: one["rows"] for name, one in found.items()} == {name: len(ids) for name, ids in held.items()}
    together = [one["sql"].count("hashtextextended") for one in queries if "hashtextextended" in one["sql"]]
    assert sum(together) == len(sources())
    assert max(together) <= 8, "PostgreSQL held what it had hashed of 85 tables at the same time"

"""A folder of dated backups, as a timer makes them."""

import tarfile
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts.files.storage import files
from config import dated_backups
from config.backups import BackupFailed
from config.dated_backups import dated_backup, files_of, unpack_files
from config.env import bucket_parameters

NOW = datetime(2026, 11, 27, 3, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path, settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where backups go; the database is written by tests/config/test_backups.py."""
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.FILE_UPLOAD_TEMP_DIR = settings.MEDIA_ROOT / "arriving"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir(parents=True)
    (settings.FILE_UPLOAD_TEMP_DIR / "half").write_text("a part")
    (settings.MEDIA_ROOT / "papers").mkdir()
    (settings.MEDIA_ROOT / "papers" / "one.pdf").write_text("a paper")
    monkeypatch.setattr(dated_backups, "dump", lambda file: file.write_text("rows"))
    (tmp_path / "backups").mkdir()
    return tmp_path / "backups"


def test_the_newest_are_kept_and_files_of_others_are_left_alone(folder: Path) -> None:
    (folder / "mine.backup").write_text("of somebody else")
    (folder / "litmus-2026-11-20-030000.backup.unfinished").write_text("of a run that was killed")
    made = [dated_backup(folder, at=NOW + timedelta(days=day), keep=2) for day in range(4)]
    kept = [path for file in made[-2:] for path in (file, files_of(file))]
    assert set(folder.iterdir()) == {*kept, folder / "mine.backup"}


def test_files_come_back_and_none_is_overwritten(folder: Path, settings) -> None:
    made = dated_backup(folder, at=NOW, keep=1)
    assert unpack_files(made) == 0  # all are there
    settings.MEDIA_ROOT = folder.parent / "new"
    assert unpack_files(made) == 1
    assert {path.name for path in settings.MEDIA_ROOT.iterdir()} == {"papers", "arriving"}
    assert not list((settings.MEDIA_ROOT / "arriving").iterdir())
    assert (settings.MEDIA_ROOT / "papers" / "one.pdf").read_text() == "a paper"
    assert unpack_files(folder / "without.backup") == 0
    files_of(made).write_bytes(b"no archive")
    with pytest.raises(BackupFailed, match="The database is restored, but not all files"):
        unpack_files(made)


def test_an_archive_cannot_write_elsewhere(folder: Path, settings) -> None:
    settings.MEDIA_ROOT = folder.parent / "new"
    with tarfile.open(files_of(folder / "bad.backup"), "w") as tar:
        tar.add(folder.parent / "media" / "papers" / "one.pdf", "../outside.pdf")
    with pytest.raises(BackupFailed):
        unpack_files(folder / "bad.backup")
    assert not (folder.parent / "outside.pdf").exists()


def test_one_that_failed_removes_no_earlier_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = dated_backup(folder, at=NOW, keep=1)

    def full(_: Path) -> None:
        raise BackupFailed("No space left on device")

    monkeypatch.setattr(dated_backups, "dump", full)
    with pytest.raises(BackupFailed, match="No space"):
        dated_backup(folder, at=NOW + timedelta(days=1), keep=1)
    assert first.exists()
    assert files_of(first).exists()


def test_none_would_be_kept(folder: Path) -> None:
    with pytest.raises(CommandError, match="keep at least 1"):
        call_command("backup", str(folder), "--keep", "0")


@pytest.mark.services
def test_files_of_a_bucket_are_in_none_and_those_of_a_folder_come_back_into_it(
    folder: Path, settings, bucket_url: str, in_bucket: str
) -> None:
    """`in_bucket` took the files to a bucket after the fixture `folder` had put some into the folder."""
    settings.BUCKET = bucket_parameters(bucket_url)
    errors = StringIO()
    call_command("backup", str(folder), stderr=errors)
    assert f"It has none of the files, which are in {files.address()}." in errors.getvalue()
    (made,) = folder.glob("*.backup")
    assert not files_of(made).exists()
    with tarfile.open(files_of(made), "w") as tar:
        tar.add(folder.parent / "media" / "papers" / "one.pdf", "papers/one.pdf")
    assert (unpack_files(made), unpack_files(made)) == (1, 0)
    assert b"".join(files.pieces("papers/one.pdf")) == b"a paper"

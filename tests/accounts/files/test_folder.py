"""Files in a folder: each has its name once it is whole."""

import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile

from accounts.files.folder import FolderStorage
from accounts.files.storage import FilesAway
from tests.processes import PATIENCE, Child, child_environment


@pytest.fixture
def folder(tmp_path: Path) -> FolderStorage:
    return FolderStorage(location=tmp_path / "files")


def test_files_are_saved_read_listed_and_deleted(folder: FolderStorage, tmp_path: Path) -> None:
    assert folder.save("a/one.txt", ContentFile(b"first")) == "a/one.txt"
    assert folder.save("a/one.txt", ContentFile(b"second")) == "a/one.txt"  # no second name
    folder.save("ab/two.txt", ContentFile(b"other"))
    assert b"".join(folder.pieces("a/one.txt")) == b"second"
    with folder.local("a/one.txt", "") as path:
        assert path.read_bytes() == b"second"
    assert sorted(folder.sizes("a")) == [("a/one.txt", 6)]
    assert sorted(folder.sizes()) == [("a/one.txt", 6), ("ab/two.txt", 5)]
    folder.remove_folder("a")
    assert [name for name, _ in folder.sizes()] == ["ab/two.txt"]
    with pytest.raises(FileNotFoundError), folder.local("a/one.txt", ""):
        pass
    (tmp_path / "made").mkdir()
    (tmp_path / "made" / "x").write_bytes(b"y")
    folder.take_folder(tmp_path / "made", "releases/1.1")
    assert list(folder.sizes("releases")) == [("releases/1.1/x", 1)]
    assert not (tmp_path / "made").exists()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FilesAway, match="cannot be written"):
        FolderStorage(location=tmp_path / "file" / "folder").check()


@pytest.mark.services
@pytest.mark.django_db
def test_a_process_that_is_killed_while_it_saves_leaves_no_half_file(settings: Any, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    child = Child([sys.executable, "-c", KILLED], tmp_path / "log", child_environment())
    assert child.process.wait(PATIENCE) == -signal.SIGKILL, child.output
    assert list(FolderStorage().sizes()) == []
    assert len(list((settings.MEDIA_ROOT / "arriving").iterdir())) == 1


KILLED = """
import os, signal, django
django.setup()
from accounts.files.storage import files
from django.core.files.base import ContentFile
class Killing(ContentFile):
    def chunks(self, size=None):
        yield b"half"
        os.kill(os.getpid(), signal.SIGKILL)
files.save("papers/1/x.pdf", Killing(b"half and half"))
"""

"""Backup and restore between two real data directories."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.processes import CHECKOUT

MAKE_ACCOUNT = """
from django.contrib.auth import get_user_model
get_user_model().objects.create(email="ada@example.org", name="Ada Ünal")
"""
TELL_ACCOUNT = """
from django.contrib.auth import get_user_model
user = get_user_model().objects.get()
print(user.email, user.name)
"""

pytestmark = pytest.mark.services


@pytest.fixture
def place() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lit-") as directory:
        yield Path(directory).resolve()


def manage(data_dir: Path, *arguments: str, feed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], "LITMUS_DATA_DIR": str(data_dir), "PYTHONIOENCODING": "utf-8"},
        input=feed,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_backup_fills_an_empty_database_and_no_other(place):
    old, new, file = place / "old", place / "new", place / "litmus.dump"
    assert manage(old, "migrate", "--verbosity=0").returncode == 0
    assert manage(old, "shell", "--no-imports", feed=MAKE_ACCOUNT).returncode == 0
    saved = manage(old, "backup", str(file))
    assert saved.returncode == 0, saved.stderr
    assert sorted(path.name for path in place.iterdir()) == ["litmus.dump", "old"]

    restored = manage(new, "restore", str(file))
    assert restored.returncode == 0, restored.stderr
    assert manage(new, "shell", "--no-imports", feed=TELL_ACCOUNT).stdout.strip() == "ada@example.org Ada Ünal"

    again = manage(new, "restore", str(file))
    assert again.returncode == 1
    assert "The database is not empty" in again.stderr
    assert "exists" in manage(new, "backup", str(file)).stderr
    assert "does not exist" in manage(new, "restore", str(place / "nothing")).stderr

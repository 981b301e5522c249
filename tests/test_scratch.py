"""Files of tests in memory: an empty directory of one's own, or none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import scratch
from tests.conftest import RUN
from tests.processes import CHECKOUT

DATA = CHECKOUT / ".data"


def test_what_an_earlier_run_left_is_gone(tmp_path: Path) -> None:
    place = scratch.in_memory(DATA, tmp_path)
    assert place is not None
    assert place.stat().st_mode & 0o777 == 0o711  # root runs servers below it as somebody else
    (place / "left").write_text("by a run that was killed")
    assert scratch.in_memory(DATA, tmp_path) == place
    assert list(place.iterdir()) == []


def test_a_run_with_another_data_directory_keeps_its_files(tmp_path: Path) -> None:
    place = scratch.in_memory(DATA, tmp_path)
    assert scratch.in_memory(tmp_path / "data", tmp_path) not in (None, place)
    assert place.is_dir()


def test_without_enough_memory_files_stay_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scratch.in_memory(DATA, tmp_path / "missing") is None
    monkeypatch.setattr(scratch, "WRITTEN", 2**60)
    assert scratch.in_memory(DATA, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_to_be_shown_tests_deletes_no_files_of_a_run_under_way(tmp_path: Path) -> None:
    ours = ("TMPDIR", "PYTEST_", RUN)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    shown = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "tests/test_order.py"],
        cwd=CHECKOUT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=60,  # it waits for no other run either
    )
    assert "tests/test_order.py::" in shown.stdout
    assert tmp_path.exists()

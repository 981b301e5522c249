"""Files of tests in memory: an empty directory of one's own, or none."""

from pathlib import Path

import pytest

from tests import scratch


def test_what_an_earlier_run_left_is_gone(tmp_path: Path) -> None:
    place = scratch.in_memory(tmp_path)
    assert place is not None
    assert place.stat().st_mode & 0o777 == 0o711  # root runs servers below it as somebody else
    (place / "left").write_text("by a run that was killed")
    assert scratch.in_memory(tmp_path) == place
    assert list(place.iterdir()) == []


def test_without_enough_memory_files_stay_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert scratch.in_memory(tmp_path / "missing") is None
    monkeypatch.setattr(scratch, "WRITTEN", 2**60)
    assert scratch.in_memory(tmp_path) is None
    assert list(tmp_path.iterdir()) == []

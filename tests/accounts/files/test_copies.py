"""Copies of files of a bucket: fetched once, held while read, removed when they take too much room."""

import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from accounts.files import copies
from accounts.files.copies import Damaged, copy_of
from engines.ranking.index import META
from tests.processes import PATIENCE, Child, child_environment, wait_for


@pytest.fixture(autouse=True)
def place(settings: Any, tmp_path: Path) -> Path:
    settings.INDEX_DIR, settings.LOCAL_COPIES = tmp_path, 25
    return tmp_path / "copies"


def taken(content: bytes) -> tuple[str, Any]:
    """The hash of a content, and what gives it in pieces."""
    return hashlib.sha256(content).hexdigest(), lambda: iter([content[:3], content[3:]])


def forbidden() -> Iterator[bytes]:
    raise AssertionError("it was fetched again")


def test_a_copy_is_fetched_once_and_the_one_used_longest_ago_goes(place: Path) -> None:
    contents = [bytes([65 + n]) * 10 for n in range(3)]
    hashes = [taken(each)[0] for each in contents]
    for age, content in zip((30, 20), contents, strict=False):
        with copy_of(*taken(content)) as path:
            assert path.read_bytes() == content
        os.utime(path, (age, age))
    with copy_of(hashes[0], forbidden) as path:  # used just now
        assert path.read_bytes() == contents[0]
    with copy_of(*taken(contents[2])):
        assert {path.name for path in place.iterdir()} == {hashes[0], hashes[2]}
    assert copies.size() == 20


def test_what_is_read_stays_however_little_room_there_is(place: Path) -> None:
    with copy_of(*taken(b"a" * 20)) as first, copy_of(*taken(b"b" * 30)) as second:
        assert (first.read_bytes(), second.read_bytes()) == (b"a" * 20, b"b" * 30)
    with copy_of(*taken(b"c")):
        assert copies.size() == 1


def test_one_that_another_process_removes_before_it_is_held_is_fetched_again(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256, pieces = taken(b"a" * 20)
    removed: list[Path] = []

    def removes_once() -> None:  # as it may while one lock becomes another, which is not done in one step
        if not removed:
            removed.append(place / sha256)
            removed[0].unlink()

    monkeypatch.setattr(copies, "make_room", removes_once)
    with copy_of(sha256, pieces) as path:
        assert path.read_bytes() == b"a" * 20
    assert removed


def test_an_index_counts_and_goes_where_it_is_neither_open_nor_used_lately(place: Path, settings: Any) -> None:
    long_ago = time.time() - 2 * copies.LATELY
    settings.BUCKET = {"location": ""}

    def index(name: str, used: float = long_ago, *, whole: bool = True) -> Path:
        found = place.parent / "1-tea" / "settings" / name
        (found / "0").mkdir(parents=True)
        (found / "0" / "docs.npy").write_bytes(b"d" * 10_000)
        if whole:
            (found / META).write_text("{}")
        for path in (found, *found.rglob("*")):
            os.utime(path, (used, used))
        return found

    settings.LOCAL_COPIES = 1
    opened, left, half = index("open"), index("left"), index("half", whole=False)
    lately = [index("lately", time.time()), index("half lately", time.time(), whole=False)]
    with (opened / META).open() as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        assert copies.size() > 50_000
        copies.make_room()
    assert not left.exists()
    assert not half.exists()
    assert all((each / "0" / "docs.npy").exists() for each in (opened, *lately))
    settings.LOCAL_COPIES = copies.size()
    copies.make_room()
    assert opened.exists(), "there is room"
    settings.LOCAL_COPIES, settings.BUCKET = 1, None
    copies.make_room()
    assert opened.exists(), "without a bucket it is no copy"


def test_what_has_changed_in_the_bucket_is_refused_and_not_kept(place: Path) -> None:
    with pytest.raises(Damaged, match="SHA-256"), copy_of(taken(b"as stored")[0], lambda: iter([b"changed"])):
        pass
    assert not [path for path in place.iterdir() if path.suffix != ".part"]


@pytest.mark.services
@pytest.mark.django_db
def test_two_processes_fetch_it_once_and_one_that_is_killed_leaves_none(place: Path, tmp_path: Path) -> None:
    content = b"0123456789"
    sha256 = taken(content)[0]
    command = [sys.executable, "-c", FETCHING, sha256, str(tmp_path)]
    environment = child_environment(LITMUS_INDEX_DIR=str(tmp_path))
    first = Child(command, tmp_path / "first.log", environment)
    wait_for(lambda: list(tmp_path.glob("began-*")), what=f"the first, see {first.log}")
    second = Child(command, tmp_path / "second.log", environment)
    wait_for((tmp_path / f"here-{second.process.pid}").exists, what="the second process")
    assert len(list(tmp_path.glob("began-*"))) == 1, "the second waits for the first"
    first.kill()
    (tmp_path / "go on").touch()
    assert second.process.wait(PATIENCE) == 0, second.output
    assert (place / sha256).read_bytes() == content
    assert [path.name for path in place.iterdir()] == [sha256]
    with copy_of(sha256, forbidden) as path:
        assert path.read_bytes() == content


FETCHING = """
import os, sys, time, pathlib, django
django.setup()
from accounts.files.copies import copy_of
folder = pathlib.Path(sys.argv[2])
def pieces():
    yield b"01234"
    (folder / f"began-{os.getpid()}").touch()
    while not (folder / "go on").exists():
        time.sleep(0.02)
    yield b"56789"
(folder / f"here-{os.getpid()}").touch()
with copy_of(sys.argv[1], pieces) as path:
    assert path.read_bytes() == b"0123456789"
"""

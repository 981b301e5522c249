"""Readers that a child is asked to run in tests: slow, greedy, hostile ones."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from engines.formats.records import BrokenFile, Problem


def given(items: list[Any], watch: Callable[[int], None] = lambda _: None) -> Iterator[Any]:
    watch(10)
    yield from items


def breaks() -> Iterator[Any]:
    yield Problem("a", 1, "first")
    raise BrokenFile("a", 2, "is broken")


def has_a_fault() -> Iterator[Any]:
    yield from [{}["no such key"]]


def spins() -> Iterator[int]:
    yield 1
    while True:
        pass


def limit_of_time() -> Iterator[int]:
    """The kernel's limit before and after more than a second of work."""
    import resource

    yield resource.getrlimit(resource.RLIMIT_CPU)[0]
    while time.process_time() < 1.2:
        pass
    yield 0  # it is long after the last frame, so that this one is sent
    yield resource.getrlimit(resource.RLIMIT_CPU)[0]


def grows(megabytes: int) -> Iterator[int]:
    yield len(bytearray(megabytes << 20))


def writes(share: float) -> Iterator[int]:
    """Grow a file to a share of the room that is free on the disk, without taking any of it."""
    with tempfile.TemporaryFile() as file:
        file.seek(int(shutil.disk_usage(tempfile.gettempdir()).free * share))
        file.write(b"x")
    yield 1


def sleeps() -> Iterator[int]:
    yield os.getpid()
    time.sleep(600)


def crashes() -> Iterator[int]:
    yield 1
    os.abort()


class Evil:
    def __reduce__(self) -> Any:
        return (os.getcwd, ())


def forges() -> Iterator[Evil]:
    yield Evil()


def environment() -> Iterator[Any]:
    yield sorted(os.environ)
    yield sorted(int(each.name) for each in Path("/proc/self/fd").iterdir())


def never_ending(path: Path, format: str, **_: Any) -> Iterator[Any]:  # noqa: A002 - as readers of formats are called
    """A record that takes for ever, as a reader of documents would meet it."""
    time.sleep(600)
    yield path, format

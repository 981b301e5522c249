"""Children that read: what they give comes back, and whatever they do, we live and know why."""

import os
import pickle  # noqa: TID251 - forged here
import signal
import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from uuid import UUID

import psutil
import pytest

from engines.formats.acm_cr import AnnotatedPaper, CitingSentence, Context
from engines.formats.records import (
    AspectRecord,
    BrokenFile,
    DocumentRecord,
    JudgmentRow,
    PartProblem,
    Skip,
    TopicRecord,
)
from engines.formats.registry import Shape
from engines.guarded import reading
from engines.guarded.limits import Limits, ReaderError, ReadingFailed
from engines.guarded.messages import unpacked
from engines.guarded.reading import read_guarded
from tests.engines.guarded import readers
from tests.waiting import wait_for

RECORDS = [
    DocumentRecord("d", "Tea", "", ("a", "b"), year=2020, extra={"x": [1, None, 0.5]}, full_text="é\ud800"),
    TopicRecord("7", "t", "text", aspects=(AspectRecord("a", (AspectRecord("b", (), (1,), (2,)),)),)),
    PartProblem("file", 3, "why"),
    Skip("file", 4, "rule", "d"),
    AnnotatedPaper("10.1/a", "t", "", (Context("1", "", (CitingSentence("s", ("1",)),)),), {"1": None}),
    JudgmentRow(
        "a", "7", "", "d", "c", "1", False, details={"at": datetime(2026, 1, 1, tzinfo=UTC), "id": UUID(int=1)}
    ),
    (3, {"column": "cell"}),
]


def is_gone(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def failure(read, **limits: float) -> ReadingFailed:
    with pytest.raises(ReadingFailed) as caught:
        list(read_guarded(read, limits=Limits(**limits)))  # type: ignore[arg-type]
    return caught.value


def test_records_come_back_as_they_were_and_bytes_are_counted() -> None:
    counted: list[tuple[int, int]] = []
    found = list(read_guarded(partial(readers.given, RECORDS * 500), watch=lambda *counts: counted.append(counts)))
    assert found == RECORDS * 500
    assert sum(of_file for of_file, _ in counted) == 10
    assert sum(of_records for _, of_records in counted) > 10_000


def test_what_was_read_comes_before_what_is_wrong() -> None:
    found = read_guarded(readers.breaks)
    assert next(found).reason == "first"
    with pytest.raises(BrokenFile, match="a, line 2: is broken"):
        next(found)


def test_a_fault_of_the_reader_is_named_with_its_place() -> None:
    with pytest.raises(ReaderError, match="KeyError: 'no such key'") as caught:
        list(read_guarded(readers.has_a_fault))
    assert "in has_a_fault" in caught.value.__notes__[0]


@pytest.mark.slow
def test_one_record_has_only_so_much_processor_time() -> None:
    failed = failure(readers.spins, seconds=1)
    assert (failed.kind, failed.reason) == ("time", "took longer than 1 seconds of processor time to read")


@pytest.mark.slow
def test_the_clock_begins_again_with_each_record() -> None:
    before, _, after = read_guarded(readers.limit_of_time)
    assert after > before


def test_memory_is_bounded() -> None:
    assert list(read_guarded(partial(readers.grows, 50), limits=Limits(megabytes=100))) == [50 << 20]
    failed = failure(partial(readers.grows, 10_000), megabytes=100)
    assert (failed.kind, failed.reason) == ("memory", "needs more than 100 MB of memory to read")


def test_room_on_the_disk_is_bounded() -> None:
    """A packed file of some megabytes may be spooled to many gigabytes."""
    assert list(read_guarded(partial(readers.writes, 0.4))) == [1]
    with pytest.raises(ReadingFailed, match="needs more disk space on the server") as failed:
        list(read_guarded(partial(readers.writes, 0.6)))
    assert failed.value.kind == "room"


def test_a_machine_that_is_too_busy_is_named_as_such() -> None:
    failed = failure(readers.sleeps, quiet_seconds=0.4)
    assert failed.kind == "busy"
    assert "the machine was busy" in failed.reason
    assert "Try again" in failed.reason


class Stopped(Exception):
    pass


def test_a_cancelled_reader_is_killed_within_a_record() -> None:
    pid = 0

    def check() -> None:
        if pid:  # a reader that starts slowly is asked about before its first record
            raise Stopped

    found = read_guarded(readers.sleeps, check=check)
    pid = next(found)
    assert not is_gone(pid)
    with pytest.raises(Stopped):
        next(found)
    wait_for(lambda: is_gone(pid), what="the reader to be killed")


def test_a_reader_that_nobody_listens_to_is_killed() -> None:
    found = read_guarded(readers.sleeps)
    pid = next(found)
    found.close()  # type: ignore[attr-defined]
    wait_for(lambda: is_gone(pid), what="the reader to be killed")


def test_a_reader_that_is_killed_harms_nobody() -> None:
    assert failure(readers.crashes).kind == "crash"
    assert list(read_guarded(partial(readers.given, [1]))) == [1]


def test_what_is_no_record_is_never_made() -> None:
    assert failure(readers.forges).kind == "crash"


def test_a_forged_pickle_changes_no_class() -> None:
    """BUILD sets the attributes of the object before it, which may be a class that the parent goes on using."""
    state = pickle.dumps((None, {"poisoned": True}), 4)[2:-1]
    for kind in (Shape, BrokenFile, DocumentRecord):
        forged = pickle.dumps(kind, 4)[:-1] + state + pickle.BUILD + pickle.STOP
        with pytest.raises(ReadingFailed, match="is no record"):
            unpacked(forged)
        assert not hasattr(kind, "poisoned")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_child_has_no_secrets_and_no_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITMUS_SECRET_KEY", "secret")
    monkeypatch.setenv("DATABASE_URL", "postgres://somebody:secret@localhost/db")
    reading.forget_nursery()
    names, descriptors = read_guarded(readers.environment)
    assert not [name for name in names if name.startswith(("LITMUS", "DATABASE", "REDIS", "DJANGO"))]
    assert len(descriptors) < 10


def test_readers_end_with_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = (
        "from engines.guarded.reading import read_guarded\nfrom tests.engines.guarded import readers\n"
        "for pid in read_guarded(readers.sleeps): print(pid, flush=True)"
    )
    root = Path(reading.__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", script], cwd=root, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    wait_for(lambda: is_gone(pid), what="the reader to end with its parent")


def test_a_nursery_that_went_home_is_followed_by_another(monkeypatch: pytest.MonkeyPatch) -> None:
    reading.forget_nursery()
    hurried = "import engines.guarded.nursery as nursery; nursery.IDLE_SECONDS = 0.05; nursery.main()"
    with monkeypatch.context() as patched:
        patched.setattr(reading, "COMMAND", [sys.executable, "-s", "-c", hurried])
        assert list(read_guarded(partial(readers.given, [1]))) == [1]
    first = reading._nursery().process
    wait_for(lambda: first.poll() is not None, what="the nursery to end")
    assert list(read_guarded(partial(readers.given, [2]))) == [2]
    assert reading._nursery().process.pid != first.pid


def test_a_forked_process_has_a_nursery_of_its_own() -> None:
    ours = reading._nursery().process.pid
    reader, writer = os.pipe()
    if not (child := os.fork()):
        (found,) = read_guarded(partial(readers.given, [3]))
        os.write(writer, f"{found} {reading._nursery().process.pid}".encode())
        os._exit(0)
    os.waitpid(child, 0)
    number, theirs = map(int, os.read(reader, 100).split())
    os.close(reader)
    os.close(writer)
    assert (number, theirs != ours) == (3, True)

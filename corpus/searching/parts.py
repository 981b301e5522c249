"""Work in parts that several workers do together, and directories in which one process at a time may write.

The job that owns the work writes an order into a directory, calls other workers and does parts itself until none is
left. So it also ends where nobody comes: on a machine with one worker, or where others do not see the directory. A part
belongs to the process that locks its file; the lock ends with the process, and then another process does the part.
"""

import fcntl
import json
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from django.conf import settings
from django.db import connection

from accounts.job_kinds import Waiting
from accounts.jobs import Progress, send_task
from accounts.leaving import is_announced

TASK = "corpus.tasks.help_with_parts"
ORDER = "order.json"
STALE_AFTER = 24 * 3600  # seconds after which an order is one that a dead worker left
WAIT = 0.1  # seconds between two looks at what others do

Report = Callable[[int], None]


@contextmanager
def exclusive_directory(directory: Path, waiting: str) -> Iterator[None]:
    """Hold a directory that jobs of one machine share; the lock ends with the process, however it ends.

    Errors: Waiting with the words `waiting`, while another job holds it.
    """
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (directory / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Waiting(waiting) from None
        yield


class Parts(Protocol):
    """Work in parts of `sizes` steps each: a dataclass of JSON values. All workers find what a finished part made."""

    __dataclass_fields__: ClassVar[dict[str, Any]]
    kind: ClassVar[str]

    @property
    def sizes(self) -> list[int]: ...
    def is_done(self, part: int) -> bool: ...
    def do(self, part: int, report: Report) -> None:
        """Do the part, and report now and then how many steps are done; that raises where the work is not needed.

        Errors: LookupError where this process does not see what it should work on.
        """


class OrderWithdrawn(Exception):
    """The order is no longer there: the job has ended. Or this worker ends."""


def do_together(work: Parts, progress: Progress, step: str) -> None:
    """Do all parts with the help of whichever workers are free.

    Errors: Cancelled from `progress`, LookupError from the work.
    """
    parts, total = range(len(work.sizes)), sum(work.sizes)
    with _ordered(work) as folder:
        if not connection.in_atomic_block:  # else others would not see what this transaction has written
            for _ in parts[1:]:
                send_task(TASK, folder=folder.name)
        while left := [part for part in parts if not work.is_done(part)]:
            done = total - sum(work.sizes[part] for part in left)
            progress.report(done, total, step)
            report = partial(_report, progress, done, total, step)
            if not any(_attempt(folder, work, part, report) for part in left):
                progress.check()
                time.sleep(WAIT)
    progress.report(total, total, step)


def _report(progress: Progress, before: int, total: int, step: str, here: int) -> None:
    progress.report(min(before + here, total), total, step)


def help_with(name: str, kinds: Mapping[str, Callable[..., Parts]]) -> int:
    """Do parts of another job's work until none is free; return how many. Nothing is done where the job has ended."""
    folder = shared_folder() / name
    try:
        order = json.loads((folder / ORDER).read_text(encoding="utf-8"))
        work = kinds[order.pop("kind")](**order)

        def report(_: int) -> None:
            if is_announced() or not (folder / ORDER).exists():
                raise OrderWithdrawn

        return sum(_attempt(folder, work, part, report) for part in range(len(work.sizes)))
    except (FileNotFoundError, LookupError, OrderWithdrawn):
        return 0


def _attempt(folder: Path, work: Parts, part: int, report: Report) -> bool:
    """Do the part unless it is done or another process does it; return whether it was done here."""
    with (folder / f"{part}.lock").open("w") as lock, suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not work.is_done(part):
            work.do(part, report)
            return True
    return False


@contextmanager
def _ordered(work: Parts) -> Iterator[Path]:
    _remove_stale()
    folder = shared_folder() / uuid.uuid4().hex
    folder.mkdir(parents=True, mode=0o700)
    try:
        (folder / ORDER).write_text(json.dumps({"kind": work.kind, **asdict(work)}), encoding="utf-8")
        yield folder
    finally:
        removed = folder.with_name(f"{folder.name}.gone")  # first, so that no helper makes a lock while it is emptied
        folder.rename(removed)
        shutil.rmtree(removed, ignore_errors=True)


def shared_folder() -> Path:
    """The directory of work that several workers share; what dead workers left there is removed after a day."""
    return Path(settings.INDEX_DIR) / "together"


def _remove_stale() -> None:
    for folder in shared_folder().glob("*"):
        with suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > STALE_AFTER:
                shutil.rmtree(folder, ignore_errors=True)

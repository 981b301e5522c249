"""Work in parts that several workers do together: each part once, by the process that has its lock.

The job whose work it is writes an order into a directory, sends word to other workers and does parts itself until none
is left. So it ends also where nobody comes: on a machine with one worker, or where others do not see the directory. A
part belongs to the process that locks its file; the lock ends with the process, and then somebody else does the part.
"""

import fcntl
import json
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Protocol

from django.conf import settings
from django.db import connection

from accounts.jobs import Progress, send_task

TASK = "corpus.tasks.help_with_parts"
ORDER = "order.json"
FORGOTTEN = 24 * 3600  # seconds after which an order is one that a dead worker left
WAIT = 0.1  # seconds between two looks at what others do

Tell = Callable[[int], None]


class Parts(Protocol):
    """Work in parts, of so many steps each. What a part makes lies where every worker finds it, once it is whole."""

    kind: ClassVar[str]

    @property
    def sizes(self) -> list[int]: ...
    def as_json(self) -> dict[str, Any]: ...
    def is_done(self, part: int) -> bool: ...
    def do(self, part: int, tell: Tell) -> None:
        """Do it, and tell now and then how many steps are done; that raises where the work has become useless.

        Errors: LookupError where this process does not see what it should work on.
        """


class Withdrawn(Exception):
    """The order is gone: the job has ended."""


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
            tell = partial(_report, progress, done, total, step)
            if not any(_attempt(folder, work, part, tell) for part in left):
                progress.check()
                time.sleep(WAIT)
    progress.report(total, total, step)


def _report(progress: Progress, before: int, total: int, step: str, here: int) -> None:
    progress.report(min(before + here, total), total, step)


def help_with(name: str, kinds: Mapping[str, Callable[..., Parts]]) -> int:
    """Do parts of another job's work until none is free; how many were done here. Nothing where the job has ended."""
    folder = shared_folder() / name
    try:
        order = json.loads((folder / ORDER).read_text(encoding="utf-8"))
        work = kinds[order.pop("kind")](**order)

        def tell(_: int) -> None:
            if not (folder / ORDER).exists():
                raise Withdrawn

        return sum(_attempt(folder, work, part, tell) for part in range(len(work.sizes)))
    except (FileNotFoundError, LookupError, Withdrawn):
        return 0


def _attempt(folder: Path, work: Parts, part: int, tell: Tell) -> bool:
    """Do the part unless it is done or somebody else is at it; whether it was done here."""
    with (folder / f"{part}.lock").open("w") as lock, suppress(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not work.is_done(part):
            work.do(part, tell)
            return True
    return False


@contextmanager
def _ordered(work: Parts) -> Iterator[Path]:
    _forget_old()
    folder = shared_folder() / uuid.uuid4().hex
    folder.mkdir(parents=True, mode=0o700)
    try:
        (folder / ORDER).write_text(json.dumps({"kind": work.kind, **work.as_json()}), encoding="utf-8")
        yield folder
    finally:
        gone = folder.with_name(f"{folder.name}.gone")  # first, so that no helper makes a lock while it is emptied
        folder.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


def shared_folder() -> Path:
    """Where work of several workers lies; what dead ones left there is removed after a day."""
    return Path(settings.INDEX_DIR) / "together"


def _forget_old() -> None:
    for folder in shared_folder().glob("*"):
        with suppress(FileNotFoundError):
            if time.time() - folder.stat().st_mtime > FORGOTTEN:
                shutil.rmtree(folder, ignore_errors=True)

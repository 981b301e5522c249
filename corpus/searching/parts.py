"""Work in parts that several workers do together, and things on which one process at a time may work.

The job that owns the work puts an order on the shelf, calls other workers and does parts itself until none is left. So
it also ends where nobody comes: on a machine with one worker, or where others do not see the shelf. A part belongs to
the process that has claimed it (accounts/claims.py); what a killed process had claimed is free after a lease.
"""

import hashlib
import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from typing import Any, ClassVar, Protocol

from django.core.files.base import ContentFile
from django.db import connection

from accounts.claims import held
from accounts.files.shelf import folders, shelf
from accounts.job_kinds import Waiting
from accounts.jobs import Progress, send_task
from accounts.leaving import is_announced

TASK = "corpus.tasks.help_with_parts"
TOGETHER = "together"  # the folder of work that several workers share
ORDER = "order.json"
STALE_AFTER = 24 * 3600  # seconds after which an order is one that a dead worker left
WAIT = 0.2  # seconds between two looks at what others do

Report = Callable[[int], None]


@contextmanager
def exclusive(name: str, waiting: str) -> Iterator[None]:
    """Hold what jobs of all machines share under this name. Errors: Waiting with the words `waiting`, while another job
    holds it."""
    with held(f"exclusive {hashlib.sha256(name.encode()).hexdigest()[:32]}") as claim:
        if claim is None:
            raise Waiting(waiting)
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
    with _ordered(work) as name:
        if not connection.in_atomic_block:  # else others would not see what this transaction has written
            for _ in parts[1:]:
                send_task(TASK, folder=name)
        while left := [part for part in parts if not work.is_done(part)]:
            done = total - sum(work.sizes[part] for part in left)
            progress.report(done, total, step)
            report = partial(_report, progress, done, total, step)
            if not any(_attempt(name, work, part, report) for part in left):
                progress.check()
                time.sleep(WAIT)
    progress.report(total, total, step)


def _report(progress: Progress, before: int, total: int, step: str, here: int) -> None:
    progress.report(min(before + here, total), total, step)


def help_with(name: str, kinds: Mapping[str, Callable[..., Parts]]) -> int:
    """Do parts of another job's work until none is free; return how many. Nothing is done where the job has ended."""
    path = f"{TOGETHER}/{name}/{ORDER}"
    try:
        with shelf().open(path) as file:
            order = json.load(file)
        work = kinds[order.pop("kind")](**order)
        looked = time.monotonic()

        def report(done: int) -> None:
            nonlocal looked
            if is_announced():
                raise OrderWithdrawn
            if not done or time.monotonic() - looked > 1:
                looked = time.monotonic()
                if not shelf().exists(path):
                    raise OrderWithdrawn

        return sum(_attempt(name, work, part, report) for part in range(len(work.sizes)))
    except (FileNotFoundError, LookupError, OrderWithdrawn):
        return 0


def _attempt(name: str, work: Parts, part: int, report: Report) -> bool:
    """Do the part unless it is done or another process does it; return whether it was done here."""
    with held(f"part {name}", part) as claim:
        if claim is None or work.is_done(part):
            return False
        report(0)  # where the job has ended, nothing looks done any longer
        work.do(part, report)
        return True


@contextmanager
def _ordered(work: Parts) -> Iterator[str]:
    with shared_folder() as folder:
        shelf().save(f"{folder}/{ORDER}", ContentFile(json.dumps({"kind": work.kind, **asdict(work)}).encode()))
        yield folder.removeprefix(f"{TOGETHER}/")


@contextmanager
def shared_folder() -> Iterator[str]:
    """A new folder on the shelf for the length of the block; those that dead workers left are removed after a day."""
    for each in folders(TOGETHER):
        if time.time() - float(each.removeprefix(f"{TOGETHER}/").partition("-")[0]) > STALE_AFTER:
            shelf().remove_folder(each)
    folder = f"{TOGETHER}/{time.time():.0f}-{uuid.uuid4().hex}"
    try:
        yield folder
    finally:
        shelf().remove_folder(folder)

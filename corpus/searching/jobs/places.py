"""Directories that jobs of one machine share: of those that would write in one, one does, and the others wait."""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accounts.jobs import Progress


@contextmanager
def alone(place: Path, progress: Progress, step: str) -> Iterator[None]:
    """Hold the place for oneself; the lock ends with the process, however it ends.

    `step` is what the job does while another one has it. Errors: Cancelled from `progress`.
    """
    place.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (place / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                progress.report(progress.job.done, step=step)
                progress.check()
                time.sleep(0.2)
        yield

"""Which `up` works on a data directory: each holds a lock while it lives, in a file that says its address."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings

from config.embedded.places import FileLock, is_held, make_directories

STOP_SECONDS = 90  # for two servers, more than requests and jobs get
PATIENCE = 2  # seconds for an answer


@dataclass(frozen=True)
class Up:
    """One that runs, or is just starting: then it does not answer yet."""

    pid: int
    address: str
    since: str
    version: str
    lock: Path

    @property
    def answers(self) -> bool:
        with suppress(OSError), urllib.request.urlopen(f"{self.address}/healthz", timeout=PATIENCE):  # noqa: S310
            return True
        return False

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"lock": str(self.lock), "answers": self.answers}


@contextmanager
def noted(data_dir: Path, address: str) -> Iterator[None]:
    """Inside the block others can find this process."""
    make_directories(data_dir)
    with FileLock(data_dir / "locks" / f"up.{os.getpid()}") as lock:
        since = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
        lock.path.write_text(f"{os.getpid()}\n{address}\n{since}\n{settings.CODE_VERSION}\n")
        try:
            yield
        finally:
            lock.path.unlink(missing_ok=True)


def running(data_dir: Path) -> list[Up]:
    """Those that live, the oldest first. What a killed one left is removed."""
    found = []
    for path in (data_dir / "locks").glob("up.*"):
        with suppress(OSError, ValueError):  # it ends just now
            if is_held(path):
                pid, address, since, version = path.read_text().splitlines()
                found.append(Up(int(pid), address, since, version, path))
            else:
                path.unlink()
    return sorted(found, key=lambda up: up.since)


def stop(up: Up) -> bool:
    """Ask it to end and wait; whether it has ended."""
    with suppress(ProcessLookupError):
        os.kill(up.pid, signal.SIGTERM)
    deadline = time.monotonic() + settings.DRAIN_SECONDS + STOP_SECONDS
    while up.lock.exists() and is_held(up.lock):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True

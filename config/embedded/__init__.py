"""Embedded servers: a real PostgreSQL and a real Valkey as separate processes, so that Litmus needs no set-up.

Every user (`up`, a command, a test session) shares the lock `users` with the others; the kernel releases it however the
process ends. With the lock `start`, one user at a time starts what does not run. The servers are stopped by the process
that holds `users` alone: the last user, or the watcher, a separate process, where all users were killed.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from pathlib import Path

import psutil

from config.embedded.places import EmbeddedError, FileLock, is_held, make_directories, remove_sockets
from config.embedded.postgres import Postgres, postgres_settings
from config.embedded.redis import Redis, redis_url
from config.embedded.servers import Server, detach, stop

__all__ = ["EmbeddedError", "postgres_settings", "redis_url", "restore", "running"]

CHECKOUT = Path(__file__).resolve().parents[2]
KINDS: dict[str, type[Server]] = {"postgres": Postgres, "redis": Redis}
LOOK_SECONDS = 0.1


@contextlib.contextmanager
def running(data_dir: Path, names: Collection[str] = KINDS) -> Iterator[None]:
    """The embedded servers of `data_dir` run inside this block; they are shared with others and stop with the last.

    Errors: EmbeddedError with what to do.
    """
    if not names:  # nothing may be writable: a container whose servers are others
        yield
        return
    data_dir, process = data_dir.resolve(), os.getpid()
    make_directories(data_dir)
    with contextlib.closing(FileLock(data_dir / "locks" / "users")) as users:
        users.take(shared=True)  # waits while servers are being stopped
        make_directories(data_dir)  # again: who stopped them has removed the sockets' place
        try:
            start(data_dir, names)
            yield
        finally:
            # A forked child shares the lock of its parent, who still needs it. The watcher stops the servers of a
            # deleted directory.
            if os.getpid() == process and users.is_on_disk() and users.take(wait=False):
                stop(kind(data_dir) for kind in KINDS.values())
                end_watcher(data_dir)
                remove_sockets(data_dir)


def restore(data_dir: Path, names: Collection[str] = KINDS) -> list[str]:
    """Start again servers that died while the caller uses them; their names. Errors: EmbeddedError with what to do."""
    data_dir = data_dir.resolve()
    if is_held(data_dir / "locks" / "watcher") and all(KINDS[name](data_dir).running() for name in names):
        return []
    return start(data_dir, names)


def start(data_dir: Path, names: Collection[str]) -> list[str]:
    """Have the servers ready and a watcher for them; the caller holds `users`. Returns what had to be started."""
    with FileLock(data_dir / "locks" / "start"):
        with contextlib.closing(FileLock(data_dir / "locks" / "watcher")) as lock:
            if lock.take(wait=False):  # there is no watcher; the new one inherits the lock with the open file
                command = [sys.executable, "-m", "config.embedded", str(data_dir), str(lock.descriptor)]
                pid = detach(command, data_dir / "logs" / "watcher.log", cwd=CHECKOUT, pass_fds=[lock.descriptor])
                with contextlib.suppress(OSError):  # a full disk: then end_watcher ends none
                    lock.path.write_text(str(pid))
        servers = [KINDS[name](data_dir) for name in names]
        while sum(server.bring_up() for server in servers) < len(servers):  # all() would start them in turn
            time.sleep(0.01)
    return [server.name for server in servers if server.started]


def end_watcher(data_dir: Path) -> None:
    """End the watcher, which would stay until its next look. The caller holds `users` alone, so no process needs it."""
    path = data_dir / "locks" / "watcher"
    with contextlib.suppress(OSError, ValueError, psutil.Error):
        process = psutil.Process(int(path.read_text()))
        if process.cmdline()[1:4] == ["-m", "config.embedded", str(data_dir)]:  # else the number is stale
            process.kill()
            with FileLock(path):
                pass  # its end is awaited


def watch(data_dir: Path, lock: int) -> None:
    """Stop the servers once nobody uses them or the directory was deleted. `lock` is the open lock of the watcher."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(EmbeddedError):  # the directory may be deleted already
        users = FileLock(data_dir / "locks" / "users")
        while users.is_on_disk() and not users.take(wait=False):
            time.sleep(LOOK_SECONDS)
    stop(kind(data_dir) for kind in KINDS.values())
    # While `users` is held: a process that ends unlocks its files in no certain order, and the next user starts a
    # watcher only if this lock is free.
    os.close(lock)

"""Who uses the embedded servers: the first starts them, the last one stops them.

Every user (`up`, a command, a test session) holds users.lock together with the others, and lets go of it however it
ends. Under start.lock one at a time starts what does not run, or finds itself alone and stops what runs. A watcher
process does the latter for users that were killed.
"""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from config.embedded.locks import FileLock, is_held, locked
from config.embedded.places import Places
from config.embedded.postgres import Postgres
from config.embedded.redis import Redis
from config.embedded.servers import Server, detach

CHECKOUT = Path(__file__).resolve().parents[2]
KINDS: dict[str, type[Server]] = {"postgres": Postgres, "redis": Redis}
SERVERS = tuple(KINDS)
LOOK_SECONDS = 0.1


@contextlib.contextmanager
def running(data_dir: Path, names: tuple[str, ...] = SERVERS) -> Iterator[None]:
    """The embedded servers of `data_dir` run inside this block; they are shared with others and stop with the last.

    Errors: EmbeddedError with what to do.
    """
    if not names:  # nothing may be writable: a container whose servers are others
        yield
        return
    places, process = Places(data_dir.resolve()), os.getpid()
    places.make()
    users = FileLock(places.locks / "users")
    try:
        users.take(shared=True)  # waits while servers are being stopped
        ensure(places, names)
        yield
    finally:
        if os.getpid() == process:  # a forked child shares the lock of its parent, who still needs it
            leave(places, users)


def restore(data_dir: Path, names: tuple[str, ...] = SERVERS) -> list[str]:
    """Start again servers that died while the caller uses them; their names. Errors: EmbeddedError with what to do."""
    places = Places(data_dir.resolve())
    if is_held(places.locks / "watcher") and all(KINDS[name](places).running() for name in names):
        return []
    return ensure(places, names)


def ensure(places: Places, names: tuple[str, ...]) -> list[str]:
    """Have the servers ready and a watcher for them; the caller holds users.lock. Returns what had to be started."""
    servers = [KINDS[name](places) for name in names]
    with locked(places.locks / "start"):
        watcher = 0
        if not is_held(places.locks / "watcher"):
            watch = [sys.executable, "-m", "config.embedded", str(places.data_dir)]
            paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
            watcher = detach(watch, places.logs / "watcher.log", env=environment, start_new_session=True)
        try:
            for server in servers:
                server.begin()
            for server in servers:
                server.wait_ready()
        finally:
            while psutil.pid_exists(watcher or -1) and not is_held(places.locks / "watcher"):
                time.sleep(0.01)
    return [name for name, server in zip(names, servers, strict=True) if server.started]


def leave(places: Places, users: FileLock) -> None:
    """Let go of the servers. The last one stops them and waits for the watcher, so that nothing is left behind."""
    alone = False
    if places.locks.exists():  # else the directory was deleted, and the watcher stops them
        with locked(places.locks / "start"):
            alone = users.try_take()
            if alone:
                stop(places)
    users.close()
    while alone and is_held(places.locks / "watcher"):
        time.sleep(LOOK_SECONDS / 5)
        with locked(places.locks / "start"):  # somebody may have come, who shares the lock; the watcher never does
            users_lock = places.locks / "users"
            alone = is_held(users_lock) or not is_held(users_lock, against_shared=True)


def stop(places: Places) -> None:
    """Stop the servers, together, also those that were just starting and have not written down who they are."""
    servers = [kind(places) for kind in KINDS.values()]
    found = [(server, server.running() or next(iter(server.processes()), None)) for server in servers]
    pairs = [(server, process) for server, process in found if process]
    for server, process in pairs:
        server.ask_to_stop(process)
    for server, process in pairs:
        server.wait_stopped(process)


def watch(data_dir: Path) -> None:
    """Stop the servers once nobody uses them or the directory was deleted."""
    places = Places(data_dir)
    alive, users = FileLock(places.locks / "watcher"), FileLock(places.locks / "users")
    alive.take()
    while alive.is_on_disk():
        with contextlib.suppress(OSError), locked(places.locks / "start"):
            if users.try_take():
                break
        time.sleep(LOOK_SECONDS)
    stop(places)

"""The side of those who use the embedded servers: hold them while needed, let go, wait until the last one is out."""

import atexit
import contextlib
import json
import os
import select
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from config.embedded.keeper import server_named
from config.embedded.locks import FileLock, is_held, locked
from config.embedded.places import EmbeddedError, Places
from config.embedded.servers import Server

CHECKOUT = Path(__file__).resolve().parents[2]
SERVERS = ("postgres", "redis")
STOP_SECONDS = 70  # more than a server may take, see stop_timeout


@dataclass
class Hold:
    """One process's registration as a user of one server."""

    server: Server
    count: int = 0
    keeper: int = 0  # process id, when this process started it

    def __post_init__(self) -> None:
        self.users = FileLock(self.path("users"))
        self.process = os.getpid()

    def path(self, lock: str) -> Path:
        return self.server.places.locks / f"{self.server.name}.{lock}"

    def take(self) -> None:
        """Register as a user (waiting while the server is being stopped), then see that the server is there."""
        self.users.take(shared=True)
        with locked(self.path("start")):
            deadline = time.monotonic() + self.server.start_timeout
            while not is_held(self.path("keeper")):
                self.start_keeper()
            while not self.server.is_ready():
                if time.monotonic() > deadline:
                    raise EmbeddedError(f"{self.server.name} does not answer; its log is {self.server.log}.")
                if not is_held(self.path("keeper")):
                    self.start_keeper()
                time.sleep(0.02)

    def restore(self) -> bool:
        """Start the keeper again, and with it the server, if it was killed; whether that was so."""
        if is_held(self.path("keeper")):
            return False
        self.take()
        return True

    def start_keeper(self) -> None:
        """Start a keeper and wait for its report. Errors: EmbeddedError with its message."""
        self.reap()
        paths = [str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])]
        read, write = os.pipe()
        log = self.server.places.logs / "keeper.log"
        with os.fdopen(read, "rb") as answer:
            try:
                self.keeper = os.posix_spawn(
                    sys.executable,
                    [sys.executable, "-m", "config.embedded", self.server.name, str(self.server.places.data_dir)],
                    os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
                    file_actions=[
                        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                        (os.POSIX_SPAWN_DUP2, write, 1),
                        (os.POSIX_SPAWN_OPEN, 2, str(log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                    ],
                )
            finally:
                os.close(write)
            ready = select.select([answer], [], [], self.server.start_timeout + 15)[0]
            line = answer.readline() if ready else b""
        told = json.loads(line) if line else {"error": f"The keeper of {self.server.name} failed; see {log}."}
        if "error" in told:
            raise EmbeddedError(told["error"])

    def release(self) -> None:
        """Let go; the last user waits until the server has stopped, so that nothing is left behind."""
        if os.getpid() != self.process:
            return  # a forked child shares the lock of its parent, who still needs it
        self.users.unlock()
        with contextlib.suppress(EmbeddedError), locked(self.path("start")):
            if self.is_orphaned():
                self.start_keeper()  # it adopts the server, finds no user and stops it
        deadline = time.monotonic() + STOP_SECONDS
        while self.is_stopping() and time.monotonic() < deadline:
            time.sleep(0.01)
        self.reap()
        self.users.close()

    def is_orphaned(self) -> bool:
        """Whether the server runs without a keeper (somebody killed it) and without users."""
        kept = is_held(self.path("keeper")) or is_held(self.path("users"), against_shared=True)
        return not kept and self.server.running() is not None

    def is_stopping(self) -> bool:
        """Whether a keeper is still there that nobody uses (it holds users.lock alone, or is about to)."""
        if not is_held(self.path("keeper")):
            return False
        return not is_held(self.path("users"), against_shared=True) or is_held(self.path("users"))

    def reap(self) -> None:
        """Take an ended keeper of ours off the process table."""
        if self.keeper:
            with contextlib.suppress(ChildProcessError):
                if os.waitpid(self.keeper, os.WNOHANG)[0]:
                    self.keeper = 0


_holds: dict[tuple[Path, str], Hold] = {}


def take(name: str, data_dir: Path) -> Hold:
    """A hold on the server of this name, which runs when this returns."""
    held = Hold(server_named(name, data_dir))
    try:
        held.take()
    except BaseException:  # also Ctrl-C: a half-taken hold would keep the server for ever; raised again
        held.release()
        raise
    return held


def hold(data_dir: Path, servers: tuple[str, ...] = SERVERS) -> None:
    """Have the embedded servers of `data_dir` running until this process ends (or `release`s as often).

    Starts what does not run and shares what does; returns when connections are taken.
    Errors: EmbeddedError with what to do; then none of them is held.
    """
    data_dir = data_dir.resolve()
    if servers:  # without, nothing may be writable: a container whose servers are others
        Places(data_dir).make()
    for position, name in enumerate(servers):
        try:
            if (data_dir, name) not in _holds:
                _holds[data_dir, name] = take(name, data_dir)
        except BaseException:  # also Ctrl-C: what was taken before is given back; raised again
            release(data_dir, servers[:position])
            raise
        _holds[data_dir, name].count += 1


def release(data_dir: Path, servers: tuple[str, ...] = SERVERS) -> None:
    """Take back one `hold`. The last process to do so waits until the servers have stopped."""
    for name in servers:
        held = _holds.get((data_dir.resolve(), name))
        if held is None:
            continue
        held.count -= 1
        if held.count == 0:
            del _holds[data_dir.resolve(), name]
            held.release()


def restore(data_dir: Path, servers: tuple[str, ...] = SERVERS) -> list[str]:
    """Bring back held servers whose keepers were killed, perhaps together with them; the names of those.

    A server whose keeper lives is brought back by that. Errors: EmbeddedError with what to do.
    """
    held = [(name, _holds.get((data_dir.resolve(), name))) for name in servers]
    return [name for name, one in held if one is not None and one.restore()]


@contextlib.contextmanager
def running(data_dir: Path, servers: tuple[str, ...] = SERVERS) -> Iterator[None]:
    """The embedded servers run inside this block."""
    hold(data_dir, servers)
    try:
        yield
    finally:
        release(data_dir, servers)


@atexit.register
def _release_all() -> None:
    while _holds:
        _holds.popitem()[1].release()

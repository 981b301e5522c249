"""The keeper: a small process that runs one server for as long as anybody uses it.

    python -m config.embedded SERVER DATA_DIR        (started by `hold`, never by hand)

Each user of the server (a manage.py command, a test session) holds a shared lock on users.lock. The keeper starts
the server, or adopts one whose keeper was killed, restarts it when it dies, and stops it once it gets users.lock for
itself alone, which is when the last user has ended in whatever way. It reports readiness, or why there is none, as
one line of JSON on its standard output.
"""

import contextlib
import json
import os
import signal
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from config.embedded.locks import FileLock
from config.embedded.places import EmbeddedError, Places
from config.embedded.postgres import Postgres
from config.embedded.redis import Redis
from config.embedded.servers import Server

LOOK_SECONDS = 0.1
RETRY_SECONDS = 0.5
# A server that dies this often within a minute is left alone; its log says why.
RESTARTS_A_MINUTE = 5


def server_named(name: str, data_dir: Path) -> Server:
    """The kind of server behind a name, with its places in `data_dir`."""
    return {"postgres": Postgres, "redis": Redis}[name](Places(data_dir))


@dataclass
class Keeper:
    """Keeps one server alive while anybody uses it, and stops it with the last."""

    server: Server
    stopping: bool = False
    starts: list[float] = field(default_factory=list)
    process: psutil.Process | None = None

    def __post_init__(self) -> None:
        locks = self.server.places.locks
        self.alive_lock = FileLock(locks / f"{self.server.name}.keeper")
        self.users_lock = FileLock(locks / f"{self.server.name}.users")

    def open(self) -> None:
        """Have a server that takes connections: an orphan of a killed keeper, or a new one."""
        if not self.alive_lock.take_within(10):
            raise EmbeddedError(f"Another process keeps {self.server.name} in {self.server.places.data_dir}.")
        self.bring_up()

    def bring_up(self) -> None:
        """Have a server that is ready, waiting for one that is just stopping to be quite gone.

        Errors: EmbeddedError with what stands in its way.
        """
        now = time.monotonic()
        self.starts = [at for at in self.starts if at > now - 60] + [now]
        while True:
            self.server.prepare()
            seen, adopted = self.server.log_size(), self.server.running()
            self.process = adopted or self.launch()
            try:
                self.server.wait_ready(self.is_alive)
            except EmbeddedError as error:
                obstacle = "" if adopted else self.server.passing_obstacle(seen)
                if not (adopted or obstacle):
                    raise
                if time.monotonic() > now + self.server.obstacle_timeout:
                    raise EmbeddedError(obstacle or str(error)) from error
            else:
                return
            time.sleep(RETRY_SECONDS)

    def launch(self) -> psutil.Process | None:
        """Start the server; None where it ended before it could be looked at."""
        child = self.server.start()
        try:
            return psutil.Process(child.pid)
        except psutil.NoSuchProcess:
            return None

    def is_alive(self) -> bool:
        """Whether the server lives; a child that ended is taken off the process table here."""
        if self.process is None:
            return False
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.process.pid, os.WNOHANG)
        with contextlib.suppress(psutil.NoSuchProcess):
            return self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE
        return False

    def keep(self) -> None:
        """Return when the last user has gone, when told to stop, or when the directory was deleted."""
        while not self.stopping and self.alive_lock.is_on_disk() and not self.users_lock.try_take():
            if not self.is_alive():
                self.relaunch()
            time.sleep(LOOK_SECONDS)

    def relaunch(self) -> None:
        """Start a server that died; the remains of a killed PostgreSQL may need a moment to clear its memory."""
        print(f"keeper: {self.server.name} ended unexpectedly and is started again", file=sys.stderr)  # noqa: T201
        if len(self.starts) > RESTARTS_A_MINUTE:
            raise EmbeddedError(f"{self.server.name} ended {len(self.starts)} times within a minute.")
        time.sleep(0.3 * len(self.starts))
        with contextlib.suppress(EmbeddedError):  # the next look starts it again
            self.bring_up()

    def close(self) -> None:
        if self.process is not None:
            self.server.stop(self.process)

    def stop_soon(self, *_: object) -> None:
        self.stopping = True


def report(answer: dict[str, object]) -> None:
    """Tell the process that waits for us, and let go of its pipe."""
    with contextlib.suppress(OSError):  # it may have been killed meanwhile
        os.write(1, json.dumps(answer).encode() + b"\n")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.close(null)


def main(name: str, data_dir: str) -> int:
    """Keep the server until its last user has gone; the exit status."""
    with contextlib.suppress(PermissionError):
        os.setsid()
    os.closerange(3, 4096)  # nothing of the starter's open files is ours to keep
    keeper = Keeper(server_named(name, Path(data_dir)))
    signal.signal(signal.SIGTERM, keeper.stop_soon)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        keeper.open()
        report({"ready": True})
        keeper.keep()
    except EmbeddedError as error:
        print(f"keeper: {error}", file=sys.stderr)  # noqa: T201
        report({"error": str(error)})
        return 1
    finally:
        keeper.close()
    return 0

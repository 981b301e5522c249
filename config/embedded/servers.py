"""What the keeper has to know of a server: where its programs are, how it starts, when it is ready, how it stops."""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from config.embedded.places import EmbeddedError, Places, private_directory
from config.embedded.unprivileged import Account, become, check_reach, server_account

LOG_LIMIT = 10_000_000  # bytes; a longer log is renamed to .old when its server starts


@dataclass(frozen=True)
class Server(ABC):
    """A server of one data directory. Subclasses say how theirs differs."""

    places: Places

    name: str = ""
    stop_signal: signal.Signals = signal.SIGTERM
    # How long a server may recover after a crash, and take to stop, in seconds.
    start_timeout: float = 120
    stop_timeout: float = 60
    obstacle_timeout: float = 30  # how long what passes by itself may keep it from starting

    @property
    def data(self) -> Path:
        return self.places.data_dir / self.name

    @property
    def log(self) -> Path:
        return self.places.logs / f"{self.name}.log"

    @property
    @abstractmethod
    def socket(self) -> Path:
        """The Unix socket it listens on."""

    @abstractmethod
    def prepare(self) -> None:
        """Make the data directory ready to be served, or raise EmbeddedError."""

    @abstractmethod
    def command(self) -> list[str]:
        """The program and its arguments."""

    @abstractmethod
    def recorded_pid(self) -> int | None:
        """The process id the server itself wrote down, which may be stale."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it takes connections now."""

    @abstractmethod
    def is_program(self, process: psutil.Process) -> bool:
        """Whether this process runs the server's program."""

    def account(self) -> Account | None:
        return server_account(self.data)

    def running(self) -> psutil.Process | None:
        """The living process that serves this data directory, whoever started it."""
        pid = self.recorded_pid()
        with contextlib.suppress(psutil.Error, OSError):
            if pid:
                process = psutil.Process(pid)
                here = Path(process.cwd()) == self.data.resolve()
                if here and self.is_program(process) and process.status() != psutil.STATUS_ZOMBIE:
                    return process
        return None

    def start(self) -> subprocess.Popen[bytes]:
        """Start the server as a child of this process; it may not be ready yet."""
        self.make_socket_dir()
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.old"))
        with self.log.open("ab") as log:
            return subprocess.Popen(  # noqa: S603 - our own command
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                **self.child_settings(),
            )

    def child_settings(self) -> dict[str, Any]:
        """Keyword arguments of `subprocess` for every program of this server."""
        account = self.account()
        foreign = ("PG", "LC_", "LANG", "REDIS")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        return {
            "cwd": "/",
            "env": environment | {"LC_ALL": "C", "TZ": "UTC"},
            "umask": 0o077,
            "start_new_session": True,  # Ctrl-C in the terminal is for Litmus, which then stops the server in order
            "preexec_fn": become(account) if account else None,
        }

    def make_socket_dir(self) -> None:
        """An empty place for the socket: what a killed server left is removed (no server is running now)."""
        self.socket.unlink(missing_ok=True)
        self.socket.with_name(self.socket.name + ".lock").unlink(missing_ok=True)
        private_directory(self.socket.parent)
        self.give(self.socket.parent)

    def make_data_dir(self, directory: Path) -> None:
        private_directory(directory)
        self.give(directory)

    def give(self, directory: Path) -> None:
        """As root: let the server's account own the directory, and see that it gets there."""
        if account := self.account():
            os.chown(directory, account.uid, account.gid)
            check_reach(account, Path(self.command()[0]), directory)

    def wait_ready(self, alive: Callable[[], bool]) -> None:
        """Wait until connections are taken.

        Errors: EmbeddedError with the end of the log when the server ends or is too slow.
        """
        deadline = time.monotonic() + self.start_timeout
        while not self.is_ready():
            if not alive():
                raise EmbeddedError(f"{self.name} ended while starting. The end of {self.log}:\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise EmbeddedError(
                    f"{self.name} was not ready after {self.start_timeout:.0f} seconds. "
                    f"The end of {self.log}:\n{self.log_tail()}"
                )
            time.sleep(0.02)

    def passing_obstacle(self, log_from: int) -> str:  # noqa: ARG002 - for subclasses
        """What kept the server from starting though it passes by itself, or "". `log_from`: the log's size before."""
        return ""

    def log_size(self) -> int:
        return self.log.stat().st_size if self.log.exists() else 0

    def log_since(self, size: int) -> str:
        """What was logged since the log had this size, or all of it where a new log was begun."""
        if not self.log.exists():
            return ""
        with self.log.open("rb") as log:
            log.seek(size if size <= self.log_size() else 0)
            return log.read(1_000_000).decode(errors="replace")

    def log_tail(self, lines: int = 12) -> str:
        if not self.log.exists():
            return "(empty)"
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 8000))
            return "\n".join("    " + line for line in log.read().decode(errors="replace").splitlines()[-lines:])

    def stop(self, process: psutil.Process) -> None:
        """Stop in order; after `stop_timeout` by force (the next start recovers)."""
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(self.stop_signal)
            try:
                process.wait(self.stop_timeout)
            except psutil.TimeoutExpired:
                process.kill()
                process.wait(5)


def takes_connections(path: Path) -> bool:
    """Whether something accepts connections at this socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(2)
        try:
            client.connect(str(path))
        except OSError:
            return False
        return True


def wheel_directory(package: str) -> Path | None:
    """Where an installed package lies, without running it."""
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def program(*candidates: Path | str | None) -> Path | None:
    """The first candidate that can be run: a path, or a name to look up on the PATH."""
    for candidate in candidates:
        found = shutil.which(str(candidate)) if candidate else None
        if found:
            return Path(found)
    return None

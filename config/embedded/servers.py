"""What a server is: where its programs are, how it starts, when it is ready, how it stops."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from config.embedded.places import EmbeddedError, Places, private_directory
from config.embedded.unprivileged import Account, check_reach, run_as, server_account

LOG_LIMIT = 10_000_000  # bytes; a longer log is renamed to .old when its server starts


def detach(command: list[str], log: Path, account: Account | None = None, **how: Any) -> int:
    """Start a process that is nobody's child, writing to `log`; its process id."""
    shell = run_as(account, ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command])
    with log.open("ab") as stream:
        return int(subprocess.run(**shell, stdout=subprocess.PIPE, stderr=stream, check=True, **how).stdout)


def is_alive(process: psutil.Process | None) -> bool:
    """Whether it runs: a zombie does not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


@dataclass
class Server(ABC):
    """A server of one data directory. Subclasses say how theirs differs."""

    places: Places
    name: str = ""
    programs: tuple[str, ...] = ()  # how the names of its processes begin
    stop_signal: signal.Signals = signal.SIGTERM
    # How long a server may recover after a crash, take to stop, and be kept from starting by what passes; seconds.
    start_timeout: float = 120
    stop_timeout: float = 60
    obstacle_timeout: float = 30
    process: psutil.Process | None = None  # what `begin` has found or started
    started: bool = False  # here; else it was found running
    log_from: int = 0  # the log's size before

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

    @property
    @abstractmethod
    def pid_file(self) -> Path:
        """Where the server itself writes its process id, which may be stale, on the first line."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it takes connections now."""

    def account(self) -> Account | None:
        return server_account(self.data)

    def running(self) -> psutil.Process | None:
        """The living process that serves this data directory, started by any process."""
        with contextlib.suppress(psutil.Error, OSError, ValueError):  # ValueError: nothing is written yet
            process = psutil.Process(int(self.pid_file.read_text().partition("\n")[0]))
            if self.works_here(process):
                return process
        return None

    def processes(self) -> list[psutil.Process]:
        """All that work in this data directory, the first one first: it has started the others.

        The directory may be deleted: then nothing else tells of them.
        """
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if self.works_here(process):
                    found.append(process)
        return sorted(found, key=psutil.Process.create_time)

    def works_here(self, process: psutil.Process) -> bool:
        place = process.cwd().removesuffix(" (deleted)")
        return place == str(self.data.resolve()) and process.name().startswith(self.programs) and is_alive(process)

    def begin(self) -> None:
        """Find the server running, or start it; it may not be ready yet."""
        self.process = self.running()
        self.started = self.process is None
        if self.started:
            self.prepare()
            self.launch()

    def launch(self) -> None:
        self.make_socket_dir()
        self.log_from = self.log.stat().st_size if self.log.exists() else 0
        if self.log_from > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.old"))
            self.log_from = 0
        with contextlib.suppress(psutil.NoSuchProcess):  # it ended before it could be looked at
            self.process = psutil.Process(detach(self.command(), self.log, self.account(), **self.child_settings()))

    def wait_ready(self) -> None:
        """Wait until connections are taken, starting the server again where what kept it from starting has passed.

        Errors: EmbeddedError with what stands in its way, or with the end of the log.
        """
        began = time.monotonic()
        while not self.is_ready():
            waited = time.monotonic() - began
            if waited > self.start_timeout:
                raise EmbeddedError(f"{self.name} was not ready after {waited:.0f} seconds. {self.log_tail()}")
            if not is_alive(self.process):
                obstacle = self.passing_obstacle()
                if self.started and not obstacle:
                    raise EmbeddedError(f"{self.name} ended while starting. {self.log_tail()}")
                if waited > self.obstacle_timeout:
                    raise EmbeddedError(obstacle)
                time.sleep(0.5 if obstacle else 0)
                self.begin()  # also where the server that was found was just stopping
            time.sleep(0.01)

    def child_settings(self) -> dict[str, Any]:
        """Keyword arguments of `subprocess` for every program of this server."""
        foreign = ("PG", "LC_", "LANG", "REDIS")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)}
        return {
            "cwd": "/",
            "env": environment | {"LC_ALL": "C", "TZ": "UTC"},
            "umask": 0o077,
            "start_new_session": True,  # Ctrl-C in the terminal is for Litmus, which then stops the server in order
        }

    def make_socket_dir(self) -> None:
        """An empty place for the socket: what a killed server left is removed (no server is running now)."""
        self.socket.unlink(missing_ok=True)
        self.socket.with_name(self.socket.name + ".lock").unlink(missing_ok=True)
        self.make_directory(self.socket.parent)

    def make_directory(self, directory: Path) -> None:
        """A directory of the server's account alone. As root that is another, which must get there."""
        private_directory(directory)
        if account := self.account():
            os.chown(directory, account.uid, account.gid)
            check_reach(account, Path(self.command()[0]), directory)

    def passing_obstacle(self) -> str:
        """What kept the server from starting though it passes without action, or ""."""
        return ""

    def log_tail(self, lines: int = 12) -> str:
        text = self.log.read_bytes()[-8000:].decode(errors="replace") if self.log.exists() else "(empty)"
        return f"The end of {self.log}:\n" + "\n".join("    " + line for line in text.splitlines()[-lines:])

    def ask_to_stop(self, process: psutil.Process) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(self.stop_signal)

    def wait_stopped(self, process: psutil.Process) -> None:
        """Return when it has ended; after `stop_timeout` by force (the next start recovers)."""
        deadline = time.monotonic() + self.stop_timeout
        while is_alive(process):
            if time.monotonic() > deadline:
                process.kill()
            time.sleep(0.01)


def wheel_directory(package: str) -> Path | None:
    """Where an installed package lies, without running it."""
    spec = importlib.util.find_spec(package)
    places = list(spec.submodule_search_locations or []) if spec else []
    return Path(places[0]) if places else None


def program(*candidates: Path | str | None) -> Path | None:
    """The first candidate that can be run: a path, or a name to look up on the PATH."""
    found = (shutil.which(str(candidate)) for candidate in candidates if candidate)
    return next((Path(path) for path in found if path), None)

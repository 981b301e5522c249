"""A server: where its program is, how it starts, when it is ready, how it stops."""

import contextlib
import importlib.util
import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import psutil

from config.embedded.places import EmbeddedError, Places, private_directory
from config.embedded.unprivileged import Account, check_reach, run_as, server_account

LOG_LIMIT = 10_000_000  # bytes; a longer log is renamed to .old when its server starts
START_SECONDS = 120  # to recover after a crash
STOP_SECONDS = 60


class Server(ABC):
    """A server of one data directory. Subclasses say how theirs differs."""

    name: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]  # how the names of its processes begin
    socket_name: ClassVar[str]
    pid_name: ClassVar[str]  # the file on whose first line the server writes its process id, which may be stale

    def __init__(self, places: Places) -> None:
        self.data = places.data_dir / self.name
        self.log = places.logs / f"{self.name}.log"
        self.socket = places.sockets / self.name / self.socket_name
        self.pid_file = self.data / self.pid_name
        self.deadline = time.monotonic() + START_SECONDS
        self.started = False  # here; else it was found running
        self.process: psutil.Process | None = None  # that was started here, unless it ended at once

    @abstractmethod
    def command(self) -> list[str]:
        """The program and its arguments."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it takes connections now."""

    def prepare(self) -> None:
        """Make the data directory ready to be served. Errors: EmbeddedError."""
        self.make_directory(self.data)

    def running(self) -> psutil.Process | None:
        """The living process that serves this data directory, started by any process."""
        with contextlib.suppress(psutil.Error, OSError, ValueError):  # ValueError: nothing is written yet
            process = psutil.Process(int(self.pid_file.read_text().partition("\n")[0]))
            return process if self.works_here(process) else None
        return None

    def processes(self) -> list[psutil.Process]:
        """All that work in this data directory, the first one first: it has started the others.

        Where the directory was deleted, this is the only way to find them.
        """
        return sorted(filter(self.works_here, psutil.process_iter()), key=psutil.Process.create_time)

    def works_here(self, process: psutil.Process) -> bool:
        with contextlib.suppress(psutil.Error, OSError):
            place = process.cwd().removesuffix(" (deleted)")
            return place == str(self.data.resolve()) and process.name().startswith(self.programs)
        return False

    def bring_up(self) -> bool:
        """Start the server unless it runs; whether it takes connections now, for which the caller asks again and again.

        Errors: EmbeddedError with the end of the log.
        """
        if not self.running() and not is_alive(self.process):  # the one that was found may have been stopping
            if self.started:
                raise EmbeddedError(f"{self.name} ended while starting. {self.log_tail()}")
            self.launch()
        if time.monotonic() > self.deadline:
            raise EmbeddedError(f"{self.name} was not ready after {START_SECONDS} seconds. {self.log_tail()}")
        return self.is_ready()

    def launch(self) -> None:
        self.prepare()
        shutil.rmtree(self.socket.parent, ignore_errors=True)  # with the socket of a killed server
        self.make_directory(self.socket.parent)
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.old"))
        self.started = True
        with contextlib.suppress(psutil.NoSuchProcess):
            self.process = psutil.Process(detach(self.command(), self.log, server_account(self.data)))

    def make_directory(self, directory: Path) -> None:
        """A directory of the server's account alone. As root that is another, which must get there."""
        private_directory(directory)
        if account := server_account(self.data):
            os.chown(directory, account.pw_uid, account.pw_gid)
            check_reach(account, Path(self.command()[0]), directory)

    def log_tail(self) -> str:
        text = self.log.read_bytes()[-8000:].decode(errors="replace") if self.log.exists() else "(empty)"
        return f"The end of {self.log}:\n" + "\n".join("    " + line for line in text.splitlines()[-12:])


def stop(servers: Iterable[Server]) -> None:
    """Stop them together, also those that were just starting and have not written their process id yet.

    After STOP_SECONDS by force: the next start recovers.
    """
    processes = []
    for server in servers:
        if process := server.running() or next(iter(server.processes()), None):
            processes.append(process)
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGINT)  # PostgreSQL ends sessions, both write their data
    deadline = time.monotonic() + STOP_SECONDS
    while processes := list(filter(is_alive, processes)):
        if time.monotonic() > deadline:
            for process in processes:
                process.kill()
        time.sleep(0.01)


def is_alive(process: psutil.Process | None) -> bool:
    """Whether it runs: a zombie does not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process is not None and process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def detach(command: list[str], log: Path, account: Account | None = None, **options: Any) -> int:
    """Start a process that is nobody's child, writing to `log`; its process id."""
    settings = run_as(account, ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command]) | options
    with log.open("ab") as stream:
        return int(subprocess.run(**settings, stdout=subprocess.PIPE, stderr=stream, check=True).stdout)


def program(package: str, pattern: str, *elsewhere: str) -> Path | None:
    """The first program that can be run: of an installed package (which is not loaded), or by a path or a name."""
    spec = importlib.util.find_spec(package)
    places = (spec and spec.submodule_search_locations) or ()
    candidates = [*(str(file) for place in places for file in Path(place).glob(pattern)), *elsewhere]
    return next((Path(path) for path in map(shutil.which, candidates) if path), None)

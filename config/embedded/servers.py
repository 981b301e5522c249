"""A server: where its program is, as which user it runs, how it starts, when it is ready, how it stops.

PostgreSQL refuses to run as root, so root starts both servers as another user. In a home that only root may enter, that
user cannot even reach the programs, which pipx and uv install there. So the servers keep one capability (on Linux, by
`setpriv`), to read and search directories, and the home need not be opened to everybody.
"""

import contextlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import psutil

from config.embedded.places import EmbeddedError, private_directory, socket_directory

LOG_LIMIT = 10_000_000  # bytes; a longer log is renamed to .old when its server starts
START_SECONDS = 120  # to recover after a crash
STOP_SECONDS = 60


class Server(ABC):
    """A server of one data directory. Subclasses say how theirs differs."""

    name: ClassVar[str]
    programs: ClassVar[tuple[str, ...]]  # how the names of its processes begin
    socket_name: ClassVar[str]
    pid_name: ClassVar[str]  # the file on whose first line the server writes its process id, which may be stale

    def __init__(self, data_dir: Path) -> None:
        self.data = data_dir / self.name
        self.log = data_dir / "logs" / f"{self.name}.log"
        self.socket = socket_directory(data_dir) / self.name / self.socket_name
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
        """Start the server unless it runs; whether it takes connections by now. The caller repeats this until it does.

        Errors: EmbeddedError with the end of the log.
        """
        if not self.running() and not (self.process and is_alive(self.process)):
            if self.started:
                raise EmbeddedError(f"{self.name} ended while starting. {self.log_tail()}")
            self.launch()  # also where the server that was found was just stopping
        ready = self.is_ready()
        if not ready and time.monotonic() > self.deadline:
            raise EmbeddedError(f"{self.name} was not ready after {START_SECONDS} seconds. {self.log_tail()}")
        return ready

    def launch(self) -> None:
        self.prepare()
        shutil.rmtree(self.socket.parent, ignore_errors=True)  # with the socket of a killed server
        self.make_directory(self.socket.parent)
        if self.log.exists() and self.log.stat().st_size > LOG_LIMIT:
            self.log.replace(self.log.with_suffix(".log.old"))
        self.started = True
        with contextlib.suppress(psutil.NoSuchProcess):
            self.process = psutil.Process(detach(self.command(), self.log, server_account(self.data)))
        self.deadline = time.monotonic() + START_SECONDS  # without the time that initdb took

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


def is_alive(process: psutil.Process) -> bool:
    """Whether it runs: a zombie does not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def program(package: str, pattern: str, *elsewhere: str) -> Path | None:
    """The first program that can be run: of an installed package (which is not loaded), or by a path or a name."""
    spec = importlib.util.find_spec(package)
    places = (spec and spec.submodule_search_locations) or ()
    candidates = [*(str(file) for place in places for file in Path(place).glob(pattern)), *elsewhere]
    return next((Path(path) for path in map(shutil.which, candidates) if path), None)


def detach(command: list[str], log: Path, account: pwd.struct_passwd | None = None, **options: Any) -> int:
    """Start a process that is nobody's child, writing to `log`; its process id."""
    settings = run_as(account, ["/bin/sh", "-c", '"$@" >&2 & echo $!', "sh", *command]) | options
    with log.open("ab") as stream:
        return int(subprocess.run(**settings, stdout=subprocess.PIPE, stderr=stream, check=True).stdout)


def run_as(account: pwd.struct_passwd | None, command: list[str]) -> dict[str, Any]:
    """The keyword arguments of `subprocess` by which the command runs as that user; None: as the present one.

    In a separate session: Ctrl-C in the terminal is for Litmus, which then stops its servers in order.
    """
    foreign = ("PG", "LC_", "LANG", "REDIS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(foreign)} | {"LC_ALL": "C", "TZ": "UTC"}
    settings = {"args": command, "cwd": "/", "env": environment, "umask": 0o077, "start_new_session": True}
    if account is None:
        return settings
    if right := right_to_search():
        who = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
        rights = [f"--inh-caps=-all,+{right}", f"--ambient-caps=+{right}"]
        if _rights() & 1 << 8:  # to say that access(2), by which initdb looks for its own program, counts the right too
            rights.append("--securebits=+no_setuid_fixup")
        return settings | {"args": ["setpriv", *who, *rights, *command]}
    return settings | {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def right_to_search() -> str:
    """The capability to search any directory that this process can hand on; "" for none."""
    if Path(shutil.which("setpriv") or "/").resolve().name != "setpriv":  # BusyBox's cannot become another user
        return ""
    # The bits are those of linux/capability.h; the first right is the harmless one.
    return "dac_read_search" if _rights() & 1 << 2 else "dac_override" if _rights() & 1 << 1 else ""


def _rights() -> int:
    """The capabilities that this process may use; 0 where the system has none."""
    status = Path("/proc/self/status")
    return int(re.findall(r"CapPrm:\s*(\w+)", status.read_text())[0], 16) if status.exists() else 0


def server_account(data: Path) -> pwd.struct_passwd | None:
    """The user the server runs as; None: the present one, which is every case but root.

    It is the owner of an existing data directory, else the user who called sudo, else `nobody`. The account must
    exist: initdb looks it up.
    """
    if os.geteuid() != 0:
        return None
    uid = (data.stat().st_uid if data.exists() else 0) or int(os.environ.get("SUDO_UID", "0"))
    try:
        return pwd.getpwuid(uid) if uid else pwd.getpwnam("nobody")
    except KeyError:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the user who would run it ({uid or 'nobody'}) does not exist. "
            "Run Litmus as a plain user, or set DATABASE_URL to your own PostgreSQL."
        ) from None


def check_reach(account: pwd.struct_passwd, program: Path, directory: Path) -> None:
    """Make sure that `account` can read the program and enter the directory.

    Errors: EmbeddedError naming the first directory in the way.
    """
    look = run_as(account, ["/bin/sh", "-c", '[ -r "$0" ] && [ -r "$1" ] || exit 3', str(program), str(directory)])
    try:
        status = subprocess.run(**look, stderr=subprocess.DEVNULL, check=False).returncode
    except OSError:
        status = None
    if status == 0:
        return
    if status != 3:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and this system does not let root become {account.pw_name}. "
            "Run Litmus as a plain user, or set DATABASE_URL and REDIS_URL to your own servers."
        )
    above = [*reversed(program.parents), *reversed(directory.parents)]
    blocked = next((path for path in above if not path.stat().st_mode & 0o001), program)
    raise EmbeddedError(
        f"PostgreSQL does not run as root, and the user {account.pw_name} may not enter {blocked}. "
        f"Run Litmus as a plain user, move the checkout to a place such as /opt, or allow it: chmod o+x '{blocked}'"
    )

"""The processes of `manage.py up`: started together, started again when one dies, stopped together."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from django.conf import settings

CHECKOUT = Path(__file__).resolve().parent.parent
MOST_STARTS_A_MINUTE = 5
STOP_SECONDS = 10  # more than requests and jobs get; then nothing is waited for


class GivenUp(Exception):
    """A process ends again and again; the message says which."""


@dataclass
class Child:
    """One process, in a separate session (Ctrl-C reaches only the supervisor) and on a leash (see leash.py)."""

    name: str
    module: list[str]  # what `python -m` runs, with its arguments
    environment: dict[str, str] = field(default_factory=dict)
    keep_open: tuple[int, ...] = ()
    once: bool = False  # it ends when its work is done
    starts: list[float] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.starts.append(time.monotonic())
        self.process = subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, "-m", "config.leash", *self.module],
            cwd=CHECKOUT,
            env=os.environ | self.environment | {"LITMUS_PARENT": str(os.getpid())},
            stdin=subprocess.DEVNULL,
            pass_fds=self.keep_open,
            start_new_session=True,
        )

    def signal(self, what: signal.Signals, *, group: bool = False) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                if group:
                    os.killpg(self.process.pid, what)
                else:
                    self.process.send_signal(what)


class Supervisor:
    """Starts child processes, starts again what dies, and stops all of them; `say` reports what happens."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self.children: list[Child] = []
        self.say = say

    def start(self, child: Child) -> None:
        self.children.append(child)
        child.start()

    def look(self) -> None:
        """Start again what has died. Errors: GivenUp when that does not help."""
        for child in list(self.children):
            status = child.process.poll() if child.process else None
            if status is None:
                continue
            if child.once:
                self.children.remove(child)
                if status:
                    self.say(
                        f"The {child.name} ended with status {status}; the reason is above."
                        " Everything else keeps running."
                    )
                continue
            recent = [at for at in child.starts if at > time.monotonic() - 60]
            ending = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
            if len(recent) >= MOST_STARTS_A_MINUTE:
                raise GivenUp(f"The {child.name} {ending}, {len(recent)} times within a minute. The reason is above.")
            self.say(f"The {child.name} {ending} unexpectedly and is started again.")
            child.signal(signal.SIGKILL, group=True)  # what it may have left
            child.start()

    def stop(self) -> None:
        """End all processes in order, and by force those that take too long."""
        for child in self.children:
            child.signal(signal.SIGTERM)
        deadline = time.monotonic() + settings.DRAIN_SECONDS + STOP_SECONDS
        for child in self.children:
            if child.process is not None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(max(0.1, deadline - time.monotonic()))
                child.signal(signal.SIGKILL, group=True)
                child.process.wait()

"""The process that forks readers: `python -m engines.guarded.nursery`, with a socket to its parent as standard input.

It has one thread, so forking it is safe, and nothing but the formats in memory. For each reader the parent sends three
descriptors: the request, where to send frames, and a leash. When the parent lets go of the leash, the reader is killed
at once; when the reader ends, its status is written to the leash. The nursery ends with its parent, and after a while
without work.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import struct
from contextlib import suppress

IDLE_SECONDS = 60.0
STATUS = struct.Struct("<i")  # on the leash, when the reader has ended


class Nursery:
    """Readers by their process ids, each with its leash; `killed` are those whose leash was let go."""

    def __init__(self, control: socket.socket) -> None:
        self.control = control
        self.leashes: dict[int, socket.socket] = {}
        self.killed: set[int] = set()
        self.woken, wake = os.pipe()
        for end in (self.woken, wake):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def serve(self) -> None:
        """Fork readers until the parent is gone, or nobody has asked for a while."""
        while True:
            by_end = {leash.fileno(): pid for pid, leash in self.leashes.items() if pid not in self.killed}
            waiting = [self.control.fileno(), self.woken, *by_end]
            ready, _, _ = select.select(waiting, [], [], None if self.leashes else IDLE_SECONDS)
            if not ready:
                # What was sent before is still read, and then the end; what comes later fails where it is sent.
                self.control.shutdown(socket.SHUT_RD)
            for end in ready:
                if end == self.woken:
                    os.read(self.woken, 1024)
                elif end in by_end:  # nothing is ever written to it: it was let go
                    self._kill(by_end[end])
            self._bury()
            if self.control.fileno() in ready and not self._fork():
                return

    def _kill(self, pid: int) -> None:
        self.killed.add(pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)

    def _bury(self) -> None:
        """Report how readers ended."""
        for pid in list(self.leashes):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                with suppress(OSError):  # nobody waits for it
                    self.leashes[pid].send(STATUS.pack(os.waitstatus_to_exitcode(status)))
                self.leashes.pop(pid).close()
                self.killed.discard(pid)

    def _fork(self) -> bool:
        """Start the reader that the parent asks for; False where the parent is gone."""
        message, ends, _, _ = socket.recv_fds(self.control, 1, 3)
        if not message:
            return False
        request, target, leash = ends
        pid = os.fork()
        if not pid:
            self._become_reader(request, target, leash)
        os.close(request)
        os.close(target)
        self.leashes[pid] = socket.socket(fileno=leash)
        return True

    def _become_reader(self, request: int, target: int, leash: int) -> None:
        """Never returns. The child keeps no end of others, so that these notice when somebody lets go."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for end in (self.control, *self.leashes.values()):
                end.close()
            os.close(leash)
            os.dup2(0, 2)  # what libraries complain about is not ours to print
            from engines.guarded.child import run

            run(request, target)
            status = 0
        finally:
            os._exit(status)

    def close(self) -> None:
        """Kill what still reads."""
        for pid in self.leashes:
            self._kill(pid)


def main() -> None:
    """Load the formats, then serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    control = socket.socket(fileno=os.dup(0))
    devnull = os.open(os.devnull, os.O_RDWR)
    os.dup2(devnull, 0)
    import engines.formats.reading
    import engines.guarded.child  # noqa: F401
    from engines.formats.registry import formats

    list(formats().values())
    gc.freeze()
    nursery = Nursery(control)
    try:
        nursery.serve()
    finally:
        nursery.close()


if __name__ == "__main__":
    main()

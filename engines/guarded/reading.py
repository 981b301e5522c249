"""The parent's side: have a file read by a child, and get what it reads, record by record."""

from __future__ import annotations

import atexit
import fcntl
import os
import pickle  # noqa: TID251 - written here, read by our own child
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from engines.guarded.limits import DEFAULT_LIMITS, Limits, ReaderError, ReadingFailed
from engines.guarded.messages import END, FAULT, HEADER, MOST_BYTES, NO_MEMORY, NO_ROOM, RAISED, RECORDS, unpacked
from engines.guarded.nursery import STATUS

LOOK_EVERY = 0.2  # seconds between two looks at whether the work was cancelled
PIPE_BYTES = 1 << 20
COMMAND = [sys.executable, "-s", "-m", "engines.guarded.nursery"]
_ROOT = Path(__file__).resolve().parents[2]
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV")


T = TypeVar("T")


def _nothing(*_: Any) -> None:
    """The check of work that nobody can cancel."""


def read_guarded(
    read: Callable[..., Iterable[T]],
    *,
    limits: Limits = DEFAULT_LIMITS,
    check: Callable[[], None] = _nothing,
    watch: Callable[[int, int], None] | None = None,
) -> Iterator[T]:
    """Yield what `read()` yields, called by a child within the limits.

    `read` is a function of a module that knows no Django, or a `partial` of one with plain arguments. Where `watch` is
    given, `read` gets one too, which it calls with the numbers of bytes that it reads; ours gets, before records come,
    how many bytes of the file were read for them, and how many bytes they are.
    `check` is called several times a second while nothing comes and may raise to stop the work: the child is killed,
    the exception goes on. Exceptions of the formats that `read` raises are raised here. Raises `ReadingFailed` where
    the child came to a limit, `ReaderError` for a fault in its code.
    """
    with _Reading((read, limits, watch is not None), check) as reading:
        before = 0
        while True:
            kind, data, bytes_read = reading.frame()
            if watch:
                watch(bytes_read - before, len(data))
                before = bytes_read
            if kind == RECORDS:
                yield from unpacked(data)
            elif kind == END:
                return
            else:
                raise _failure(kind, data, limits)


def _failure(kind: bytes, data: bytes, limits: Limits) -> Exception:
    if kind == NO_MEMORY:
        return _no_memory(limits)
    if kind == NO_ROOM:
        return ReadingFailed("room", "needs more disk space on the server to read than is free")
    (found,) = unpacked(data)
    if kind == RAISED and isinstance(found, Exception):
        return found
    if kind == FAULT:
        message, trace = found
        error = ReaderError(str(message))
        error.add_note(str(trace))
        return error
    return ReadingFailed("crash", "could not be read: the process that read it failed")


def _no_memory(limits: Limits) -> ReadingFailed:
    return ReadingFailed("memory", f"needs more than {limits.megabytes:,} MB of memory to read")


class _Reading:
    """A child at work. Leaving the block kills it, if it still lives."""

    def __init__(self, request: tuple[Any, Limits, bool], check: Callable[[], None]) -> None:
        self.request = request
        self.limits = request[1]
        self.check = check
        self.buffer = bytearray()
        self.source = -1

    def __enter__(self) -> _Reading:
        # A file, so that a request of any length waits for a child of any slowness.
        with tempfile.TemporaryFile() as file:
            pickle.dump(self.request, file)
            file.flush()
            file.seek(0)
            self.source, target = os.pipe()
            self.leash, theirs = socket.socketpair()
            with suppress(OSError, AttributeError):  # only Linux has it, up to what the operator allows
                fcntl.fcntl(target, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            try:
                self._start([file.fileno(), target, theirs.fileno()])
            except BaseException:  # also Ctrl-C and the end of the worker: no child outlives its reading; raised again
                self.__exit__()
                raise
            finally:
                os.close(target)
                theirs.close()
        return self

    def _start(self, ends: list[int]) -> None:
        """Hand the ends to the nursery; once more to a new one where it was about to end."""
        with suppress(OSError):
            _nursery().send(ends)
            return
        forget_nursery()
        _nursery().send(ends)

    def __exit__(self, *_: object) -> None:
        self.leash.close()
        os.close(self.source)

    def frame(self) -> tuple[bytes, bytes, int]:
        """The next frame: kind, data, bytes of the file read so far. Raises `ReadingFailed`."""
        kind, length, bytes_read = HEADER.unpack(self._take(HEADER.size))
        if length > MOST_BYTES:
            raise ReadingFailed("memory", f"holds a record of more than {MOST_BYTES >> 20} MB")
        return kind, self._take(length), bytes_read

    def _take(self, size: int) -> bytes:
        while len(self.buffer) < size:
            self._wait()
            piece = os.read(self.source, PIPE_BYTES)
            if not piece:
                raise self._end()
            self.buffer += piece
        data = bytes(self.buffer[:size])
        del self.buffer[:size]
        return data

    def _wait(self) -> None:
        """Until something comes. Raises `ReadingFailed` where the machine has kept the child waiting for too long."""
        poll = select.poll()
        poll.register(self.source, select.POLLIN)
        for _ in range(round(self.limits.quiet_seconds / LOOK_EVERY)):
            if poll.poll(LOOK_EVERY * 1000):
                return
            self.check()
        minutes = f"{self.limits.quiet_seconds / 60:,.0f} minutes"
        reason = f"was not read: the machine was busy and the process got too little time in {minutes}. Try again"
        raise ReadingFailed("busy", reason)

    def _end(self) -> ReadingFailed:
        """What it means that the child ended without its last word."""
        status = self._status()
        if status == -signal.SIGXCPU:
            seconds = self.limits.seconds
            return ReadingFailed("time", f"took longer than {seconds:,} seconds of processor time to read")
        if status is not None and status < 0:  # some libraries end the process where they get no memory
            return ReadingFailed("crash", "crashed the process that read it: it is damaged or needs too much memory")
        return ReadingFailed("crash", "could not be read: the process that read it failed")

    def _status(self) -> int | None:
        self.leash.settimeout(10)
        said = b""
        with suppress(OSError):
            while piece := self.leash.recv(16):
                said += piece
        return STATUS.unpack(said)[0] if len(said) == STATUS.size else None


class _Nursery:
    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.lock = threading.Lock()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                COMMAND,
                cwd=_ROOT,
                env=environment(),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )

    def send(self, ends: list[int]) -> None:
        if self.process.poll() is not None:
            raise BrokenPipeError
        with self.lock:
            socket.send_fds(self.control, [b"r"], ends)

    def close(self) -> None:
        self.control.close()
        self.process.wait()


def environment() -> dict[str, str]:
    """What the nursery needs to find Python; no addresses, keys or passwords of ours."""
    own = {"TMPDIR": tempfile.gettempdir(), "PYTHONIOENCODING": "utf-8", "OPENBLAS_NUM_THREADS": "1"}
    own["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others reserve more than a child may have
    return {name: value for name, value in os.environ.items() if name in _KEPT} | own


_lock = threading.Lock()
_ours: list[_Nursery] = []


def _nursery() -> _Nursery:
    with _lock:
        if not _ours:
            _ours.append(_Nursery())
        return _ours[0]


@atexit.register
def forget_nursery() -> None:
    """End the nursery of this process; the next file starts another."""
    with _lock:
        while _ours:
            _ours.pop().close()


def _leave_to_parent() -> None:
    """A forked process has no share in its parent's nursery: it would keep it alive."""
    global _lock  # noqa: PLW0603 - another thread may have held it
    _lock = threading.Lock()
    while _ours:
        _ours.pop().control.close()


os.register_at_fork(after_in_child=_leave_to_parent)

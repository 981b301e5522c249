"""What a forked child does: bind itself, read, send what it reads, and end."""

from __future__ import annotations

import errno
import gc
import os
import pickle  # noqa: TID251 - of our own parent, and to it
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from math import ceil
from typing import Any

from engines.guarded.limits import Limits
from engines.guarded.messages import END, FAULT, HEADER, NO_MEMORY, NO_ROOM, OUR_RECORDS, RAISED, RECORDS, Packer

REPORT_EVERY = 0.25  # seconds between two frames of a reader that gives records slowly
RESERVE = 16 << 20  # bytes that are set free to say that memory ran out


class Sender:
    """Sends frames, and lets the processor's clock begin again with each."""

    def __init__(self, target: int, limits: Limits) -> None:
        self.target = target
        self.limits = limits
        self.packer = Packer()
        self.bytes_read = 0
        self.due = 0.0

    def watch(self, count: int) -> None:
        """Called by readers with how many bytes they have read from the disk."""
        self.bytes_read += count

    def add(self, item: Any) -> None:
        if self.packer.add(item) or time.monotonic() >= self.due:
            self.flush()

    def flush(self) -> None:
        self.send(RECORDS, self.packer.take())
        allow_seconds(self.limits.seconds)
        self.due = time.monotonic() + REPORT_EVERY

    def send(self, kind: bytes, data: bytes = b"") -> None:
        for part in (HEADER.pack(kind, len(data), self.bytes_read), data):
            left = memoryview(part)
            while left:
                left = left[os.write(self.target, left) :]


def run(request: int, target: int) -> None:
    """Do what the request (a file's descriptor) asks for, and send it to `target`."""
    with os.fdopen(request, "rb") as file:
        read, limits, watched = pickle.load(file)  # noqa: S301 - written by the parent
    reserve = [bytes(RESERVE)]
    sender = Sender(target, limits)
    _bind(limits)
    try:
        _send_all(read(watch=sender.watch) if watched else read(), sender)
    except MemoryError as error:
        reserve.clear()
        error.__traceback__ = None
        sender.send(NO_MEMORY)
    except Exception as error:  # noqa: BLE001 - handed over to the parent
        reserve.clear()
        _send_error(error, sender)


def _lacks_room(error: BaseException | None) -> bool:
    """Whether a full disk, or the limit of what a reader may write, is behind it."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            return True
        error = error.__cause__
    return False


def _send_all(items: Iterable[Any], sender: Sender) -> None:
    add: Callable[[Any], None] = sender.add
    for item in items:
        add(item)
    sender.flush()
    sender.send(END)


def _send_error(error: Exception, sender: Sender) -> None:
    """What was read before comes first; an exception that is not the formats' own is a fault of the reader."""
    sender.flush()
    packer = Packer()
    if _lacks_room(error):
        sender.send(NO_ROOM)
    elif type(error).__module__.startswith(OUR_RECORDS):
        packer.add(error)
        sender.send(RAISED, packer.take())
    else:
        packer.add((f"{type(error).__name__}: {error}"[:2000], "".join(traceback.format_exception(error))[-10_000:]))
        sender.send(FAULT, packer.take())


def _bind(limits: Limits) -> None:
    gc.set_threshold(100_000)  # records refer to nothing that refers back
    tempfile.tempdir = None  # asked for again: the directory for temporary files may have been made since
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Half of what is free: a small file may hold many gigabytes, and the database writes to this disk too.
    room = shutil.disk_usage(tempfile.gettempdir()).free // 2
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
    if sys.platform == "linux":  # elsewhere this limit is not kept, or not known
        with open("/proc/self/statm") as file:  # noqa: PTH123 - before anything else is loaded
            now = int(file.read().split()[0]) * resource.getpagesize()
        size = now + limits.megabytes * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (size, size))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    allow_seconds(limits.seconds)


def allow_seconds(seconds: int) -> None:
    """Let the kernel end this process after so many more seconds of processor time (one more at most)."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(used.ru_utime + used.ru_stime + seconds), hard))

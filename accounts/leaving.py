"""The end of a worker or of a web server, known to all its processes before they end.

The jobs of a worker leave at their next report (`Progress.check`); a job that does not report for long is interrupted
by SIGTERM. Either way they are queued again, so that another worker goes on with them at once.
"""

import mmap
import signal
from collections.abc import Iterator
from contextlib import contextmanager

_announced = mmap.mmap(-1, 1)  # shared with all processes that are forked after this module was loaded


class Leaving(KeyboardInterrupt):
    """The worker ends, and the job is to be given back.

    Like Ctrl-C, it is not caught by `except Exception`, and psycopg cancels the running statement.
    """

    step = ""  # as of `Waiting`, what people read meanwhile; empty: the job is in the queue


def announce() -> None:
    """Tell all processes that share this module."""
    _announced[0] = 1


def is_announced() -> bool:
    """Whether this process is to end."""
    return _announced[0] == 1


@contextmanager
def interruptible() -> Iterator[None]:
    """In this block SIGTERM raises Leaving. For the main thread of a process."""

    def leave(*_: object) -> None:
        raise Leaving

    before = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""File locks (flock): the kernel drops them when their process ends, however it ends."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from config.embedded.places import EmbeddedError


class FileLock:
    """One open lock file. Closing it, or the end of the process, gives the lock back.

    A lock belongs to the open file, which a forked child shares.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise EmbeddedError(
                f"The lock file {path} cannot be opened ({error.strerror}). Was Litmus started here by another user? "
                "Run it as that user, or set LITMUS_DATA_DIR to a directory of your own."
            ) from None

    def take(self, *, shared: bool = False) -> None:
        """Wait for the lock; a lock held by this object is changed in kind."""
        self._lock(fcntl.LOCK_SH if shared else fcntl.LOCK_EX)

    def try_take(self, *, shared: bool = False) -> bool:
        try:
            self._lock((fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _lock(self, operation: int) -> None:
        try:
            fcntl.flock(self.descriptor, operation)
        except BlockingIOError:
            raise
        except OSError as error:
            raise EmbeddedError(
                f"The file system of {self.path} has no file locks ({error.strerror}). "
                "Set LITMUS_DATA_DIR to a directory on a local disk."
            ) from None

    def is_on_disk(self) -> bool:
        """Whether the path still leads to this file: false after somebody deleted the directory."""
        with contextlib.suppress(OSError):
            return os.path.samestat(self.path.stat(), os.fstat(self.descriptor))
        return False

    def close(self) -> None:
        os.close(self.descriptor)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the exclusive lock of `path`, waiting for it as long as it takes."""
    lock = FileLock(path)
    try:
        lock.take()
        yield
    finally:
        lock.close()


def is_held(path: Path, *, against_shared: bool = False) -> bool:
    """Whether somebody else holds the lock: exclusively, or (`against_shared`) in any way."""
    lock = FileLock(path)
    try:
        return not lock.try_take(shared=not against_shared)
    finally:
        lock.close()

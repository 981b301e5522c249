"""File locks (flock): the kernel drops them when their process ends, however it ends."""

import contextlib
import fcntl
import os
from pathlib import Path
from typing import Self

from config.embedded.places import EmbeddedError


class FileLock:
    """An open lock file; `with` takes the lock exclusively, waiting as long as necessary.

    The lock belongs to the open file, which child processes may share: it is free again when all of them have closed
    it or ended.
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

    def take(self, *, shared: bool = False, wait: bool = True) -> bool:
        """Take the lock, or change the kind of the lock that is held; false where others hold it and `wait` is off."""
        try:
            fcntl.flock(self.descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        except OSError as error:
            raise EmbeddedError(
                f"The file system of {self.path} has no file locks ({error.strerror}). "
                "Set LITMUS_DATA_DIR to a directory on a local disk."
            ) from None
        return True

    def is_on_disk(self) -> bool:
        """Whether the path still leads to this file: false after somebody deleted the directory."""
        with contextlib.suppress(OSError):
            return os.path.samestat(self.path.stat(), os.fstat(self.descriptor))
        return False

    def close(self) -> None:
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        self.take()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_held(path: Path, *, against_shared: bool = False) -> bool:
    """Whether somebody holds the lock: exclusively, or (`against_shared`) in any way."""
    with contextlib.closing(FileLock(path)) as lock:
        return not lock.take(shared=not against_shared, wait=False)

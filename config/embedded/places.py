"""Where the embedded servers keep data, sockets, locks and logs."""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import Self

# The kernel takes 107 bytes for the path of a Unix socket (103 on macOS), and /postgres/.s.PGSQL.5432 is the longest
# end here. libpq splits hosts at commas and Celery's broker address knows no quoting, so only plain characters.
SOCKET_DIRECTORY = re.compile(r"[A-Za-z0-9/._+-]{1,80}")


class EmbeddedError(Exception):
    """An embedded server cannot run; the message says why and what to do."""


def socket_directory(data_dir: Path) -> Path:
    """Where the sockets of a data directory are: in it, or in /tmp where that path would not do. Touches no file."""
    inside = data_dir / "run"
    if SOCKET_DIRECTORY.fullmatch(str(inside)):
        return inside
    # /tmp and not $TMPDIR: processes with different environments must find the same sockets.
    key = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
    return Path("/tmp") / f"litmus-{os.geteuid()}" / key  # noqa: S108 - make_directories checks the owner


def make_directories(data_dir: Path) -> None:
    """Create what all servers share, readable by its owner alone.

    Errors: EmbeddedError when a directory cannot be written or belongs to somebody else.
    """
    sockets = socket_directory(data_dir)
    for directory in (data_dir, data_dir / "locks", data_dir / "logs"):
        private_directory(directory)
    if sockets.parent != data_dir:
        private_directory(sockets.parent, must_own=True)
    private_directory(sockets)


def remove_sockets(data_dir: Path) -> None:
    """Remove what stopped servers leave in /tmp. The caller holds the lock `users` alone."""
    if (sockets := socket_directory(data_dir)).parent != data_dir:
        shutil.rmtree(sockets, ignore_errors=True)


def private_directory(directory: Path, *, must_own: bool = False) -> None:
    """Create `directory` with mode 0700 unless it is there and writable.

    `must_own` is for places where others may create names too (/tmp): a symbolic link, a directory of another
    user, or one that others may enter is refused.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise EmbeddedError(
            f"{directory} cannot be created ({error.strerror}). "
            "Set LITMUS_DATA_DIR to a directory that you may write to."
        ) from None
    found = directory.lstat()
    if must_own and (directory.is_symlink() or found.st_uid != os.geteuid() or found.st_mode & 0o022):
        raise EmbeddedError(
            f"{directory} is not a private directory of yours, so sockets there would not be safe. "
            "Remove it, or set LITMUS_DATA_DIR to a short path without blanks, such as ~/litmus-data."
        )
    if not os.access(directory, os.W_OK | os.X_OK):
        raise EmbeddedError(
            f"{directory} cannot be written by this user: it belongs to user id {found.st_uid}. "
            "Run Litmus as that user, or set LITMUS_DATA_DIR to your own directory."
        )


class FileLock:
    """An open lock file, which the kernel unlocks however its process ends; `with` waits until it has it exclusively.

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
                "Run it as that user, or set LITMUS_DATA_DIR to your own directory."
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

    def close(self, *_: object) -> None:
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        self.take()
        return self

    __exit__ = close


def is_held(path: Path) -> bool:
    """Whether somebody holds the lock exclusively."""
    with contextlib.closing(FileLock(path)) as lock:
        return not lock.take(shared=True, wait=False)

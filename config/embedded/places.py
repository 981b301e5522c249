"""Where the embedded servers keep data, sockets, locks and logs: pure functions of the data directory."""

import hashlib
import os
import re
from pathlib import Path

# The kernel takes 107 bytes for the path of a Unix socket (103 on macOS); ".s.PGSQL.5432" is the longest name here.
LONGEST_SOCKET_DIR = 85
# libpq splits hosts at commas and Celery's broker address knows no quoting, so only plain characters are used.
PLAIN_PATH = re.compile(r"[A-Za-z0-9/._+-]+")


class EmbeddedError(Exception):
    """An embedded server cannot run; the message says why and what to do."""


class Places:
    """The layout below one data directory. Building it touches no file."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.locks = data_dir / "locks"
        self.logs = data_dir / "logs"
        self.sockets = data_dir / "run"
        if len(os.fsencode(self.sockets)) > LONGEST_SOCKET_DIR or not PLAIN_PATH.fullmatch(str(self.sockets)):
            # /tmp and not $TMPDIR: processes with different environments must find the same sockets.
            key = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:16]
            self.sockets = Path("/tmp") / f"litmus-{os.geteuid()}" / key  # noqa: S108 - make() checks the owner

    def make(self) -> None:
        """Create the directories, readable by their owner alone.

        Errors: EmbeddedError when one cannot be written or belongs to somebody else.
        """
        for directory in (self.data_dir, self.locks, self.logs):
            private_directory(directory)
        if self.sockets.parent != self.data_dir:
            private_directory(self.sockets.parent, must_own=True)
        private_directory(self.sockets)


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
            "Run Litmus as that user, or set LITMUS_DATA_DIR to a directory of your own."
        )

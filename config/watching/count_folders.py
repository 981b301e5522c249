"""The folder in which the processes of one web server add up what they count, and those that killed servers left."""

import fcntl
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

PREFIX = "litmus-counts-"


def new_folder() -> str:
    """An empty folder, kept by the server and the processes that it forks for as long as one of them lives."""
    remove_forsaken()
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with suppress(FileNotFoundError):
            held = os.open(folder, os.O_RDONLY)  # never closed: its lock is the sign of life
            fcntl.flock(held, fcntl.LOCK_EX)
            if folder.exists():  # else another server took it for forsaken before it was locked
                return str(folder)
            os.close(held)


def remove_forsaken() -> None:
    """Remove the folders whose server was killed, which could not do it itself."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # of another account, or just removed by its own server
            _remove_unless_held(folder)


def _remove_unless_held(folder: Path) -> None:
    held = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder)
    finally:
        os.close(held)

"""Where tests write their files: in memory where there is enough of it, as file systems are slow to make many again."""

import hashlib
import os
import shutil
import tempfile
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
WRITTEN = 3 * 2**30  # bytes that a whole run leaves until it ends, and more


def in_memory(data: Path, memory: Path = MEMORY) -> Path | None:
    """An empty directory in memory for the files of this run; None where there is none, or not enough of it.

    The same for each run with this data directory, as one waits for the other: what a run that was killed has left is
    gone with the next, and runs side by side with data directories of their own leave each other's files alone.
    """
    if not memory.is_dir() or not os.access(memory, os.W_OK | os.X_OK) or os.statvfs(memory).f_flag & os.ST_NOEXEC:
        return None
    place = memory / f"litmus-{os.geteuid()}-{hashlib.sha256(bytes(data.resolve())).hexdigest()[:8]}"
    shutil.rmtree(place, ignore_errors=True)
    if shutil.disk_usage(memory).free < WRITTEN or psutil.virtual_memory().available < 2 * WRITTEN:
        return None
    place.mkdir(mode=0o711)  # servers that root starts run as somebody else, who must get to their directories below
    return place


def use(place: Path) -> None:
    """Let this process and all that it starts make their temporary files here."""
    os.environ["TMPDIR"] = str(place)
    tempfile.tempdir = None  # what was found out before

"""Copies of files of a bucket on this machine: fetched once, known by the hash of their content, shared by processes.

A lock on a copy keeps it while somebody reads it. When all copies take more than the limit, those used longest ago are
removed. Indexes, which workers fetch from the shelf (accounts/files/shelf.py), count too. A lock on the file LOCKED
keeps an index. One used lately stays, because it may be half fetched or half built.
"""

import fcntl
import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from django.conf import settings

Pieces = Callable[[], Iterable[bytes]]
LOCKED = "index.json"  # in the folder of an index
LATELY = 3600  # seconds


class Damaged(OSError):
    """The storage no longer has under this name what was stored there."""


@contextmanager
def copy_of(sha256: str, pieces: Pieces) -> Iterator[Path]:
    """The copy of this content, made from `pieces` where there is none. Errors: Damaged, and those of `pieces`."""
    path = folder() / sha256
    while (held := _held(path) or _fetched(path, pieces)) is None:
        pass  # another process has just fetched it, or removed it
    with held:
        yield path


def folder() -> Path:
    """Where the copies are."""
    found = Path(settings.INDEX_DIR) / "copies"
    found.mkdir(parents=True, exist_ok=True, mode=0o700)
    return found


def _held(path: Path) -> IO[bytes] | None:
    """The open copy, which nobody removes until it is closed; None if there is none."""
    with suppress(FileNotFoundError):
        file = path.open("rb")
        fcntl.flock(file, fcntl.LOCK_SH)
        if os.fstat(file.fileno()).st_nlink:
            os.utime(file.fileno())
            return file
        file.close()
    return None


def _fetched(path: Path, pieces: Pieces) -> IO[bytes] | None:
    """The copy, made here and held; None where another process made it meanwhile."""
    part = path.with_suffix(".part")
    file = part.open("ab+")
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists() or not os.fstat(file.fileno()).st_nlink:
            file.close()
            return None
        _fill(file, path.name, pieces())
        part.replace(path)
        make_room()
        fcntl.flock(file, fcntl.LOCK_SH)  # for a moment there is no lock, and another process may remove it
        if not os.fstat(file.fileno()).st_nlink:
            file.close()
            return None
    except BaseException:  # also the end of the worker; raised again
        file.close()
        raise
    return file


def _fill(file: IO[bytes], sha256: str, pieces: Iterable[bytes]) -> None:
    file.truncate(0)
    digest = hashlib.sha256()
    for piece in pieces:
        file.write(piece)
        digest.update(piece)
    file.flush()
    if digest.hexdigest() != sha256:
        raise Damaged(f"A stored file has changed: its SHA-256 should be {sha256} and is {digest.hexdigest()}.")


def make_room() -> None:
    """Remove the copies and indexes used longest ago until the others are within the limit; those in use stay."""
    found = sorted([*_copies(), *_indexes()])
    left = sum(bytes_ for _, bytes_, _ in found)
    for used, bytes_, path in found:
        if left <= settings.LOCAL_COPIES:
            return
        left -= bytes_ * (_remove_unless_held(path) if path.is_file() else _remove_unless_lately(path, used))


def size() -> int:
    """Bytes of all copies and indexes."""
    return sum(bytes_ for _, bytes_, _ in (*_copies(), *_indexes()))


def _copies() -> Iterator[tuple[float, int, Path]]:
    """When each was used, its bytes, and where it is."""
    for path in folder().iterdir():
        with suppress(FileNotFoundError):
            about = path.stat()
            yield about.st_mtime, about.st_size, path


def _indexes() -> Iterator[tuple[float, int, Path]]:
    """When each index was used, its bytes, and where it is; none without a bucket, because they are then not copies."""
    for path in Path(settings.INDEX_DIR).glob("*/*/*") if settings.BUCKET else ():
        with suppress(FileNotFoundError):  # being removed by another process
            files = [each.stat() for each in (path, *path.rglob("*"))]
            yield max(each.st_mtime for each in files), sum(each.st_size for each in files), path


def _remove_unless_held(path: Path) -> bool:
    with suppress(FileNotFoundError, BlockingIOError), path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
        return True
    return False


def _remove_unless_lately(index: Path, used: float) -> bool:
    return used < time.time() - LATELY and remove_unless_open(index)


def remove_unless_open(index: Path) -> bool:
    """Remove an index, whole or half, that nobody has open on this machine; whether it was removed."""
    try:
        with (index / LOCKED).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(index, ignore_errors=True)
    except FileNotFoundError:  # half an index
        shutil.rmtree(index, ignore_errors=True)
    except BlockingIOError:
        return False
    return True

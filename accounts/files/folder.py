"""Files in a folder of this machine, or one that several machines share."""

import errno
import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from django.core.files.storage import FileSystemStorage

from accounts.files.storage import Files, FilesAway

ARRIVING = "arriving"  # below the folder: what is not whole yet


class FolderStorage(FileSystemStorage, Files):
    """Files below LITMUS_MEDIA_ROOT. What a killed process leaves is in ARRIVING, without a name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_overwrite": True, **options})

    def _save(self, name: str, content: Any) -> str:
        with self._part() as part:
            with part.open("xb") as out:
                for piece in content.chunks():
                    out.write(piece)
                out.flush()
                os.fsync(out.fileno())
            self._name(part, name)
        return name

    def stream(self, name: str) -> IO[bytes]:
        return Path(self.path(name)).open("rb")

    @contextmanager
    def local(self, name: str, sha256: str) -> Iterator[Path]:  # noqa: ARG002 - it is here already
        path = Path(self.path(name))
        if not path.is_file():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        yield path

    def take_folder(self, folder: Path, name: str) -> None:
        try:
            self._name(folder, name)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            with self._part() as part:  # it lies on another disk
                shutil.copytree(folder, part)
                self._name(part, name)

    def remove_folder(self, name: str) -> None:
        shutil.rmtree(self.path(name), ignore_errors=True)

    def sizes(self, below: str = "") -> Iterator[tuple[str, int]]:
        root = Path(self.base_location).resolve()
        for folder, folders, found in os.walk(root / below):
            if Path(folder) == root:
                folders[:] = [each for each in folders if each != ARRIVING]
            for path in (Path(folder) / each for each in found):
                with suppress(FileNotFoundError):  # deleted meanwhile
                    yield path.relative_to(root).as_posix(), path.stat().st_size

    def address(self, name: str = "") -> str:
        return str(self.path(name))

    def check(self) -> None:
        try:
            with self._part() as part:
                part.write_bytes(b"litmus")
                part.read_bytes()
        except OSError as error:
            raise FilesAway(f"{self.location} cannot be written ({error.strerror}).") from None

    @contextmanager
    def _part(self) -> Iterator[Path]:
        """A path of our own on the same disk; nothing is left there afterwards."""
        folder = Path(self.path(ARRIVING))
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / uuid.uuid4().hex
        try:
            yield part
        finally:
            part.unlink(missing_ok=True) if part.is_file() else shutil.rmtree(part, ignore_errors=True)

    def _name(self, part: Path, name: str) -> None:
        """Give it its name, and write that to the disk before anybody relies on it."""
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        part.replace(path)
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

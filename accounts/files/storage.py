"""What Litmus asks of the storage of files in addition to Django's API; `files` is the one that the settings choose."""

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, cast

from django.core.files.storage import Storage, default_storage
from django.http import FileResponse

PIECE = 1 << 20  # bytes that are read at a time


class FilesAway(OSError):
    """The storage cannot be used at all. Says why, for the operator, without any secret."""


class Files(Storage):
    """A storage in which a file has its name only once it is whole, and a second one of that name replaces it."""

    @abstractmethod
    def stream(self, name: str) -> IO[bytes]:
        """The file, to be read once from its beginning. Errors: FileNotFoundError."""

    @abstractmethod
    def local(self, name: str, sha256: str) -> AbstractContextManager[Path]:
        """A file of this content on this machine, until the block ends. The hash is that of the content, ""
        if it is not known. Errors: FileNotFoundError."""

    @abstractmethod
    def take_folder(self, folder: Path, name: str) -> None:
        """Store all files of a local folder, which may be gone afterwards, below a name that nothing else has."""

    @abstractmethod
    def remove_folder(self, name: str) -> None:
        """Delete everything below the name."""

    @abstractmethod
    def sizes(self, below: str = "") -> Iterator[tuple[str, int]]:
        """Names below the name, in no particular order, and the bytes of each file."""

    @abstractmethod
    def address(self, name: str = "") -> str:
        """Where the file or the whole storage is, for the operator."""

    @abstractmethod
    def check(self) -> None:
        """Errors: FilesAway where nothing can be stored or read."""

    def pieces(self, name: str) -> Iterator[bytes]:
        """The file in pieces. Errors: FileNotFoundError."""
        with self.stream(name) as file:
            while piece := file.read(PIECE):
                yield piece


files = cast(Files, default_storage)


def download(name: str, filename: str) -> FileResponse:
    """The file as a download that is streamed. Errors: FileNotFoundError."""
    response = FileResponse(files.stream(name), as_attachment=True, filename=filename)
    response["Content-Length"] = files.size(name)
    return response

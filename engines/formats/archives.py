"""Open plain files, compressed files, archives and folders, as a stream of named members.

Nothing is ever extracted to disk, so names inside archives are labels only and cannot lead anywhere. Every byte
that comes out of a decompressor is counted against `ArchiveLimits`, so a small file that unpacks to a huge one is
refused instead of filling memory.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from engines.formats.lines import PIECE
from engines.formats.records import BrokenFile

_HEAD = 512
_TAR_HEADER_BYTES = 4 << 20
_DAMAGED = (EOFError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile, OSError, NotImplementedError)
_UNREADABLE = {
    b"\x28\xb5\x2f\xfd": "is compressed with zstd",
    b"7z\xbc\xaf\x27\x1c": "is a 7z archive",
    b"Rar!": "is a rar archive",
}
_PACKED: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b": lambda source: cast(IO[bytes], gzip.GzipFile(fileobj=source)),
    b"BZh": lambda source: cast(IO[bytes], bz2.BZ2File(source)),
    b"\xfd7zXZ\x00": lambda source: cast(IO[bytes], lzma.LZMAFile(source)),  # noqa: SIM115
}


WORKBOOK = "xl/workbook.xml"  # what every Excel workbook has: read as one file, although it is packed as an archive
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_TAR = slice(257, 262)


def is_packed(head: bytes) -> bool:
    """Whether a file that begins so is compressed or an archive."""
    return head.startswith((*_PACKED, *_ZIP)) or head[_TAR] == b"ustar"


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """How much one path may hold after decompression, in bytes and in files."""

    member_bytes: int = 8 << 30
    total_bytes: int = 32 << 30
    files: int = 200_000


DEFAULT_LIMITS = ArchiveLimits()


@dataclass(frozen=True, slots=True)
class Member:
    """One readable file. `name` is how messages call it; `stream` must be read before the next member is asked for;
    `alone` says that the path holds nothing else (no archive, no folder)."""

    name: str
    stream: BinaryIO
    alone: bool


@dataclass(slots=True)
class _Room:
    """How many bytes the members of an archive may still hold, those that they are packed in or those within."""

    left: int


class _Watched(io.FileIO):
    """A file that reports how many bytes were read from the disk: the progress of its reader."""

    def __init__(self, path: Path, watch: Callable[[int], None]) -> None:
        super().__init__(path)
        self._watch = watch

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        count = super().readinto(buffer) or 0
        self._watch(count)
        return count


class _Meter(io.RawIOBase):
    """Pass bytes on, count them, refuse what exceeds the budget and turn decoder errors into `BrokenFile`."""

    def __init__(self, source: IO[bytes], file: str, budget: int, head: bytes = b"") -> None:
        self._source = source
        self._file = file
        self._head = head
        self.left = budget

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data, self._head = self._head[: len(buffer)], self._head[len(buffer) :]
        if len(data) < len(buffer):
            try:
                data += self._source.read(len(buffer) - len(data))
            except _DAMAGED as error:
                raise BrokenFile(self._file, 0, f"the file is damaged or cut off ({_words(error)})") from error
        self.left -= len(data)
        if self.left < 0:
            raise BrokenFile(self._file, 0, "the file is larger than allowed once it is decompressed")
        buffer[: len(data)] = data
        return len(data)


def open_files(
    path: Path | str,
    *,
    name: str = "",
    limits: ArchiveLimits = DEFAULT_LIMITS,
    watch: Callable[[int], None] = lambda _: None,
) -> Iterator[Member]:
    """Yield every file that `path` holds: itself, the files of an archive (tar, zip) or of a folder.

    gzip, bzip2 and xz are undone, also around single archive members. Links, devices and the side files of macOS
    are passed over. `name` is what messages call the path (default: its last part); `watch` gets how many bytes
    were read from the disk, each time some were.

    Raises `BrokenFile` for a path that is missing, damaged, encrypted, of an unknown compression, or beyond `limits`.
    """
    path = Path(path)
    name = name or path.name
    if path.is_dir():
        files = sorted(entry for entry in path.rglob("*") if entry.is_file() and not entry.is_symlink())
        shares = ((f"{name}/{entry.relative_to(path).as_posix()}", entry) for entry in files)
        for label, entry in shares:
            if not _is_side_file(label):
                yield from _open_file(entry, label, limits, watch, alone=False)
        return
    yield from _open_file(path, name, limits, watch, alone=True)


def _open_file(
    path: Path, name: str, limits: ArchiveLimits, watch: Callable[[int], None], *, alone: bool
) -> Iterator[Member]:
    with ExitStack() as stack:
        try:
            source = stack.enter_context(io.BufferedReader(_Watched(path, watch), PIECE))
        except OSError as error:
            raise BrokenFile(name, 0, f"cannot be opened: {error.strerror}") from error
        if source.read(4) in _ZIP:
            if _holds(source, name, WORKBOOK):
                source.seek(0)
                yield Member(name, cast(BinaryIO, source), alone)
                return
            yield from _open_zip(source, name, limits)
            return
        source.seek(0)
        stream, head = _decompressed(source, name, limits.total_bytes, stack)
        if head[_TAR] == b"ustar" or path.suffix == ".tar":
            yield from _open_tar(stream, name, limits)
            return
        stream.close()
        source.seek(0)
        stream, _ = _decompressed(source, name, limits.member_bytes, stack)
        yield Member(name, cast(BinaryIO, io.BufferedReader(stream, PIECE)), alone)


def _open_tar(stream: _Meter, name: str, limits: ArchiveLimits) -> Iterator[Member]:
    with _reading_header(stream, name):
        archive = tarfile.open(fileobj=io.BufferedReader(stream, PIECE), mode="r|", bufsize=PIECE)  # noqa: SIM115
    with archive:
        count, room = 0, _Room(limits.total_bytes)
        while info := _next_entry(archive, stream, name):
            label = f"{name}/{_printable(info.name)}"
            source = archive.extractfile(info) if info.isfile() and not _is_side_file(label) else None
            if source is None:
                continue
            count += 1
            if count > limits.files:
                raise BrokenFile(name, 0, f"the archive holds more than {limits.files} files")
            yield from _open_member(source, label, limits, room)


def _open_member(source: IO[bytes], label: str, limits: ArchiveLimits, room: _Room) -> Iterator[Member]:
    """Yield one file of an archive, then read its rest: in a tar the next file follows it."""
    outer = _Meter(source, label, room.left)
    budget = min(limits.member_bytes, room.left)
    with ExitStack() as stack:
        inner, _ = _decompressed(cast(IO[bytes], outer), label, budget, stack)
        yield Member(label, cast(BinaryIO, io.BufferedReader(inner, PIECE)), alone=False)
        while outer.read(PIECE):
            pass
    room.left -= max(room.left - outer.left, budget - inner.left)


def _next_entry(archive: tarfile.TarFile, stream: _Meter, name: str) -> tarfile.TarInfo | None:
    archive.members = []  # type: ignore[attr-defined]
    with _reading_header(stream, name):
        return archive.next()
    return None


@contextmanager
def _reading_header(stream: _Meter, name: str) -> Iterator[None]:
    """Give the next header (extended ones included, which tarfile reads whole) a small budget, for memory's sake."""
    allowed = min(stream.left, _TAR_HEADER_BYTES)
    rest = stream.left - allowed
    stream.left = allowed
    try:
        yield
    except _DAMAGED as error:
        raise BrokenFile(name, 0, f"the archive is damaged or cut off ({_words(error)})") from error
    finally:
        stream.left += rest


def _holds(source: IO[bytes], name: str, part: str) -> bool:
    """Whether a file is an archive with such a part. Raises `BrokenFile` for files of OpenDocument."""
    try:
        with zipfile.ZipFile(source) as archive:
            names = frozenset(archive.namelist())
    except _DAMAGED:
        return False
    if {"mimetype", "content.xml"} <= names:
        raise BrokenFile(name, 0, "is a file of OpenDocument, which is not read here; save it as CSV or .xlsx")
    return part in names


def _open_zip(source: IO[bytes], name: str, limits: ArchiveLimits) -> Iterator[Member]:
    try:
        archive = zipfile.ZipFile(source)
    except _DAMAGED as error:
        raise BrokenFile(name, 0, f"the archive is damaged ({_words(error)})") from error
    room = _Room(limits.total_bytes)
    with archive:
        entries = archive.infolist()
        if len(entries) > limits.files:
            raise BrokenFile(name, 0, f"the archive holds more than {limits.files} files")
        for info in entries:
            label = f"{name}/{_printable(info.filename)}"
            if info.is_dir() or _is_side_file(label):
                continue
            with _open_zip_entry(archive, info, label) as member:
                yield from _open_member(member, label, limits, room)


def _open_zip_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, label: str) -> AbstractContextManager[IO[bytes]]:
    if info.flag_bits & 1:
        raise BrokenFile(label, 0, "is encrypted; pack the file without a password")
    try:
        return archive.open(info)
    except _DAMAGED as error:
        raise BrokenFile(label, 0, f"the archive is damaged ({_words(error)})") from error


def _decompressed(source: IO[bytes], name: str, budget: int, stack: ExitStack) -> tuple[_Meter, bytes]:
    """Undo at most one layer of compression; return the metered stream and its first bytes, still to be read."""
    raw_head = _first_bytes(_Meter(source, name, 1 << 62), 6)
    for magic, what in _UNREADABLE.items():
        if raw_head.startswith(magic):
            raise BrokenFile(name, 0, f"{what}, which is not read here; pack it as gz, xz, zip or tar")
    raw = _Meter(source, name, 1 << 62, head=raw_head)
    plain = cast(IO[bytes], raw)
    for magic, open_packed in _PACKED.items():
        if raw_head.startswith(magic):
            plain = stack.enter_context(open_packed(plain))
            break
    head = _first_bytes(_Meter(plain, name, 1 << 62), _HEAD)
    return _Meter(plain, name, budget, head=head), head


def _first_bytes(stream: io.RawIOBase, size: int) -> bytes:
    """Read `size` bytes, fewer only at the end: a raw stream may give less than it is asked for."""
    head = b""
    while len(head) < size and (more := stream.read(size - len(head))):
        head += more
    return head


def _is_side_file(label: str) -> bool:
    last = label.rsplit("/", 1)[-1]
    return last.startswith("._") or last == ".DS_Store" or "/__MACOSX/" in label


def _printable(name: str) -> str:
    return "".join(char if char.isprintable() else "?" for char in name)[-200:]


def _words(error: BaseException) -> str:
    return str(error) or type(error).__name__

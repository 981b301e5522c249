"""The files of an import, read by a child with limits (engines/guarded)."""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Protocol, TypeVar

from django.conf import settings

from accounts.files.storage import files
from corpus.loading.background_reading import Check
from corpus.models import ImportRun
from engines.formats.encodings import AUTO
from engines.formats.reading import read_opened
from engines.formats.records import BrokenFile, Remark
from engines.guarded.limits import Limits, ReadingFailed
from engines.guarded.reading import read_guarded


class Placed(Protocol):
    """A record that knows its place in the files."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


R = TypeVar("R", bound=Placed)
T = TypeVar("T")

SECONDS_IN_REQUEST = 10  # of processor time for a record, while somebody waits for the page
QUIET_IN_REQUEST = 60


@dataclass(frozen=True)
class Source:
    """A file to read: its name in messages, its place, its bytes as stored and, where it was uploaded, their hash.

    The place is an absolute path of this machine, or a name in the storage.
    """

    name: str
    place: str
    size: int
    sha256: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it was uploaded, so that any machine finds it."""
        return not Path(self.place).is_absolute()

    def exists(self) -> bool:
        return files.exists(self.place) if self.is_ours else Path(self.place).exists()

    @contextmanager
    def local(self) -> Iterator[Path]:
        """The file on this machine. Errors: FileNotFoundError where an upload is no longer stored."""
        if self.is_ours:
            with files.local(self.place, self.sha256) as path:
                yield path
        else:
            yield Path(self.place)


class Odometer:
    """Bytes of files read so far over all sources, and of the records in them."""

    def __init__(self) -> None:
        self.file_bytes = 0
        self.record_bytes = 0

    def add(self, file_bytes: int, record_bytes: int) -> None:
        self.file_bytes += file_bytes
        self.record_bytes += record_bytes


def sources_of(run: ImportRun) -> list[Source]:
    """The files of the job: those of uploads, or of the command line at their own absolute paths."""
    return [Source(file["name"], file["path"], file["size"], file["sha256"]) for file in run.files]


def limits() -> Limits:
    """What the operator allows a file to cost."""
    return Limits(settings.READING_SECONDS, settings.READING_MEGABYTES)


def read_upload(read: Callable[..., Iterable[T]], stream: IO[bytes], name: str) -> Iterator[T]:
    """Yield what a reader of engines.formats reads from a small file of a request, called by a child with limits.

    `read(stream, name)`. Raises `BrokenFile`.
    """
    with NamedTemporaryFile() as copy:
        shutil.copyfileobj(stream, copy)
        copy.flush()
        bounds = Limits(SECONDS_IN_REQUEST, settings.READING_MEGABYTES, quiet_seconds=QUIET_IN_REQUEST)
        try:
            yield from read_guarded(partial(read_opened, read, Path(copy.name), name), limits=bounds)
        except ReadingFailed as failed:
            raise BrokenFile(name, 0, failed.reason) from failed


def read_sources(
    run: ImportRun,
    read: Callable[..., Iterable[R]],
    odometer: Odometer,
    check: Check,
    *,
    say: Callable[[Remark], None] = lambda _: None,
) -> Iterator[R]:
    """Yield the records of all files of the job, read by one child; `check` may raise to stop it at any moment.

    `read(places, format, watch=…, encoding=…)` is a reader of engines.formats; `say` takes its remarks. Raises
    `BrokenFile`, also where a file came to a limit.
    """
    yield from read_files(read, sources_of(run), run.format, odometer, check, encoding=encoding_of(run), say=say)


def encoding_of(run: ImportRun) -> str:
    """The encoding of the job's files that somebody chose."""
    return str(run.parameters.get("encoding") or AUTO)


def read_files(
    read: Callable[..., Iterable[R]],
    sources: list[Source],
    format: str,  # noqa: A002 - the name users know
    odometer: Odometer,
    check: Check,
    *,
    encoding: str = AUTO,
    say: Callable[[Remark], None] = lambda _: None,
) -> Iterator[R]:
    """Yield the records of these files, read by one child. Raises `BrokenFile`."""
    last: R | Remark | None = None
    with ExitStack() as held:
        places = [(held.enter_context(source.local()), source.name) for source in sources]
        reading = partial(read, places, format, encoding=encoding)
        try:
            for item in read_guarded(reading, limits=limits(), check=check, watch=odometer.add):
                last = item
                if isinstance(item, Remark):
                    say(item)
                else:
                    yield item
        except ReadingFailed as failed:
            raise _broken(sources, last, failed) from failed


def _broken(sources: list[Source], last: Placed | None, failed: ReadingFailed) -> BrokenFile:
    """Where it went wrong, as far as that is known: after the last that was read."""
    if last is None:
        return BrokenFile(sources[0].name, 0, failed.reason)
    if last.line:
        return BrokenFile(last.file, last.line, f"what comes after the record in this line {failed.reason}")
    return BrokenFile(last.file, 0, failed.reason if len(sources) == 1 else f"what comes after it {failed.reason}")

"""The files of an import as batches of lines for COPY, with what was wrong and how far the reading is."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, TypeVar

from django.conf import settings

from corpus.formats.records import Problem, Skip
from corpus.models import ImportRun

BATCH_ROWS = 4_000
BATCH_BYTES = 8_000_000
BATCH_PROBLEMS = 1_000


class Placed(Protocol):
    """A record that knows where it stood."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


R = TypeVar("R", bound=Placed)


@dataclass(frozen=True)
class Source:
    """A file to read: the name messages call it by, where it lies, its bytes as they lie there."""

    name: str
    path: Path
    size: int


def sources_of(run: ImportRun) -> list[Source]:
    """The files of the job: uploads lie below MEDIA_ROOT, those of the command line at their own absolute paths."""
    return [Source(file["name"], Path(settings.MEDIA_ROOT) / file["path"], file["size"]) for file in run.files]


class Odometer:
    """Bytes read so far over all sources; readers add to it through `add`."""

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, count: int) -> None:
        self.bytes += count


@dataclass
class Batch:
    """Lines for COPY, what was left out since the batch before, and bytes read up to here."""

    lines: list[bytes] = field(default_factory=list)
    size: int = 0
    problems: list[Problem] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    bytes_read: int = 0

    @property
    def is_full(self) -> bool:
        return len(self.lines) >= BATCH_ROWS or self.size >= BATCH_BYTES or len(self.problems) >= BATCH_PROBLEMS

    @property
    def data(self) -> bytes:
        return b"".join(self.lines)


def batches(
    items: Iterable[R | Skip | Problem], line_of: Callable[[int, R], bytes], odometer: Odometer
) -> Iterator[Batch]:
    """Gather the records into batches. `line_of(n, record)` raises ValueError for what cannot be stored: a problem."""
    batch = Batch()
    for n, item in enumerate(items):
        if isinstance(item, Problem):
            batch.problems.append(item)
        elif isinstance(item, Skip):
            batch.skips[item.reason] += 1
        else:
            try:
                line = line_of(n, item)
            except ValueError as error:
                batch.problems.append(Problem(item.file, item.line, f"the record holds {error}"))
                continue
            batch.lines.append(line)
            batch.size += len(line)
        if batch.is_full:
            batch.bytes_read = odometer.bytes
            yield batch
            batch = Batch()
    batch.bytes_read = odometer.bytes
    yield batch

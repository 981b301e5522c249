"""The files of an import in batches of lines for COPY (or of other values), read while the last batch is written."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from django.conf import settings

from accounts.jobs import Progress
from corpus.formats.records import Problem, Skip
from corpus.loading.background_reading import in_background
from corpus.loading.counts import ImportCounts
from corpus.loading.samples import sampled
from corpus.models import ImportRun

BATCH_ROWS = 4_000
BATCH_BYTES = 8_000_000
BATCH_PROBLEMS = 1_000


class Placed(Protocol):
    """A record that knows its place in the files."""

    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...


R = TypeVar("R", bound=Placed)
L = TypeVar("L")


@dataclass(frozen=True)
class Source:
    """A file to read: its name in messages, its place, its bytes as stored."""

    name: str
    path: Path
    size: int


def sources_of(run: ImportRun) -> list[Source]:
    """The files of the job: uploads are below MEDIA_ROOT, those of the command line at their own absolute paths."""
    return [Source(file["name"], Path(settings.MEDIA_ROOT) / file["path"], file["size"]) for file in run.files]


class Odometer:
    """Bytes read so far over all sources; readers add to it through `add`."""

    def __init__(self) -> None:
        self.bytes = 0

    def add(self, count: int) -> None:
        self.bytes += count


@dataclass
class Batch(Generic[L]):
    """Lines, the problems and skips since the batch before, and bytes read up to here."""

    lines: list[L] = field(default_factory=list)
    size: int = 0
    problems: list[Problem] = field(default_factory=list)
    skips: Counter[str] = field(default_factory=Counter)
    bytes_read: int = 0

    @property
    def data(self) -> bytes:
        """All lines of a batch of bytes."""
        return b"".join(self.lines)  # type: ignore[arg-type]


def batches(
    items: Iterable[R | Skip | Problem],
    line_of: Callable[[int, R], L | Skip | Problem],
    odometer: Odometer,
    rows: int | None = None,
) -> Iterator[Batch[L]]:
    """Gather the records into batches of `rows` (BATCH_ROWS) at most.

    `line_of(n, record)` may refuse a record: by a Problem or Skip, or by a ValueError that says what cannot be stored.
    """
    batch: Batch[L] = Batch()
    rows = rows or BATCH_ROWS
    for n, item in enumerate(items):
        try:
            line = item if isinstance(item, Problem | Skip) else line_of(n, item)
        except ValueError as error:
            line = Problem(item.file, item.line, f"the record holds {error}")
        if isinstance(line, Problem):
            batch.problems.append(line)
        elif isinstance(line, Skip):
            batch.skips[line.reason] += 1
        else:
            batch.lines.append(line)
            batch.size += len(line) if isinstance(line, bytes) else 0
        if len(batch.lines) >= rows or batch.size >= BATCH_BYTES or len(batch.problems) >= BATCH_PROBLEMS:
            batch.bytes_read = odometer.bytes
            yield batch
            batch = Batch()
    batch.bytes_read = odometer.bytes
    yield batch


def read_batches(
    run: ImportRun,
    read: Callable[..., Iterable[R | Skip | Problem]],
    line_of: Callable[[int, R], L | Skip | Problem],
    progress: Progress,
    counts: ImportCounts,
    *,
    rows: int | None = None,
) -> Iterator[Batch[L]]:
    """The records of the job's files in batches; problems and skips are counted, progress is reported after each batch.

    `read(path, format, name=…, watch=…)` and `line_of` run in a thread of their own: neither may use the database.
    """
    odometer, sources = Odometer(), sources_of(run)
    total = sum(source.size for source in sources)
    records = (
        record for source in sources for record in read(source.path, run.format, name=source.name, watch=odometer.add)
    )
    with in_background(batches(sampled(records, counts), line_of, odometer, rows)) as found:
        for batch in found:
            counts.add_problems(batch.problems)
            counts.skips.update(batch.skips)
            yield batch
            progress.report(min(batch.bytes_read, total), total, f"reading {run.label}")

"""The files of an import in batches of lines for COPY (or of other values), read while the last batch is written."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from accounts.jobs import Progress
from corpus.loading.background_reading import Check, in_background
from corpus.loading.counts import ImportCounts
from corpus.loading.samples import CANDIDATES, take_sample
from corpus.loading.sources import Odometer, Placed, read_sources
from corpus.models import ImportRun
from engines.formats.records import Problem, Skip

BATCH_ROWS = 4_000
BATCH_BYTES = 8_000_000  # of records, as their reader sends them
BATCH_PROBLEMS = 1_000

_REFUSED = (Problem, Skip)  # a union would be made again for each record

R = TypeVar("R", bound=Placed)
L = TypeVar("L")


@dataclass
class Batch(Generic[L]):
    """Lines, the problems and skips since the batch before, and bytes read up to here."""

    lines: list[L] = field(default_factory=list)
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
    counts: ImportCounts,
    rows: int | None = None,
) -> Iterator[Batch[L]]:
    """Gather the records into batches of `rows` (BATCH_ROWS) at most, fewer where they are long.

    `line_of(n, record)` may refuse a record: by a Problem or Skip, or by a ValueError that says what cannot be stored.
    `counts` gets samples of those that it takes, and their other fields.
    """
    batch: Batch[L] = Batch()
    rows = rows or BATCH_ROWS
    full = odometer.record_bytes + BATCH_BYTES
    samples = counts.samples
    for n, item in enumerate(items):
        try:
            line = item if isinstance(item, _REFUSED) else line_of(n, item)
        except ValueError as error:
            line = Problem(item.file, item.line, f"the record holds {error}")
        if isinstance(line, Problem):
            batch.problems.append(line)
        elif isinstance(line, Skip):
            batch.skips[line.reason] += 1
        else:
            batch.lines.append(line)
            if getattr(item, "extra", None) or len(samples) < CANDIDATES:
                take_sample(item, counts)
        if len(batch.lines) >= rows or odometer.record_bytes >= full or len(batch.problems) >= BATCH_PROBLEMS:
            batch.bytes_read = odometer.file_bytes
            yield batch
            batch, full = Batch(), odometer.record_bytes + BATCH_BYTES
    batch.bytes_read = odometer.file_bytes
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
    """The records of the job's files in batches; `read` is a reader of engines.formats. See `gathered`."""
    yield from gathered(
        run, partial(read_sources, run, read, say=counts.add_remark), line_of, progress, counts, rows=rows
    )


def gathered(
    run: ImportRun,
    records: Callable[[Odometer, Check], Iterable[R | Skip | Problem]],
    line_of: Callable[[int, R], L | Skip | Problem],
    progress: Progress,
    counts: ImportCounts,
    *,
    rows: int | None = None,
) -> Iterator[Batch[L]]:
    """Records in batches; problems and skips are counted, progress is reported after each batch.

    `records` and `line_of` run in a separate thread: neither may use the database. The work can be cancelled at
    any moment, also while a record is read.
    """
    odometer, step = Odometer(), f"reading {run.label}"

    def source(check: Check) -> Iterator[Batch[L]]:
        return batches(records(odometer, check), line_of, odometer, counts, rows)

    progress.report(0, run.total, step)
    with in_background(source, progress.check) as found:
        for batch in found:
            counts.add_problems(batch.problems)
            counts.skips.update(batch.skips)
            yield batch
            progress.report(min(batch.bytes_read, run.total), run.total, step)

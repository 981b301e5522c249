"""A folder that is filled file by file: each is streamed, counted and hashed as it is written, and none twice."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from io import RawIOBase
from pathlib import Path
from typing import Any, cast

from accounts.job_kinds import Progress
from engines.extras import require

NOTHING = "It would be empty."
PARQUET_ROWS = 10_000  # in a group
TYPES = {
    ".jsonl": "application/jsonlines",
    ".json": "application/json",
    ".parquet": "application/x-parquet",
    ".tsv": "text/tab-separated-values",
    ".csv": "text/csv",
    ".md": "text/markdown",
    ".xml": "application/xml",
    ".cff": "application/yaml",
    ".py": "text/x-python",
}


@dataclass(frozen=True)
class FileEntry:
    """One file of a release: `rows` are lines, or rows of a table; None where neither means anything."""

    path: str
    bytes: int
    sha256: str
    rows: int | None
    about: str

    @property
    def media_type(self) -> str:
        return TYPES.get(Path(self.path).suffix, "text/plain")

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass
class Folder:
    """The folder at `root`, with what was written so far in `entries`.

    A file of nothing is taken away again, and noted in `empty`: {path: why it is left out}.
    """

    root: Path
    progress: Progress | None = None
    clean: Callable[[str], str] = str  # takes names out of what is said about a file
    entries: dict[str, FileEntry] = field(default_factory=dict)
    empty: dict[str, str] = field(default_factory=dict)

    def write(self, path: str, pieces: Iterable[bytes], about: str = "", *, nothing: str = NOTHING) -> None:
        """Stream the pieces to the file; its lines are its rows where the format has a row a line. `nothing` is the
        reason to leave it out where it would have none."""
        with self.opened(path, about, nothing=nothing) as out:
            for piece in pieces:
                out.write(piece)

    @contextmanager
    def opened(self, path: str, about: str = "", *, nothing: str = NOTHING) -> Iterator["_Counted"]:
        """Enter a file as `write` does; the block inside writes to it."""
        lined = Path(path).suffix in (".jsonl", ".tsv", ".qrels", ".run", ".csv")
        headed = Path(path).suffix in (".tsv", ".csv")
        with self._counted(path) as out:
            yield out
        self._enter(path, out, out.lines - headed if lined else None, about, nothing)

    def write_text(self, path: str, text: str, about: str = "") -> None:
        """Write a file of this text."""
        self.write(path, [text.encode()], about)

    def write_json(self, path: str, content: Any, about: str) -> None:
        self.write_text(path, json.dumps(content, ensure_ascii=False, indent=2) + "\n", about)

    def free(self, stem: str, suffix: str) -> str:
        """A path that is not taken: names that differ in special characters only would meet."""
        while f"{stem}{suffix}" in self.entries:
            stem += "_"
        return f"{stem}{suffix}"

    @contextmanager
    def table(self, path: str, schema: Any, about: str = "") -> Iterator["ParquetTable"]:
        """A parquet file for the rows added inside of the block, compressed by zstd."""
        require("pyarrow")
        import pyarrow.parquet as pq

        with self._counted(path) as out, pq.ParquetWriter(cast(Any, out), schema, compression="zstd") as writer:
            table = ParquetTable(writer, schema)
            yield table
            table.end()
        self._enter(path, out, table.count, about, NOTHING)

    def write_again(self, path: str, as_path: str) -> None:
        """A file equal to one that was written, without a second copy on disk where the disk allows it."""
        _link(self.root / path, self._place(as_path))
        self.entries[as_path] = replace(self.entries[path], path=as_path)

    def link(self, other: "Folder") -> None:
        """The files of another folder, without a second copy on disk where the disk allows it."""
        for path, entry in other.entries.items():
            _link(other.root / path, self._place(path))
            self.entries[path] = entry

    @property
    def hashes(self) -> dict[str, str]:
        """{path: SHA-256} of what was written so far."""
        return {path: entry.sha256 for path, entry in self.entries.items()}

    @contextmanager
    def local(self, path: str) -> Iterator[Path]:
        """A file of the folder, as files of a storage are read."""
        yield self.root / path

    def listed(self) -> list[FileEntry]:
        """What was written, by path."""
        return [self.entries[path] for path in sorted(self.entries)]

    def _counted(self, path: str) -> "_Counted":
        if path in self.entries:
            raise ValueError(f"{path} was written already")
        return _Counted(self._place(path), self.progress)

    def _place(self, path: str) -> Path:
        target = self.root / path
        if not target.resolve().is_relative_to(self.root.resolve()):
            raise ValueError(f"{path} lies outside of the release")
        target.parent.mkdir(parents=True, exist_ok=True)
        return target

    def _enter(self, path: str, out: "_Counted", rows: int | None, about: str, nothing: str) -> None:
        if rows == 0 or not out.size:
            (self.root / path).unlink()
            self.empty[path] = nothing
            return
        self.entries[path] = FileEntry(path, out.size, out.digest.hexdigest(), rows, self.clean(about))


class _Counted(RawIOBase):
    """A file that counts and hashes what is written to it, and lets the job be cancelled meanwhile."""

    def __init__(self, path: Path, progress: Progress | None) -> None:
        self.file = path.open("wb")
        self.name, self.progress = path.name, progress
        self.digest, self.size, self.lines = hashlib.sha256(), 0, 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        content = bytes(data)
        self.file.write(content)
        self.digest.update(content)
        self.size += len(content)
        self.lines += content.count(b"\n")
        if self.progress is not None:
            self.progress.report(self.progress.job.done + len(content), step=f"writing {self.name}")
        return len(content)

    def tell(self) -> int:
        return self.size

    def close(self) -> None:
        """Write it to the disk."""
        if not self.closed:
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
        super().close()


class ParquetTable:
    """Rows on their way to a parquet file, in groups of `PARQUET_ROWS`; `count` are those written."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self.writer, self.schema = writer, schema
        self.held: list[list[Any]] = [[] for _ in schema.names]
        self.count = 0

    def add(self, *columns: Iterable[Any]) -> None:
        """Further rows, column by column in the order of the schema."""
        for held, values in zip(self.held, columns, strict=True):
            held.extend(values)
        while len(self.held[0]) >= PARQUET_ROWS:
            self._write()

    def end(self) -> None:
        """Write the rows that do not fill a group."""
        if self.held[0]:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        group = {name: held[:PARQUET_ROWS] for name, held in zip(self.schema.names, self.held, strict=True)}
        self.writer.write_table(pa.Table.from_pydict(group, schema=self.schema))
        self.count += len(self.held[0][:PARQUET_ROWS])
        for held in self.held:
            del held[:PARQUET_ROWS]


def _link(path: Path, target: Path) -> None:
    """Link the file under a second name; copy it where the disk has no links."""
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def hash_of(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Indexes of whole collections below the data directory: built when they are needed, built again when stale.

An index is a cache: its name says which settings and which state of the documents it was built from. So it is known
whether it is up to date, and losing it costs only the time to build it. Builders of the same index on one machine wait
for each other. Large collections have shards, which several workers build at the same time.
"""

import fcntl
import hashlib
import json
import shutil
import uuid
import weakref
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from django.conf import settings
from django.db import connection

from accounts.jobs import Progress
from accounts.sql import execute
from corpus.models import Collection
from corpus.searching.parts import Report, do_together, exclusive_directory
from engines.formats.dataclass_json import from_json
from engines.ranking.index import META, VERSION, Index, Settings, ShardWriter, finish
from engines.text.languages import ENGLISH

ROWS = 2_000

# Order does not matter to the exclusive or, and a document's place is in its hash.
STATE = """
SELECT count(*), coalesce(bit_xor(hashtextextended(concat_ws(E'\\x1f', d.docno, d.title, d.abstract, d.keywords::text), d.id)), 0)
FROM corpus_document d WHERE d.collection_id = %s
"""  # noqa: E501
# In the order of docnos falling, in which trec_eval puts documents of equal score: so ties need no second sorting.
TEXTS = """
SELECT d.id, {fields} FROM corpus_document d
WHERE d.collection_id = %s AND d.docno COLLATE "C" <= %s AND d.docno COLLATE "C" >= %s ORDER BY d.docno COLLATE "C" DESC
"""
BOUNDS = """
SELECT max(docno COLLATE "C"), min(docno COLLATE "C"), count(*) FROM (
  SELECT docno, (row_number() OVER (ORDER BY docno COLLATE "C" DESC) - 1) / %s AS shard
  FROM corpus_document WHERE collection_id = %s
) d GROUP BY shard ORDER BY shard
"""
FIELDS = {
    "title": "d.title",
    "abstract": "d.abstract",
    "keywords": "array_to_string(d.keywords, ' ')",
    "full-text": "coalesce((SELECT f.text FROM corpus_fulltext f WHERE f.document_id = d.id), '')",
}
FULL_TEXT = "full-text"
FULL_TEXTS = """
SELECT count(*), coalesce(bit_xor(hashtextextended(f.digest::text, d.id)), 0)
FROM corpus_fulltext f JOIN corpus_document d ON d.id = f.document_id WHERE d.collection_id = %s
"""
TITLE_AND_ABSTRACT = ("title", "abstract")


@dataclass(frozen=True)
class IndexSpec:
    """Which index of a collection: its settings, and the fields of documents that are searched.

    The settings have a weight for each field, or the default of one weight for all.
    """

    settings: Settings = field(default_factory=Settings)
    fields: tuple[str, ...] = TITLE_AND_ABSTRACT


def collection_state(collection: Collection) -> str:
    """A hash of what every index is made from: docnos, titles, abstracts and keywords of the documents."""
    return _state(collection, STATE)


def full_text_state(collection: Collection) -> str:
    """A hash of the full texts."""
    return _state(collection, FULL_TEXTS)


def _state(collection: Collection, statement: str) -> str:
    return hashlib.sha256(repr(execute(statement, [collection.pk])[0]).encode()).hexdigest()


def _state_for(collection: Collection, spec: IndexSpec) -> str:
    """The name of the present state; full texts are read only where they are searched."""
    state = collection_state(collection)[:20]
    return f"{state}-{full_text_state(collection)[:20]}" if FULL_TEXT in spec.fields else state


def open_index(collection: Collection, progress: Progress, spec: IndexSpec | None = None) -> Index:
    """The index of the collection's present documents; built first where there is none or only a stale one.

    Its ids are those of the documents. Errors: Cancelled from `progress`, with nothing half-written left.
    """
    spec = spec or IndexSpec()
    progress.report(0, step="looking at the documents")
    directory = _directory(collection, spec)
    while True:
        current = directory / _state_for(collection, spec)
        with suppress(FileNotFoundError):  # also where another job has just removed it as one of an older state
            return opened_index(current)
        with exclusive_directory(directory, "waiting for the index that another job builds"):
            if not (current / META).exists():
                _build(collection, current, spec, progress)
                _remove_others(current)


def _directory(collection: Collection, spec: IndexSpec) -> Path:
    """The directory of all indexes with these settings: one for each state, of which only the newest is kept."""
    named = asdict(spec)
    if spec.settings.analysis.language == ENGLISH:  # indexes from before there were others keep their names
        del named["settings"]["analysis"]["language"]
    settings_json = json.dumps({"version": VERSION, **named}, sort_keys=True)
    digest = hashlib.sha256(settings_json.encode()).hexdigest()[:12]
    return Path(settings.INDEX_DIR) / f"{collection.pk}-{collection.slug}" / digest


@dataclass(frozen=True)
class ShardBuilding:
    """Counting the terms of each shard below `directory`. `bounds` are each shard's first and last docno and size."""

    collection: int
    spec: dict[str, Any]
    directory: str
    bounds: list[tuple[str, str, int]]
    kind: ClassVar[str] = "build"

    @property
    def sizes(self) -> list[int]:
        return [size for _, _, size in self.bounds]

    def is_done(self, part: int) -> bool:
        return self._shard(part).exists()

    def do(self, part: int, report: Report) -> None:
        """Errors: LookupError where this process does not see all documents of the shard."""
        spec = from_json(IndexSpec, self.spec)
        writer = ShardWriter(self._shard(part), spec.settings)
        with closing(_texts(self.collection, spec, *self.bounds[part][:2])) as texts:  # closes the cursor in any case
            for rows in texts:
                writer.add(rows)
                report(len(writer.ids))
        if len(writer.ids) != self.bounds[part][2]:
            raise LookupError("The documents were changed while they were indexed.")
        writer.write()

    def _shard(self, part: int) -> Path:
        return Path(self.directory) / str(part)


def _build(collection: Collection, directory: Path, spec: IndexSpec, progress: Progress) -> None:
    """Build the index, each shard by any free worker. Nothing is built where the documents change meanwhile."""
    part = directory.with_name(f"{directory.name}.{uuid.uuid4().hex}.part")
    bounds = _bounds(collection)
    work = ShardBuilding(collection.pk, asdict(spec), str(part), bounds)
    part.mkdir()
    try:
        do_together(work, progress, "indexing documents")
        finish(part, spec.settings, len(bounds))
        if _state_for(collection, spec) == directory.name:
            part.replace(directory)
    except LookupError:
        progress.check()  # changed meanwhile: the caller looks again
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _bounds(collection: Collection) -> list[tuple[str, str, int]]:
    """First and last docno and size of each shard, in the order of docnos falling; one empty one without documents."""
    found: list[Any] = execute(BOUNDS, [settings.INDEX_SHARD, collection.pk])
    return found or [("", "", 0)]


def _texts(
    collection: int, spec: IndexSpec, first: str, last: str
) -> Generator[list[tuple[int, Sequence[str]]], None, None]:
    with closing(connection.chunked_cursor()) as cursor:
        names = ", ".join(FIELDS[name] for name in spec.fields)
        cursor.execute(TEXTS.format(fields=names), [collection, first, last])
        while rows := cursor.fetchmany(ROWS):
            yield [(pk, texts) for pk, *texts in rows]


def opened_index(directory: Path) -> Index:
    """The index, which nobody removes while it is open: parts of it are read when they are needed.

    Errors: FileNotFoundError where there is none.
    """
    lock = (directory / META).open()
    fcntl.flock(lock, fcntl.LOCK_SH)
    try:
        index = Index(directory)
    except BaseException:  # also the end of the worker: the lock must not outlive the attempt; raised again
        lock.close()
        raise
    weakref.finalize(index, lock.close)
    return index


def _remove_others(current: Path) -> None:
    """Remove the indexes of older states and what dead builders left; those that are open stay for now.

    The caller holds the directory, so nothing is being built there.
    """
    for other in current.parent.iterdir():
        if other.is_dir() and other != current:
            _remove_unless_open(other)


def _remove_unless_open(directory: Path) -> None:
    try:
        with (directory / META).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory, ignore_errors=True)
    except FileNotFoundError:  # half an index
        shutil.rmtree(directory, ignore_errors=True)
    except BlockingIOError:
        return

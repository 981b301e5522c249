"""Indexes of whole collections on the shelf of all workers: built when they are needed, built again when stale.

An index is a cache: its name says which settings and which state of the documents it was built from. So it is known
whether it is up to date, and losing it costs only the time to build it. Builders of the same index wait for each other,
and one that takes over from a killed one builds only what is left. Large collections have shards, which several workers
build at the same time.
"""

import fcntl
import hashlib
import json
import os
import shutil
import weakref
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import connection

from accounts.files.copies import make_room, remove_unless_open
from accounts.files.shelf import fetched, folders, here, share, shelf
from accounts.jobs import Cancelled, Progress
from accounts.sql import execute
from corpus.models import Collection
from corpus.searching.parts import Report, do_together, exclusive
from engines.formats.dataclass_json import from_json
from engines.ranking.index import COUNTED, HELD, META, VERSION, Index, Settings, ShardWriter, finish

ROWS = 2_000

# Order does not matter to the exclusive or, and a document's place is in its hash.
HASH = "hashtextextended(concat_ws(E'\\x1f', d.docno, d.title, d.abstract, d.keywords::text), d.id)"
STATE = f"SELECT count(*), coalesce(bit_xor({HASH}), 0) FROM corpus_document d WHERE d.collection_id = %s"
# In the order of docnos falling, in which trec_eval puts documents of equal score: so ties need no second sorting.
TEXTS = """
SELECT d.id, {hash}, {fields} FROM corpus_document d
WHERE d.collection_id = %s AND d.docno COLLATE "C" <= %s AND d.docno COLLATE "C" >= %s ORDER BY d.docno COLLATE "C" DESC
"""
BOUNDS = f"""
SELECT max(docno COLLATE "C"), min(docno COLLATE "C"), count(*), bit_xor(hash) FROM (
  SELECT docno, {HASH} AS hash, (row_number() OVER (ORDER BY docno COLLATE "C" DESC) - 1) / %s AS shard
  FROM corpus_document d WHERE collection_id = %s
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

    Its ids are those of the documents. Errors: Cancelled from `progress`, with nothing left.
    """
    spec = spec or IndexSpec()
    progress.report(0, step="looking at the documents")
    folder = _folder(collection, spec)
    while True:
        current = f"{folder}/{_state_for(collection, spec)}"
        with suppress(FileNotFoundError):  # also where another job has just removed it as one of an older state
            return opened_index(current)
        with exclusive(folder, "waiting for the index that another job builds"):
            if not shelf().exists(f"{current}/{META}"):
                _build(collection, current, spec, progress)
                _remove_others(current)


def _folder(collection: Collection, spec: IndexSpec) -> str:
    """The folder of all indexes with these settings: one for each state, of which only the newest is kept."""
    named = {"version": VERSION, "shard": settings.INDEX_SHARD, **asdict(spec)}
    digest = hashlib.sha256(json.dumps(named, sort_keys=True).encode()).hexdigest()[:12]
    return f"{collection.pk}-{collection.slug}/{digest}"


@dataclass(frozen=True)
class ShardBuilding:
    """Counting the terms of each shard of an index. `bounds` are each shard's first and last docno, size and hash."""

    collection: int
    spec: dict[str, Any]
    index: str
    bounds: list[tuple[str, str, int, int]]
    kind: ClassVar[str] = "build"

    @property
    def sizes(self) -> list[int]:
        return [size for _, _, size, _ in self.bounds]

    def is_done(self, part: int) -> bool:
        """Whether a shard of just these documents is there, built by any worker."""
        try:
            with shelf().open(self._whole(part)) as file:
                return bool(file.read() == self._said(part))
        except FileNotFoundError:
            return False

    def do(self, part: int, report: Report) -> None:
        """Errors: LookupError where this process does not see the documents of the shard as they should be."""
        spec = from_json(IndexSpec, self.spec)
        first, last, size, expected = self.bounds[part]
        writer, seen = ShardWriter(here(f"{self.index}/{part}"), spec.settings), 0
        with closing(_texts(self.collection, spec, first, last)) as texts:  # closes the cursor in any case
            for rows in texts:
                writer.add((pk, fields) for pk, _, *fields in rows)
                for _, row_hash, *_ in rows:
                    seen ^= row_hash
                report(len(writer.ids))
        if (len(writer.ids), seen) != (size, expected):
            raise LookupError("The documents were changed while they were indexed.")
        writer.write()
        for name in COUNTED:
            share(f"{self.index}/{part}/{name}")
        shelf().save(self._whole(part), ContentFile(self._said(part)))

    def _whole(self, part: int) -> str:
        return f"{self.index}/{part}.whole"

    def _said(self, part: int) -> bytes:
        return json.dumps(self.bounds[part]).encode()


def _build(collection: Collection, index: str, spec: IndexSpec, progress: Progress) -> None:
    """Build the index, each shard by any free worker. Nothing is built where the documents change meanwhile."""
    bounds = _bounds(collection)
    work = ShardBuilding(collection.pk, asdict(spec), index, bounds)
    try:
        do_together(work, progress, "indexing documents")
        if not index.endswith(f"/{_state_for(collection, spec)}"):
            raise LookupError
    except LookupError:
        _discard(index)
        progress.check()  # changed meanwhile: the caller looks again
        return
    except Cancelled:
        _discard(index)
        raise
    for shard in range(len(bounds)):
        fetch_shard(index, shard, COUNTED)
    finish(here(index), spec.settings, len(bounds))
    for shard in range(len(bounds)):
        share(f"{index}/{shard}/{HELD}")
    share(f"{index}/{META}")


def _discard(index: str) -> None:
    shutil.rmtree(here(index), ignore_errors=True)
    shelf().remove_folder(index)


def fetch_shard(index: str, shard: int, files: Sequence[str] = (*COUNTED, HELD)) -> None:
    """Have the files of a shard on this machine. Errors: FileNotFoundError where it was removed."""
    for name in files:
        fetched(f"{index}/{shard}/{name}")


def _bounds(collection: Collection) -> list[tuple[str, str, int, int]]:
    """First and last docno, size and hash of each shard, docnos falling; one empty one without documents."""
    found: list[Any] = execute(BOUNDS, [settings.INDEX_SHARD, collection.pk])
    return found or [("", "", 0, 0)]


def _texts(collection: int, spec: IndexSpec, first: str, last: str) -> Generator[list[Any], None, None]:
    """(id, hash, text of each field) of the documents, some at a time."""
    with closing(connection.chunked_cursor()) as cursor:
        names = ", ".join(FIELDS[name] for name in spec.fields)
        cursor.execute(TEXTS.format(hash=HASH, fields=names), [collection, first, last])
        while rows := cursor.fetchmany(ROWS):
            yield rows


def opened_index(name: str, shard: int | None = None) -> Index:
    """The index, which nobody removes from this machine while it is open; only this shard of it, where one is named.

    Errors: FileNotFoundError where there is none.
    """
    lock = fetched(f"{name}/{META}").open()
    fcntl.flock(lock, fcntl.LOCK_SH)
    try:
        if not os.fstat(lock.fileno()).st_nlink:
            raise FileNotFoundError(f"{name} was just removed to make room")
        os.utime(lock.fileno())  # the time of its last use
        index = Index(here(name))
        for each in range(len(index.shards)) if shard is None else [shard]:
            fetch_shard(name, each)
    except BaseException:  # also the end of the worker: the lock must not outlive the attempt; raised again
        lock.close()
        raise
    weakref.finalize(index, lock.close)
    if settings.BUCKET:
        _remove_others_here(name)
        make_room()
    return index


def name_of(index: Index) -> str:
    """The name on the shelf of an index that is open."""
    return index.directory.relative_to(settings.INDEX_DIR).as_posix()


def _remove_others(current: str) -> None:
    """Remove the indexes of older states and what dead builders left; those that are open here stay for now.

    The caller holds the folder, so nothing is being built there.
    """
    _remove_others_here(current)
    if settings.BUCKET:
        for other in folders(current.rpartition("/")[0]):
            if other != current:
                shelf().remove_folder(other)


def _remove_others_here(current: str) -> None:
    for other in here(current).parent.iterdir():
        if other.is_dir() and other != here(current):
            remove_unless_open(other)

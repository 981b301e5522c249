"""Indexes of whole collections below the data directory: built when they are asked for, built again when stale.

An index is a cache: its name says which settings and which state of the documents it was built from, so it
is known whether it is up to date, and losing it costs only the time to build it. Builders of the same index on one
machine wait for each other.
"""

import fcntl
import hashlib
import json
import shutil
import weakref
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from django.conf import settings
from django.db import connection

from accounts.jobs import Progress
from corpus.models import Collection
from corpus.ranking.index import META, VERSION, Index, IndexWriter, Settings
from corpus.searching.jobs.places import alone

ROWS = 2_000

# Order does not matter to the exclusive or, and a document's place is in its hash.
STATE = """
SELECT count(*), coalesce(bit_xor(hashtextextended(concat_ws(E'\\x1f', d.docno, d.title, d.abstract, d.keywords::text), d.id)), 0)
FROM corpus_document d WHERE d.collection_id = %s
"""  # noqa: E501
# In the order of docnos falling, in which trec_eval puts documents of equal score: so ties need no second sorting.
TEXTS = """
SELECT d.id, {fields} FROM corpus_document d WHERE d.collection_id = %s ORDER BY d.docno COLLATE "C" DESC
"""
FIELDS = {
    "title": "d.title",
    "abstract": "d.abstract",
    "keywords": "array_to_string(d.keywords, ' ')",
}
TITLE_AND_ABSTRACT = ("title", "abstract")


@dataclass(frozen=True)
class IndexSpec:
    """Which index of a collection: its settings, and the fields of documents that are searched.

    The settings have a weight for each field, or the default of one weight for all.
    """

    settings: Settings = field(default_factory=Settings)
    fields: tuple[str, ...] = TITLE_AND_ABSTRACT


def collection_state(collection: Collection) -> str:
    """A hash of all that an index is made from: docnos, titles, abstracts and keywords of the documents."""
    with connection.cursor() as cursor:
        cursor.execute(STATE, [collection.pk])
        return hashlib.sha256(repr(cursor.fetchone()).encode()).hexdigest()


def open_index(collection: Collection, progress: Progress, wanted: IndexSpec | None = None) -> Index:
    """The index of the collection's present documents; built first where there is none or only a stale one.

    Its ids are those of the documents. Errors: Cancelled from `progress`, with nothing half-written left.
    """
    wanted = wanted or IndexSpec()
    progress.report(0, step="looking at the documents")
    place = _place(collection, wanted)
    while True:
        current = place / collection_state(collection)[:20]
        with suppress(FileNotFoundError):  # also where another job has just removed it as one of an older state
            return _opened(current)
        with alone(place, progress, "waiting for the index that another job builds"):
            if not (current / META).exists():
                _build(collection, current, wanted, progress)
                _forget_others(current)


def _place(collection: Collection, wanted: IndexSpec) -> Path:
    """Where all indexes of these settings lie; one for each state, of which only the newest is kept."""
    written = json.dumps({"version": VERSION, **asdict(wanted)}, sort_keys=True)
    digest = hashlib.sha256(written.encode()).hexdigest()[:12]
    return Path(settings.INDEX_DIR) / f"{collection.pk}-{collection.slug}" / digest


def _build(collection: Collection, directory: Path, wanted: IndexSpec, progress: Progress) -> None:
    total = collection.documents.count()
    writer = IndexWriter(directory, wanted.settings)
    with closing(_texts(collection, wanted)) as texts:  # a cancelled job must not leave its cursor open
        for rows in texts:
            writer.add(rows)
            progress.report(writer.n_documents, total, "indexing documents")
    progress.report(total, total, "writing the index")
    writer.write()


def _texts(collection: Collection, wanted: IndexSpec) -> Generator[list[tuple[int, Sequence[str]]], None, None]:
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(TEXTS.format(fields=", ".join(FIELDS[name] for name in wanted.fields)), [collection.pk])
        while rows := cursor.fetchmany(ROWS):
            yield [(pk, texts) for pk, *texts in rows]


def _opened(directory: Path) -> Index:
    """The index, which no one removes as long as it is open: parts of it are read when they are needed.

    Errors: FileNotFoundError where there is none.
    """
    held = (directory / META).open()
    fcntl.flock(held, fcntl.LOCK_SH)
    try:
        index = Index(directory)
    except BaseException:  # also the end of the worker: the lock must not outlive the attempt; raised again
        held.close()
        raise
    weakref.finalize(index, held.close)
    return index


def _forget_others(current: Path) -> None:
    """Remove the indexes of older states and what dead builders left; those that somebody has open stay for now.

    The caller holds the place, so nothing is being built there.
    """
    for other in current.parent.iterdir():
        if other.is_dir() and other != current:
            _remove_unless_open(other)


def _remove_unless_open(directory: Path) -> None:
    try:
        with (directory / META).open() as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory, ignore_errors=True)
    except FileNotFoundError:  # a part of one
        shutil.rmtree(directory, ignore_errors=True)
    except BlockingIOError:
        return

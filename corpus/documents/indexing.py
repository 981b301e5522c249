"""Entering documents into the full-text search in batches, after an import that was too large to do it on the way.

Each batch is a separate transaction, so a job that was killed goes on where it was, and several may share the work:
they pass over documents that another one works on. The database says which documents are missing; nothing is kept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import DatabaseError, connection, transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.job_kinds import Waiting
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict
from corpus.collections.rules import check_manager
from corpus.models import Collection, Indexing

BATCH = 2_000
PENDING_LIMIT_KB = 64 * 1024  # new entries are merged into the index by so many, which costs less than few at a time
MERGE_MEMORY = "128MB"

# Documents are locked, so that none changes between its reading and its entry, and passed over where others do so.
FILL = """
WITH taken AS MATERIALIZED (
  SELECT d.id, d.docno, d.title, d.abstract FROM corpus_document d
  WHERE d.collection_id = %(collection)s AND d.docno > %(after)s
    AND NOT EXISTS (SELECT FROM corpus_searchentry e WHERE e.document_id = d.id AND e.language = %(language)s)
  ORDER BY d.docno LIMIT %(batch)s FOR NO KEY UPDATE OF d SKIP LOCKED
), entered AS (
  INSERT INTO corpus_searchentry (document_id, collection_id, language, vector)
  SELECT id, %(collection)s, %(language)s, corpus_search_vector(%(language)s, title, abstract) FROM taken
  ON CONFLICT (document_id) DO UPDATE SET (language, vector) = (excluded.language, excluded.vector)
)
SELECT count(*), max(docno) FROM taken
"""


@transaction.atomic
def index_again(*, by: User | None, at: datetime, collection: Collection, send: bool = True) -> Indexing:
    """Enter into the search what of the collection is not in it; `send=False` leaves the work to the caller.

    Errors: Conflict while a worker does so.
    """
    check_manager(collection, by)
    if send and collection.indexings.exclude(state__in=FINAL_STATES).exists():
        raise Conflict("The documents are being indexed already.")
    indexing = jobs.new_job(Indexing, by=by, at=at, send=send, collection=collection)
    record_event(by=by, at=at, verb="request_indexing", target=indexing, scope=collection)
    return indexing


@contextmanager
def indexed_later() -> Iterator[None]:
    """Inside a transaction: documents are written without their entries, which an `Indexing` makes later."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL litmus.search_later = 'on'")
        yield
        cursor.execute("SET LOCAL litmus.search_later = 'off'")


def indexed(collection_id: int) -> tuple[int, int]:
    """How many documents of the collection are searchable in its language, and how many there are."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(e.document_id), count(*) FROM corpus_document d JOIN corpus_collection c ON c.id = %s"
            " LEFT JOIN corpus_searchentry e ON e.document_id = d.id AND e.language = c.language"
            " WHERE d.collection_id = c.id",
            [collection_id],
        )
        done, total = cursor.fetchone()
    return done, total


def enter_documents(collection: int, progress: jobs.Progress) -> None:
    """Enter all documents of the collection that have no entry yet."""
    while True:
        done, total = indexed(collection)
        progress.report(done, total, "entering documents")
        if done >= total:
            break
        after: str | None = ""
        entered = 0
        while after is not None:
            count, after = _fill(collection, after)
            entered += count
            progress.report(done + entered, total, "entering documents")
        if not entered:
            raise Waiting("waiting for documents that another job enters")
    _merge()


def _fill(collection_id: int, after: str) -> tuple[int, str | None]:
    """Enter a batch of documents whose docno comes after this one; how many, and the last docno, None at the end."""
    with transaction.atomic(), connection.cursor() as cursor:
        # Looked up one by one, whatever the statistics of the moment say.
        cursor.execute(
            "SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off"
        )
        cursor.execute(f"SET LOCAL gin_pending_list_limit = {PENDING_LIMIT_KB}")
        cursor.execute("SELECT language FROM corpus_collection WHERE id = %s", [collection_id])
        (language,) = cursor.fetchone()
        values = {"collection": collection_id, "language": language, "after": after, "batch": BATCH}
        cursor.execute(FILL, values)
        count, last = cursor.fetchone()
    return count, last


def _merge() -> None:
    """Merge the entries that are only listed so far into the index. They are found either way, only more slowly."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL maintenance_work_mem = '{MERGE_MEMORY}'")
            cursor.execute("SELECT gin_clean_pending_list('search_entry_vector'::regclass)")
    except DatabaseError:  # the role does not own the index: PostgreSQL does it when it vacuums
        pass

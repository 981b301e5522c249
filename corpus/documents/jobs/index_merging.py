"""Share the work of a bulk load between PostgreSQL's processes.

The full-text index takes new rows into a list that is merged into the index proper when it has grown. During a bulk
load that merging is a fifth of the database's work, and any connection can do it: a second one, on another core.
"""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction

logger = logging.getLogger(__name__)

INDEX = "document_search"
PENDING_LIMIT_KB = 256 * 1024  # how far the list may grow before the loading connection merges it itself
MERGE_MEMORY = "256MB"
PAUSE = 1.0  # seconds between two merges, at least; and twice what the last took, as large merges cost less per row


@contextmanager
def merged_by_another_connection() -> Iterator[None]:
    """Inside a transaction: leave merging the full-text index to a helper; at the end of the block all is merged."""
    stop = threading.Event()
    helper = threading.Thread(target=_merge_until, args=(stop,), name="index-merger", daemon=True)
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL gin_pending_list_limit = {PENDING_LIMIT_KB}")
    helper.start()
    try:
        yield
    finally:
        stop.set()
        helper.join()
    _merge()


def _merge_until(stop: threading.Event) -> None:
    pause = PAUSE
    try:
        while not stop.wait(pause):
            started = time.monotonic()
            if not _merge():
                break
            pause = max(PAUSE, 2 * (time.monotonic() - started))
    finally:
        connection.close()


def _merge() -> bool:
    """Merge what is listed now; False where that cannot be done. The rows are safe and found either way."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL maintenance_work_mem = '{MERGE_MEMORY}'")
            cursor.execute("SELECT gin_clean_pending_list(%s::regclass)", [INDEX])
    except DatabaseError:  # the role does not own the index, or no connection is free
        logger.exception("the full-text index is left to PostgreSQL's autovacuum")
        return False
    return True

"""Foreign keys checked statement by statement instead of all at the end of the transaction."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def checked_at_once() -> Iterator[None]:
    """Inside a transaction: a broken foreign key raises where it is written, and none are kept in memory for later.

    After the block they wait for the end again, as Django declares them.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    yield
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")

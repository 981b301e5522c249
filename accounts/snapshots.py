"""Reading the database as it is at one moment."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from accounts.sql import execute


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads inside see the database as it is at the first one. Inside of another transaction, that one serves.

    Nothing can be written inside, and a cancellation is not seen before the end.
    """
    nested = connection.in_atomic_block
    with transaction.atomic():
        if not nested:
            execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield

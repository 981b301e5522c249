"""What undoing an import and deleting a collection share: leave to delete rows of append-only tables."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction


@contextmanager
def taking_back() -> Iterator[None]:
    """A transaction in which rows of append-only tables may be deleted (not changed).

    Foreign keys are checked at its end, because some tables refer to each other.
    """
    with transaction.atomic():
        _execute("SET LOCAL litmus.taking_back = 'on'; SET CONSTRAINTS ALL DEFERRED")
        yield
        _execute("SET LOCAL litmus.taking_back = 'off'; SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def _execute(statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statements)

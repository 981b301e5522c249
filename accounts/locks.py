"""Locks that other work may hold for long: waited for briefly, then in the queue."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError

from accounts.job_kinds import Waiting
from accounts.sql import execute

BRIEFLY = 2  # seconds: a request holds a lock for less
_NOT_AVAILABLE = "55P03"  # PostgreSQL's code for a lock that did not come in time


@contextmanager
def briefly(waiting: str, seconds: float = BRIEFLY) -> Iterator[None]:
    """Inside a transaction: locks taken in this block are waited for so many seconds.

    Errors: Waiting with the words `waiting`, after which the transaction can only be rolled back.
    """
    try:
        execute(f"SET LOCAL lock_timeout = {seconds * 1000:.0f}")
        yield
        execute("SET LOCAL lock_timeout = DEFAULT")
    except OperationalError as error:
        if getattr(error.__cause__, "sqlstate", "") != _NOT_AVAILABLE:
            raise
        raise Waiting(waiting) from error

"""SQL that is written by hand: one statement, all of its rows."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection

Values = Mapping[str, Any] | Sequence[Any]


def execute(statement: str, values: Values | None = None) -> list[tuple[Any, ...]]:
    """Execute the statement and return its rows, [] where it returns none.

    Without `values` the text is sent as it is: a percent sign is written once.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []

"""SQL of long queries, put together once in a process: that takes Django longer than PostgreSQL takes to answer.

What is kept is the text, with stand-ins where a query has its values. PostgreSQL plans each statement as before, by the
values that it is given.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import QuerySet

_STAND_IN = 2**62  # and the numbers after it: ids that nothing has


def rows(query: Callable[..., QuerySet[Any, Any]], *ids: int) -> list[tuple[Any, ...]]:
    """The rows of `query(*ids)`: a function of a module, whose SQL depends on how many ids there are, and on nothing
    else."""
    sql, parameters = _text(query, len(ids))
    given = {_STAND_IN + place: value for place, value in enumerate(ids)}
    with connection.cursor() as cursor:
        cursor.execute(sql, [given.get(each, each) for each in parameters])
        return cursor.fetchall()


@lru_cache(maxsize=100)
def _text(query: Callable[..., QuerySet[Any, Any]], ids: int) -> tuple[str, tuple[Any, ...]]:
    sql, parameters = query(*(_STAND_IN + place for place in range(ids))).query.sql_with_params()
    return sql, tuple(parameters)

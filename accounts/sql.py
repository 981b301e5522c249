"""SQL that is written by hand, and that of long queries, put together once: one statement, all of its rows."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import connection
from django.db.models import Count, IntegerField, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce

Values = Mapping[str, Any] | Sequence[Any]


def execute(statement: str, values: Values | None = None) -> list[tuple[Any, ...]]:
    """Execute the statement and return its rows, [] where it returns none.

    Without `values` the text is sent as it is: a percent sign is written once.
    """
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def query_rows(query: Callable[..., QuerySet[Any, Any]], *ids: int) -> list[tuple[Any, ...]]:
    """The rows of `query(*ids)`, whose SQL is put together once in a process: that takes Django longer than PostgreSQL
    takes to answer.

    `query` is a function of a module, whose SQL depends on how many ids there are, and on nothing else. PostgreSQL
    plans each statement as before, by the ids that it is given.
    """
    sql, parameters = _cached_sql(query, len(ids))
    values = dict(enumerate(ids, start=_STAND_IN))
    return execute(sql, [values.get(each, each) for each in parameters])


def count_of(rows: QuerySet[Any, Any]) -> Coalesce:
    """How many of these rows there are, as a column of another query."""
    counted = rows.order_by().annotate(all=Value(1)).values("all").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


_STAND_IN = 2**62  # and the numbers after it: ids that nothing has


@lru_cache(maxsize=100)
def _cached_sql(query: Callable[..., QuerySet[Any, Any]], ids: int) -> tuple[str, tuple[Any, ...]]:
    sql, parameters = query(*range(_STAND_IN, _STAND_IN + ids)).query.sql_with_params()
    return sql, tuple(parameters)

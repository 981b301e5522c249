"""SQL of what is done again and again (labelling, the session of a request), run as prepared statements.

A judgment is a handful of statements that are the same every time; planning them costs PostgreSQL more than running
them. These cursors bind on the server, so that psycopg prepares what it has seen often enough (the setting
`prepare_threshold`; None, as behind a PgBouncer, turns it off and costs nothing but speed).
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import psycopg
from django.db import connection
from django.db.models import Model
from psycopg.rows import namedtuple_row
from psycopg.types.numeric import Int8

M = TypeVar("M", bound=Model)
MOST_ID = 2**63 - 1  # what a bigint holds: a larger number in an address is the id of nothing


def run(sql: str, parameters: Mapping[str, Any]) -> list[Any]:
    """Execute one statement inside Django's present transaction; its rows as named tuples, [] if it returns none."""
    connection.ensure_connection()
    with connection.wrap_database_errors:
        raw = psycopg.Cursor(connection.connection, row_factory=namedtuple_row)
    # Django's own wrapper, so that these statements are counted, logged and wrapped as all others are.
    with connection._prepare_cursor(raw) as cursor:  # type: ignore[attr-defined]
        cursor.execute(sql, {name: _typed(value) for name, value in parameters.items()})
        # `description` would say it too, but builds an object for each column of each result.
        return raw.fetchall() if raw.pgresult and raw.pgresult.nfields else []


def columns(model: type[Model], table: str) -> str:
    """The columns of a model under the name that the statement gives to its table, as `instance` reads them."""
    return ", ".join(f'{table}."{field.column}" AS "{table}_{field.column}"' for field in model._meta.concrete_fields)


def instance(model: type[M], values: Sequence[Any]) -> tuple[M, Sequence[Any]]:
    """The object whose `columns` these values begin with, and the values after them."""
    fields = model._meta.concrete_fields
    names, own = [], []
    for field, value in zip(fields, values, strict=False):
        names.append(field.attname)
        convert = getattr(field, "from_db_value", None)  # of JSON for one
        own.append(convert(value, None, connection) if convert else value)
    return model.from_db(connection.alias, names, own), values[len(fields) :]


def _typed(value: Any) -> Any:
    """Integers all as bigint: psycopg would else choose a type by size, and prepare a statement for each."""
    if type(value) is int:
        return Int8(value)
    if type(value) is list and value and type(value[0]) is int:
        return [Int8(each) for each in value]
    return value

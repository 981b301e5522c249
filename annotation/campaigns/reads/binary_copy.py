"""Rows of whole numbers from the database into NumPy, a million in a second: COPY in binary form, read as one array."""

import re
from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg import sql

HEADER, TRAILER = 19, 2  # bytes around the rows of a binary COPY without extensions


def read_integers(query: str, named: Mapping[str, Any], columns: int) -> NDArray[np.int64]:
    """(n, columns): the rows of a query whose columns are all bigint and never null.

    `named` fills its %(name)s places as literals. Errors: ValueError where a column is null or of another type.
    """
    statement = _literal(query, named)
    with (
        connection.cursor() as cursor,
        cursor.copy(sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(statement)) as copy,
    ):
        data = b"".join(bytes(part) for part in copy)
    fields = [entry for i in range(columns) for entry in ((f"size{i}", ">i4"), (f"value{i}", ">i8"))]
    layout = np.dtype([("columns", ">i2"), *fields])
    body = memoryview(data)[HEADER:-TRAILER]
    if len(body) % layout.itemsize:
        raise ValueError("a column is null or not a bigint")
    rows = np.frombuffer(body, dtype=layout)
    if (rows["columns"] != columns).any() or any((rows[f"size{i}"] != 8).any() for i in range(columns)):
        raise ValueError("a column is null or not a bigint")
    return np.column_stack([rows[f"value{i}"].astype(np.int64) for i in range(columns)]).reshape(-1, columns)


def _literal(query: str, named: Mapping[str, Any]) -> sql.Composed:
    """The query with its parameters as literals, because COPY takes none."""
    marked = re.sub(r"%\((\w+)\)s", r"{\1}", query)
    return sql.SQL(cast(Any, marked)).format(**{name: sql.Literal(value) for name, value in named.items()})

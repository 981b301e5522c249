"""What PostgreSQL reads for statements that were captured: they are executed again, and rolled back."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection, transaction


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is executed meanwhile, with its parameters filled in, also those that the server would bind."""
    found: list[str] = []

    def note(execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: dict[str, Any]) -> Any:
        found.append(psycopg.ClientCursor(connection.connection).mogrify(sql, parameters))
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield found


def scans_of(table: str, executed: Sequence[str]) -> list[dict[str, Any]]:
    """The parts of these statements' plans that read this table, as EXPLAIN (ANALYZE) describes them."""
    return [
        node
        for sql in executed
        if not sql.startswith(("SAVEPOINT", "RELEASE", "ROLLBACK"))
        for node in _nodes(_explained(sql))
        if node.get("Relation Name") == table and node["Node Type"] != "ModifyTable"
    ]


def rows_read(scans: list[dict[str, Any]]) -> float:
    """How many rows they looked at, also those that they left out."""
    read = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Index Recheck")
    return sum(each["Actual Loops"] * sum(each.get(name, 0) for name in read) for each in scans)


def _explained(sql: str) -> dict[str, Any]:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
        ((plan,),) = cursor.fetchone()
        transaction.set_rollback(True)
    return dict(plan["Plan"])


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", ()):
        yield from _nodes(each)

"""The tables that a release is made from: a fingerprint of each, and the highest id."""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import GeneratedField, Model

from accounts.sql import execute
from adjudication.models import ExportPrefixes, OwnDecider, Release, RelevanceCount
from annotation.models import DailyWork, Inquiry, VotesSeen, WorkSummary
from corpus.collections.contents import ContentTable, contents
from corpus.models import InvitedRole, Membership

# Who may do what, what people write to each other, and what is remembered for the next time: no file depends on it.
UNUSED: frozenset[type[Model]] = frozenset(
    {
        *(Release, OwnDecider, ExportPrefixes, Membership, InvitedRole, VotesSeen, Inquiry, WorkSummary, DailyWork),
        RelevanceCount,
    }
)

TOGETHER = 8  # tables that a statement asks for: PostgreSQL keeps what it has hashed of each until the statement ends


@cache
def sources() -> tuple[ContentTable, ...]:
    """The tables, those of rows that others refer to last."""
    return tuple(each for each in contents() if each.model not in UNUSED)


def last_ids(collection: int) -> dict[str, int]:
    """{table: highest id} of the collection's rows."""
    return {name: last for name, (last,) in _asked(_last_id, collection).items() if last is not None}


def fingerprints(collection: int) -> dict[str, dict[str, Any]]:
    """{table: {"rows", "hash"}}: equal where every stored value of the collection's rows is equal.

    The hash is the sum of PostgreSQL's 64-bit hashes of the rows as text, so that no order is needed and memory stays
    flat. Times are hashed in UTC. Tables without rows are left out.
    """
    if connection.in_atomic_block:
        execute("SET LOCAL timezone TO 'UTC'")
    found = _asked(_fingerprint, collection).items()
    return {name: {"rows": rows, "hash": str(digest)} for name, (rows, digest) in found if rows}


def changed_sources(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Names of the tables that differ between two fingerprints."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _last_id(_: type[Model], chosen: str) -> str:
    return f"SELECT max(id) FROM ({chosen}) AS one (id)"


def _fingerprint(model: type[Model], chosen: str) -> str:
    """The number of rows, and the sum of their hashes."""
    quote = connection.ops.quote_name
    own = [field for field in model._meta.local_concrete_fields if not isinstance(field, GeneratedField)]
    columns = ", ".join(f"one.{quote(str(field.column))}" for field in own)
    return (
        f"SELECT count(*), coalesce(sum(hashtextextended(row({columns})::text, 0)::numeric), 0)"
        f" FROM {quote(model._meta.db_table)} one WHERE one.{quote(str(model._meta.pk.column))} IN ({chosen})"
    )


Question = Callable[[type[Model], str], str]  # SQL of one row, of a table and of the SQL that chooses its ids


def _asked(question: Question, collection: int) -> dict[str, tuple[Any, ...]]:
    """{table: its answer}, in the order of `sources`, by a few statements for all."""
    asked = _statements(question)
    found = {name: answer for sql, times in asked for name, *answer in execute(sql, [collection] * times)}
    return {each.name: tuple(found[each.name]) for each in sources()}


@cache
def _statements(question: Question) -> list[tuple[str, int]]:
    """Each SQL, put together once in a process, and how often it names the collection, its only value."""
    parts = []
    for each in sources():
        chosen, values = each.of(0).order_by().values("pk").query.sql_with_params()
        parts.append((f"SELECT '{each.name}', asked.* FROM ({question(each.model, chosen)}) AS asked", len(values)))
    groups = [parts[at : at + TOGETHER] for at in range(0, len(parts), TOGETHER)]
    return [(" UNION ALL ".join(sql for sql, _ in group), sum(times for _, times in group)) for group in groups]

"""The tables that a release is made from: a fingerprint of each, and the highest id."""

from functools import cache
from typing import Any

from django.db import connection
from django.db.models import GeneratedField, Max, Model

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


@cache
def sources() -> tuple[ContentTable, ...]:
    """The tables, those of rows that others refer to last."""
    return tuple(each for each in contents() if each.model not in UNUSED)


def last_ids(collection: int) -> dict[str, int]:
    """{table: highest id} of the collection's rows."""
    found = {each.name: each.of(collection).aggregate(last=Max("pk"))["last"] for each in sources()}
    return {name: last for name, last in found.items() if last is not None}


def fingerprints(collection: int) -> dict[str, dict[str, Any]]:
    """{table: {"rows", "hash"}}: equal where every stored value of the collection's rows is equal.

    The hash is the sum of PostgreSQL's 64-bit hashes of the rows as text, so that no order is needed and memory stays
    flat. Times are hashed in UTC. Tables without rows are left out.
    """
    found = {}
    if connection.in_atomic_block:
        execute("SET LOCAL timezone TO 'UTC'")
    for each in sources():
        rows, digest = _fingerprint(each, collection)
        if rows:
            found[each.name] = {"rows": rows, "hash": str(digest)}
    return found


def changed_sources(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """Names of the tables that differ between two fingerprints."""
    return sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))


def _fingerprint(each: ContentTable, collection: int) -> tuple[int, Any]:
    """(number of rows, sum of their hashes)."""
    quote = connection.ops.quote_name
    model, key = each.model, each.model._meta.pk
    own = [field for field in model._meta.local_concrete_fields if not isinstance(field, GeneratedField)]
    columns = ", ".join(f"one.{quote(str(field.column))}" for field in own)
    chosen, values = each.of(collection).order_by().values("pk").query.sql_with_params()
    ((rows, digest),) = execute(
        f"SELECT count(*), coalesce(sum(hashtextextended(row({columns})::text, 0)::numeric), 0)"
        f" FROM {quote(model._meta.db_table)} one WHERE one.{quote(str(key.column))} IN ({chosen})",
        values,
    )
    return rows, digest

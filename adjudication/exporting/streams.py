"""Rows from server-side cursors, and lines as bytes in pieces: nothing is ever held whole."""

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from django.db import connection

from accounts.sql import execute
from engines.formats.zip_stream import PIECE

if TYPE_CHECKING:
    from adjudication.exporting.exporter import Options

ROWS = 2000  # fetched at a time
FEW = 32  # lines joined at a time


BARE = """
SELECT bool_or(prefix <> '') AND count(*) = count(DISTINCT substr(number, length(prefix) + 1)) FROM corpus_topic
WHERE collection_id = %(collection)s AND (%(campaign)s::bigint IS NULL
  OR id IN (SELECT topic_id FROM annotation_item WHERE campaign_id = %(campaign)s))
"""


def parameters(options: "Options", memo: dict[Any, Any] | None = None) -> dict[str, Any]:
    """What the statements of exports call by name: their options, and what these mean in the database, which is read
    once for each memo."""
    named = {
        **options.values,
        "collection": options.collection.pk,
        "campaign": options.campaign.pk if options.campaign else None,
        "criterion": options.criterion.pk if options.criterion else None,
        "judged_only": options.judged_only,
        "annotators": bool(options["annotators"]),
    }
    memo, key = {} if memo is None else memo, ("bare", named["collection"], named["campaign"])
    if key not in memo:
        ((bare,),) = execute(BARE, named)
        memo[key] = bool(bare)
    return {**named, "bare": memo[key]}


def rows(statement: str, options: "Options", **more: Any) -> Iterator[tuple[Any, ...]]:
    """The statement's rows, fetched `ROWS` at a time from a cursor on the server; `more` replaces named parameters.

    While some rows are used, PostgreSQL makes the next ones: a thread waits for them, so that two cores work.
    """
    named = {**parameters(options), **more}
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(statement, named)
        yield from _prefetched(cursor)


def _prefetched(cursor: Any) -> Iterator[tuple[Any, ...]]:
    """The cursor's rows, always `ROWS` further ones asked for. Few rows need no thread."""
    found = cursor.fetchmany(ROWS)
    if len(found) < ROWS:
        yield from found
        return
    with ThreadPoolExecutor(max_workers=1) as waiting:  # left only when nothing is under way on the connection
        while found:
            following = waiting.submit(cursor.fetchmany, ROWS)
            yield from found
            found = following.result()


def loaded(value: Any) -> Any:
    """JSON of the database: text where the cursor leaves it undecoded."""
    return _decoded(value)[0] if isinstance(value, str) else value


_decoded = json.JSONDecoder().raw_decode  # PostgreSQL writes no blanks around, for which `json.loads` looks


@lru_cache(maxsize=1000)
def column(name: str) -> str:
    """An annotator's name as a column of qrels: blanks become underscores."""
    return "_".join(name.split())


def pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """UTF-8 bytes of the lines, joined to pieces worth sending."""
    source = iter(lines)
    held = ""
    while some := list(islice(source, FEW)):
        held += "".join(some)
        if len(held) >= PIECE:
            yield held.encode()
            held = ""
    if held:
        yield held.encode()

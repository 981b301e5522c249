"""Rows from server-side cursors, and bytes in pieces: nothing is ever held whole."""

import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import IO, Any, cast

from django.db import connection

from adjudication.exports.options import Options

ROWS = 2000  # fetched at a time
PIECE = 64 * 1024  # bytes given out at a time


BARE = """
SELECT bool_or(prefix <> '') AND count(*) = count(DISTINCT substr(number, length(prefix) + 1)) FROM corpus_topic
WHERE collection_id = %(collection)s AND (%(campaign)s::bigint IS NULL
  OR id IN (SELECT topic_id FROM annotation_item WHERE campaign_id = %(campaign)s))
"""


def parameters(options: Options) -> dict[str, Any]:
    """What the statements of exports call by name."""
    named = {
        "collection": options.collection.pk,
        "campaign": options.campaign.pk if options.campaign else None,
        "criterion": options.criterion.pk if options.criterion else None,
        "judged_only": options.judged_only,
        "annotators": options.annotators,
    }
    with connection.cursor() as cursor:
        cursor.execute(BARE, named)
        ((bare,),) = cursor.fetchall()
    return {**named, "bare": bool(bare)}


def rows(statement: str, options: Options, **more: Any) -> Iterator[tuple[Any, ...]]:
    """The statement's rows, fetched `ROWS` at a time from a cursor on the server; `more` replaces named parameters."""
    named = {**parameters(options), **more}
    with closing(connection.chunked_cursor()) as cursor:
        cursor.execute(statement, named)
        while found := cursor.fetchmany(ROWS):
            yield from found


def pieces(lines: Iterable[str]) -> Iterator[bytes]:
    """UTF-8 bytes of the lines, joined to pieces worth sending."""
    held: list[str] = []
    size = 0
    for line in lines:
        held.append(line)
        size += len(line)
        if size >= PIECE:
            yield "".join(held).encode()
            held, size = [], 0
    if held:
        yield "".join(held).encode()


class _Outlet:
    """A file that cannot seek; what was written is taken out again at once."""

    def __init__(self) -> None:
        self.held = bytearray()

    def write(self, data: bytes) -> int:
        self.held += data
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""

    def take(self) -> bytes:
        taken = bytes(self.held)
        self.held.clear()
        return taken


def zipped(members: Iterable[tuple[str, Iterable[bytes]]]) -> Iterator[bytes]:
    """A ZIP archive of (name, pieces), made as it is read. Equal members give equal bytes: no clock is in it."""
    outlet = _Outlet()
    with zipfile.ZipFile(cast("IO[bytes]", outlet), "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as member:
                for piece in content:
                    member.write(piece)
                    if len(outlet.held) >= PIECE:
                        yield outlet.take()
    yield outlet.take()

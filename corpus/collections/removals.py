"""Deleting a collection: one statement for each table, in one transaction. The audit log and the address stay."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from accounts import jobs
from accounts.models import Invitation
from corpus.collections.contents import contents
from corpus.models import Collection


@contextmanager
def append_only_rows_deletable() -> Iterator[None]:
    """A transaction in which rows of append-only tables may be deleted (not changed), as for an import undone.

    Foreign keys are checked at its end, because some tables refer to each other.
    """
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL litmus.taking_back = 'on'; SET CONSTRAINTS ALL DEFERRED")
        yield
        cursor.execute(
            "SET LOCAL litmus.taking_back = 'off'; SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED"
        )


def _delete_rows(collection: Collection, progress: jobs.Progress) -> dict[str, int]:
    """Delete table by table, what refers before what it refers to; the number of rows of each table."""
    tables = contents()
    invitations = list(Invitation.objects.filter(invited_role__collection=collection).values_list("pk", flat=True))
    counts: dict[str, int] = {}
    for number, content in enumerate(tables):
        progress.report(number, len(tables), f"deleting {content.title}")
        progress.check()
        if deleted := content.of(collection.pk)._raw_delete(using="default"):
            counts[content.name] = deleted
    Invitation.objects.filter(pk__in=invitations).delete()
    progress.report(len(tables), len(tables) + 1, "checking that nothing refers to it")
    return counts

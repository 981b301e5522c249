"""Deleting a collection: one statement for each table, in one transaction. The audit log and the address stay."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.files.shelf import remove_folders
from accounts.locks import briefly
from accounts.models import Invitation
from accounts.refusals import Refused
from corpus.collections.contents import contents
from corpus.loading.uploads import remove_paper_file, remove_uploads
from corpus.models import Collection, CollectionRemoval, ImportRun, Paper


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


def remove_collection(job: CollectionRemoval, progress: jobs.Progress) -> None:
    """Delete a collection that is archived, and then its files."""
    collection = Collection.objects.filter(pk=job.collection_id).first()
    if collection is None:
        return  # the worker was killed between its commit and its last word
    if collection.archived_at is None:
        raise Refused("The collection is no longer archived, so it was not deleted.")
    papers = list(Paper.objects.filter(collection=collection).exclude(file="").values_list("file", flat=True))
    imports = list(ImportRun.objects.filter(collection=collection).exclude(files=[]))
    with append_only_rows_deletable():
        with briefly("waiting for other work on this collection"):
            collection = Collection.objects.select_for_update().get(pk=job.collection_id)
        job.counts = _delete_rows(collection, progress)
        job.save(update_fields=["counts"])
        record_event(
            by=job.requested_by,
            at=timezone.now(),
            verb="delete_collection",
            target=collection,
            scope=collection,
            title=collection.title,
            rows=sum(job.counts.values()),
        )
    job.done = job.total
    # Only now: had the transaction failed, its files would be missing.
    for name in papers:
        remove_paper_file(name)
    for each in imports:
        remove_uploads(each)
    remove_folders(f"{job.collection_id}-")


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

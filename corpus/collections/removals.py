"""Deleting a collection: one statement for each table, in one transaction. The audit log and the address stay."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.files.shelf import remove_folders
from accounts.files.storage import FilesAway, files
from accounts.job_kinds import Waiting
from accounts.locks import briefly
from accounts.models import Invitation
from accounts.refusals import Refused
from corpus.collections.contents import contents
from corpus.loading.uploads import papers_of, uploads_of
from corpus.models import Collection, CollectionRemoval


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
    """Delete a collection that is archived, and then its files, also where the worker was killed in between."""
    if collection := Collection.objects.filter(pk=job.collection_id).first():
        _remove_rows(job, collection, progress)
    job.done = job.total
    # Only now: had the transaction failed, its files would be missing.
    try:
        for folder in job.folders:
            files.remove_folder(folder)
        remove_folders(f"{job.collection_id}-")
    except FilesAway as away:
        raise Waiting("waiting for the storage of files") from away


def _remove_rows(job: CollectionRemoval, collection: Collection, progress: jobs.Progress) -> None:
    if collection.archived_at is None:
        raise Refused("The collection is no longer archived, so it was not deleted.")
    with append_only_rows_deletable():
        with briefly("waiting for other work on this collection"):
            collection = Collection.objects.select_for_update().get(pk=job.collection_id)
        job.folders = list(_folders_of(collection))
        job.counts = _delete_rows(collection, progress)
        job.save(update_fields=["folders", "counts"])
        record_event(
            by=job.requested_by,
            at=timezone.now(),
            verb="delete_collection",
            target=collection,
            scope=collection,
            title=collection.title,
            rows=sum(job.counts.values()),
        )


def _folders_of(collection: Collection) -> Iterator[str]:
    """All that it has in the storage; apps above name theirs in `stored_folders` of their AppConfig."""
    yield papers_of(collection.pk)
    for run in collection.import_runs.exclude(files=[]):
        yield from uploads_of(run)
    for folders_of in extensions("stored_folders").values():
        yield from folders_of(collection)


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

"""The end of a collection: archived (read-only), then deleted, and back from the archive."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.models import FINAL_STATES, User
from accounts.refusals import Conflict, NotAllowed, Refused
from corpus.collections.reads.audit import hidden_labels
from corpus.collections.reads.contents import unfinished_jobs
from corpus.collections.rules import check_can_delete, check_role_of_manager
from corpus.models import Collection, CollectionRemoval

WhyCannotArchive = Callable[[Collection], str]  # what must end before the collection is archived, "" for nothing


@transaction.atomic
def archive_collection(*, by: User | None, at: datetime, collection: Collection) -> Collection:
    """Make the collection read-only. Refused while campaigns are open or jobs are not finished."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if found.archived_at:
        raise Conflict(f"{found} is archived already.")
    why_cannot_archive: dict[str, WhyCannotArchive] = extensions("why_cannot_archive")
    reasons = [reason for reason_of in why_cannot_archive.values() if (reason := reason_of(found))]
    if unfinished := unfinished_jobs(found):
        reasons.append(f"Jobs are not finished: {', '.join(sorted({str(job) for job in unfinished}))}.")
    if reasons:
        raise Refused(" ".join([f"{found} cannot be archived yet.", *reasons]))
    found.archived_at = at
    found.save(update_fields=["archived_at"])
    record_event(by=by, at=at, verb="archive_collection", target=found, scope=found)
    return found


@transaction.atomic
def take_backup(*, by: User, at: datetime, collection: Collection, logged: bool = True) -> None:
    """Check and log that the person takes a backup, which holds all labels. Errors: NotAllowed.

    `logged=False` is for requests that get the head of the file alone.
    """
    check_role_of_manager(collection, by)
    if reasons := [each.reason for each in hidden_labels(collection, by)]:
        raise NotAllowed(" ".join([*reasons, "A backup would show them."]))
    if logged:
        record_event(by=by, at=at, verb="download_backup", target=collection, scope=collection)


@transaction.atomic
def reopen_collection(*, by: User | None, at: datetime, collection: Collection) -> Collection:
    """Take the collection out of the archive: it can be changed again."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if not found.archived_at:
        raise Conflict(f"{found} is not archived.")
    if CollectionRemoval.objects.filter(collection_id=found.pk).exclude(state__in=FINAL_STATES).exists():
        raise Conflict(f"{found} is being deleted.")
    found.archived_at = None
    found.save(update_fields=["archived_at"])
    record_event(by=by, at=at, verb="reopen_collection", target=found, scope=found)
    return found


@transaction.atomic
def request_removal(
    *, by: User | None, at: datetime, collection: Collection, typed: str, send: bool = True
) -> CollectionRemoval:
    """Ask for an archived collection to be deleted with everything in it. `typed` must be its short name."""
    check_role_of_manager(collection, by)
    found = Collection.objects.select_for_update().get(pk=collection.pk)
    if not found.archived_at:
        raise Refused("Archive the collection first. Then nothing changes between its backup and its deletion.")
    if typed.strip() != found.slug:
        raise Refused(f"Type the short name exactly as it is: {found.slug}. Nothing was deleted.")
    check_can_delete(found, found)
    if CollectionRemoval.objects.filter(collection_id=found.pk).exclude(state__in=FINAL_STATES).exists():
        raise Conflict(f"{found} is being deleted already.")
    fields = {"collection_id": found.pk, "slug": found.slug, "title": found.title}
    if send:
        run = jobs.new_job(CollectionRemoval, by=by, at=at, **fields)
    else:
        run = CollectionRemoval.objects.create(requested_by=by, requested_at=at, **fields)
    record_event(by=by, at=at, verb="request_collection_deletion", target=run, scope=found)
    return run

"""Imports as jobs: all or nothing in one transaction each, one at a time in a collection."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager

from django.db import connection, transaction
from django.utils import timezone

from accounts import jobs
from accounts.audit import record_event
from accounts.job_kinds import RETRY_AFTER, Waiting
from accounts.refusals import Conflict, Refused
from corpus.loading.counts import ImportCounts
from corpus.models import ImportRun
from engines.formats.records import BrokenFile, Problem
from engines.formats.registry import format_label, format_names

Work = Callable[[ImportRun, jobs.Progress, ImportCounts], None]
Reading = Callable[[ImportRun, jobs.Progress, ImportCounts], AbstractContextManager[Work]]

OFFERED = "offered"  # in a job's parameters: the way in which more topics would match
STORED = "stored"  # in a job's parameters: its transaction has committed


class Busy(Conflict):
    """Another import of the collection went on for longer than the caller waits. Nothing was imported."""

    def __init__(self) -> None:
        super().__init__(
            "Another import of this collection is running. Nothing was imported; import again in a moment.",
            retry_after=RETRY_AFTER,
        )


def import_at_once(run: ImportRun, *, patience: float) -> None:
    """Carry the import out here. Imports into one collection follow each other; it waits `patience` seconds for that.

    Errors: Busy when they have passed; the job has failed by then.
    """
    late: list[Busy] = []
    until = time.monotonic() + patience

    def work(run: ImportRun, progress: jobs.Progress) -> None:
        try:
            import_files(run, progress)
        except Waiting:
            if time.monotonic() < until:
                raise
            late.append(Busy())
            _store_failure(run, ImportCounts())
            raise late[0] from None

    jobs.carry_out(run, work)
    if late:
        raise late[0]


def import_files(run: ImportRun, progress: jobs.Progress) -> None:
    """Import, or raise `Waiting` where another import of the collection is storing: these follow each other."""
    if STORED in run.parameters:
        return  # the worker was killed between its commit and its last word
    counts = ImportCounts()
    try:
        with _read(run, progress, counts) as work, transaction.atomic():
            if not is_my_turn(run):
                raise Waiting("waiting for another import of this collection")
            work(run, progress, counts)
            if not counts.kept:
                raise Refused(_nothing_taken(counts))
            _store(run, counts)
    except BrokenFile as broken:
        counts.add_problems([Problem(broken.file, broken.line, broken.reason)])
        _store_failure(run, counts)
        raise Refused(" ".join(filter(None, [f"{broken}.", counts.offered, "Nothing was imported."]))) from broken
    except Waiting:
        raise
    except Refused:
        _store_failure(run, counts)
        raise


def _read(run: ImportRun, progress: jobs.Progress, counts: ImportCounts) -> AbstractContextManager[Work]:
    if run.importer is None:
        raise Refused(f"Imports of {run.label} cannot be imported by this installation.")
    if run.format not in format_names(run.kind):
        raise Refused(f"Its format, {format_label(run.format)}, is not known here. Nothing was imported.")
    return run.importer.reading(run, progress, counts)


def is_my_turn(run: ImportRun) -> bool:
    """Whether no other import of the collection holds the lock that this transaction now takes."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(hashtext('corpus import'), %s::int)", [run.collection_id])
        return bool(cursor.fetchone()[0])


def _store(run: ImportRun, counts: ImportCounts) -> None:
    counts.store(run)
    run.parameters = {**run.parameters, **_offer_of(counts), STORED: True}
    run.save(update_fields=["parameters"])
    if not run.dry_run:
        record_event(
            by=run.requested_by,
            at=timezone.now(),
            verb=f"import_{run.kind}",
            target=run,
            scope=run.collection,
            created=counts.created,
            updated=counts.updated,
            unchanged=counts.unchanged,
            skipped=counts.skipped,
            files=[{"name": file["name"], "sha256": file["sha256"]} for file in run.files],
        )


def _store_failure(run: ImportRun, counts: ImportCounts) -> None:
    counts.keep_nothing()
    counts.store(run)
    if offer := _offer_of(counts):
        run.parameters = {**run.parameters, **offer}
        asked = ImportRun.objects.values_list("parameters", flat=True).get(pk=run.pk)
        ImportRun.objects.filter(pk=run.pk).update(parameters={**asked, **offer})


def _offer_of(counts: ImportCounts) -> dict[str, str]:
    return {OFFERED: counts.offer.way} if counts.offer else {}


def _nothing_taken(counts: ImportCounts) -> str:
    if not counts.errors:
        rules = ", ".join(f"{rule} ({count:,})" for rule, count in counts.skips.most_common(5))
        return (
            f"Nothing was imported: {f'all records were left out: {rules}' if rules else 'the files hold no records'}."
        )
    first = counts.errors[0]
    where = f"{first['file']}, line {first['line']}" if first["line"] else first["file"]
    number = "the only record was" if counts.error_count == 1 else f"all {counts.error_count:,} records were"
    return f"Nothing was imported: {number} refused. {where}: {first['reason']}. {counts.offered}".rstrip()

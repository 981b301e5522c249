"""Undoing an import that nothing stands on."""

from datetime import datetime

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Conflict
from corpus.collections.jobs.taking_back import taking_back
from corpus.collections.rules import check_can_delete, check_manager
from corpus.imports.jobs.imports import is_my_turn
from corpus.imports.jobs.undoing import check_can_undo, undo
from corpus.models import ImportRun


def undo_import(*, by: User | None, at: datetime, run: ImportRun) -> ImportRun:
    """Delete what the import created and put back what it wrote over, all of it or nothing.

    Errors: Refused with what stands on it; Conflict while another import of the collection runs.
    """
    check_manager(run.collection, by)
    check_can_delete(run, run.collection)
    with taking_back():
        found = ImportRun.objects.select_for_update(of=("self",)).select_related("collection").get(pk=run.pk)
        if not is_my_turn(found):
            raise Conflict("Another import of this collection is running. Try again when it has ended.")
        check_can_undo(found)
        rows = undo(found)
        found.undone_at, found.undone_by = at, by
        found.save(update_fields=["undone_at", "undone_by"])
        record_event(by=by, at=at, verb="undo_import", target=found, scope=found.collection, kind=found.kind, rows=rows)
    return found

"""Cancelling a background job, of whatever kind."""

from datetime import datetime

from django.db import transaction

from accounts import jobs
from accounts.audit import record_event
from accounts.job_kinds import kind_of
from accounts.models import Job, User
from accounts.refusals import Conflict


@transaction.atomic
def cancel_job(*, job: Job, by: User | None, at: datetime) -> None:
    """Ask the job to stop; what its kind keeps is kept. Errors: NotAllowed, Conflict when it has ended."""
    kind = kind_of(job)
    kind.check_can_cancel(job, by)
    if job.is_final:
        raise Conflict(f"It has ended already: {job.get_state_display()}.")
    jobs.cancel(job, at=at)
    target, scope, facts = kind.audited(job)
    record_event(by=by, at=at, verb=kind.cancel_verb, target=target, scope=scope, **facts)

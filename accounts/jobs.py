"""The life of a background job: sent on commit, claimed by one worker, reporting progress, cancelled, resumed.

Work that needs what others hold (`Waiting`) gives its worker back: the job is queued again and taken up a little later.
A worker that is to end gives its jobs back (accounts/leaving.py): another one takes them up at once.

If a worker is killed, its job stays `running`, but nobody renews its claim (accounts/claims.py). `resume_lost_jobs`
(run by beat) sends it again, and also a job that could not be sent because Redis was away.
Live progress is in Redis, because a job's own transaction would hide it; the final figures are in the row.
"""

import logging
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from accounts import broker
from accounts.caches import volatile
from accounts.claims import Claim, claimed, jobs_claimed
from accounts.doors import NO_DOOR, through
from accounts.extensions import extensions
from accounts.job_kinds import Cancelled, ClaimLost, Progress, Waiting, job_kinds, kind_of, progress_key
from accounts.leaving import Leaving, interruptible
from accounts.log_marks import marked
from accounts.models import FINAL_STATES, Job, JobState
from accounts.refusals import Refused, as_refusal
from accounts.storage_full import storage_fault
from accounts.table_statistics import analyse_changed_tables
from accounts.turns import Turns, is_limited, take_turn

if TYPE_CHECKING:
    from celery import Celery

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 5
LOST_AFTER = timedelta(seconds=20)  # a queued job this old whose message may have been lost is sent again
MOST_PATIENCE = timedelta(hours=1)  # between sending a job again and again: it may merely wait for a busy worker
WAIT_SECONDS = 3  # after which a job that waits for others is sent again
LOOK_EVERY = 0.2  # seconds; for a job that waits here and not in the queue
TASK = "accounts.tasks.run_job"

J = TypeVar("J", bound=Job)


def send(job: Job) -> None:
    """Hand the job to a worker once the present transaction has committed; while Redis is away, it waits in its row."""
    transaction.on_commit(lambda: _hand_over(job))


def _hand_over(job: Job, delay: float = 0) -> None:
    if not send_task(TASK, delay, kind=kind_of(job).key, pk=job.pk):
        logger.warning("%s %s waits for Redis, which cannot be reached.", job._meta.label, job.pk)


def send_task(name: str, delay: float = 0, /, **arguments: Any) -> bool:
    """Send a message to a worker, who takes it up after `delay` seconds; whether Redis took it."""
    if broker.is_reachable():
        # Loaded now: a command that queues nothing starts half a second sooner without Celery.
        from kombu.exceptions import OperationalError
        from redis import RedisError

        queue: Celery = import_string(settings.TASK_QUEUE)
        try:
            queue.send_task(name, kwargs=arguments, countdown=delay or None)
        except (OperationalError, RedisError, OSError) as error:
            logger.warning("Redis did not take %s: %s", name, error)
        else:
            return True
    return False


def cancel(job: Job, *, at: datetime) -> None:
    """Ask the job to stop. A queued one is cancelled at once, a running one at its next report."""
    model = type(job)
    rows = model._default_manager.filter(pk=job.pk)
    ended = {"state": JobState.CANCELLED, "finished_at": at, "reason": "Cancelled before it began."}
    with transaction.atomic():
        # This locks the row whichever state it has: its worker may be taking it up or putting it back just now.
        rows.exclude(state__in=FINAL_STATES).update(cancel_requested_at=at)
        is_ended = rows.filter(state=JobState.QUEUED).update(**ended)
        job.refresh_from_db()
        if is_ended:
            _say_that_it_ended(job)


def with_live_progress(job: J) -> J:
    """The job with the newest done, total and step that its worker has reported."""
    if job.state == JobState.RUNNING:
        live = volatile.get(progress_key(job))
        if live:
            job.done, job.total, job.step = live
    return job


def carry_out(job: J, work: Callable[[J, Progress], None] | None = None) -> None:
    """Claim the job, do its kind's `work`, store how it ended. Does nothing if it is claimed, final or gone.

    Where the work has to wait for others, it waits here. The row may have changed meanwhile, and `job` itself is not
    touched. `work` may stand in for the kind's own.
    """
    while _attempt(type(job), job.pk, work):
        time.sleep(LOOK_EVERY)


def complete(job: J, work: Callable[[J, Progress], None] | None = None) -> None:
    """Do the job here and now, as commands do; `job` then says how it ended. Errors: Refused where it was not done."""
    carry_out(job, work)
    job.refresh_from_db()
    if job.state != JobState.DONE:
        raise Refused(job.reason)


def carry_out_row(model: type[J], pk: int) -> None:
    """`carry_out` for a worker, which knows only the id: a job that has to wait, or whose worker ends, goes back to
    the queue."""
    with marked(job=f"{model._meta.label_lower} {pk}"):
        job = _attempt(model, pk, interruptible()(kind_of(model).work), in_turn=is_limited(kind_of(model)))
    if job and not job.step:  # given back
        _hand_over(job)
    elif job:
        volatile.set(_waiting_key(job), True, WAIT_SECONDS + LOST_AFTER.total_seconds())
        _hand_over(job, WAIT_SECONDS)
    if is_limited(kind_of(model)):
        _send_next()


def _send_next() -> None:
    """Send the job that was put back until its turn and is the next, if there is one."""
    found = (job for job in Turns().next() if not volatile.get(_waiting_key(job)))
    if job := next(found, None):
        _hand_over(job)


def _attempt(model: type[J], pk: int, work: Callable[[J, Progress], None] | None, *, in_turn: bool = False) -> J | None:
    """Do the job if it is free and, with `in_turn`, if it is its turn; returns the job if it has to wait for others."""
    kind = kind_of(model)
    waits = None
    try:
        with claimed(model, pk) as claim:
            job = _start(model, pk, in_turn=in_turn) if claim else None
            if claim is not None and job is not None and _work(job, claim, work or kind.work):
                waits = job
    finally:
        kind.clean_up(pk)
    analyse_changed_tables()
    return waits


def _work(job: J, claim: Claim, work: Callable[[J, Progress], None]) -> bool:
    """Do the work and store how it ended; True where it has to wait, or its worker ends, and it was put back."""
    try:
        with through(NO_DOOR):  # how it ends is read at every door
            work(job, Progress(job, claim))
    except (Waiting, Leaving) as stopped:
        return _put_back(job, claim, stopped.step)
    except Cancelled as cancelled:
        _finish(job, claim, JobState.CANCELLED, str(cancelled) or "Cancelled. Nothing was kept.")
    except Refused as refusal:
        _finish(job, claim, JobState.FAILED, refusal.reason)
    except ClaimLost:
        logger.warning("%s %s was taken over by another worker.", job._meta.label, job.pk)
    except Exception as error:
        if isinstance(translated := as_refusal(error), Refused):
            _finish(job, claim, JobState.FAILED, translated.reason)
            return False
        unexpected = f"Unexpected: {type(error).__name__}: {error}"
        _finish(job, claim, JobState.FAILED, storage_fault(error) or unexpected)
        raise
    else:
        _finish(job, claim, JobState.DONE, "")
    return False


def _put_back(job: Job, claim: Claim, step: str) -> bool:
    """Queue it again. `step` says in words what it waits for, "" for a worker. False if it was cancelled or taken
    over meanwhile."""
    rows = type(job)._default_manager.select_for_update(of=("self",)).filter(pk=job.pk)
    with transaction.atomic():
        if not (claim.is_held() and (now := rows.first())):
            return False
        if now.cancel_requested_at:
            _store_end(job, JobState.CANCELLED, "Cancelled while waiting.")
            return False
        job.state, job.step, job.done = JobState.QUEUED, step, 0
        job.attempts -= 1  # none was made
        job.save(update_fields=["state", "step", "done", "attempts"])
        volatile.delete(progress_key(job))
    return True


def _waiting_key(job: Job) -> str:
    """Set while a message that will take up a waiting job is on its way."""
    return f"job-waiting:{job._meta.label_lower}:{job.pk}"


def resume_lost_jobs(now: datetime) -> int:
    """Send again every unfinished job that no worker holds and whose turn it is; returns how many. Run by beat.

    A queued job may have lost its message or may wait for a busy worker, which cannot be distinguished here. So it is
    sent again soon, and then ever more rarely: waiting jobs must not fill the queue with copies of themselves.
    """
    sent, held = 0, jobs_claimed() | Turns().out_of_turn()
    for kind in job_kinds().values():
        unfinished = kind.model._default_manager.exclude(state__in=FINAL_STATES)
        for job in unfinished.filter(requested_at__lt=now - LOST_AFTER):
            if (
                (job._meta.label_lower, job.pk) not in held
                and not volatile.get(_waiting_key(job))
                and _is_due(job, now)
            ):
                sent += 1
                send(job)
    return sent


def _is_due(job: Job, now: datetime) -> bool:
    """Whether to send it again: at once for each attempt, then after one minute, two, four, up to an hour."""
    key = f"job-sent:{job._meta.label_lower}:{job.pk}:{job.attempts}:{job.requested_at.timestamp()}"
    times, due_at = volatile.get(key, (0, now))
    if now < due_at:
        return False
    pause = min(timedelta(minutes=2 ** min(times, 10)), MOST_PATIENCE)
    volatile.set(key, (times + 1, now + pause), 2 * MOST_PATIENCE.total_seconds())
    return True


@transaction.atomic
def _start(model: type[J], pk: int, *, in_turn: bool) -> J | None:
    unfinished = model._default_manager.exclude(state__in=FINAL_STATES)
    job = unfinished.select_for_update(of=("self",), no_key=True).filter(pk=pk).first()
    if job is None:
        return None
    if in_turn and (wait := take_turn(job)):
        model._default_manager.filter(pk=pk).update(state=JobState.QUEUED, step=wait)
        return None
    job.attempts += 1
    if job.attempts > MOST_ATTEMPTS:
        _store_end(
            job, JobState.FAILED, f"The worker process died {MOST_ATTEMPTS} times, so the job is not tried again."
        )
        return None
    job.state = JobState.RUNNING
    job.step = ""  # what it waited for
    job.started_at = job.started_at or timezone.now()
    job.code_version = settings.CODE_VERSION
    job.save(update_fields=["attempts", "state", "step", "started_at", "code_version"])
    return job


def _finish(job: Job, claim: Claim, state: JobState, reason: str) -> None:
    """Store how the job ended, unless another worker has it by now."""
    with transaction.atomic():
        if claim.is_held():
            _store_end(job, state, reason)


def _store_end(job: Job, state: JobState, reason: str) -> None:
    job.state, job.reason, job.finished_at = state, reason, timezone.now()
    with transaction.atomic():
        job.save(update_fields=["attempts", "state", "reason", "finished_at", "done", "total", "step"])
        _say_that_it_ended(job)
    volatile.delete(progress_key(job))


def _say_that_it_ended(job: Job) -> None:
    """Call the apps that have registered in `job_ends` of their AppConfig, in the transaction that stores the end."""
    for listener in extensions("job_ends").values():
        listener(job)


def new_job(model: type[J], /, *, by: Any, at: datetime, send: bool = True, **fields: Any) -> J:
    """A queued job row, sent to a worker on commit; with `send=False` the caller does the work."""
    job = model._default_manager.create(requested_by=by, requested_at=at, **fields)
    if send:
        transaction.on_commit(lambda: _hand_over(job))
    return job


def fragment_context(job: Job, member: Any) -> dict[str, Any]:
    """What the fragment of a job needs; `member` is the membership by which the person sees it (see JobKind.fetch)."""
    kind = kind_of(job)
    is_offered = not (job.is_final or job.cancel_requested_at) and kind.may_cancel(member)
    cancel_url = reverse("job_cancel", args=[kind.key, job.pk]) if is_offered else ""
    retry_url = kind.retry(job, member) if job.state == JobState.FAILED else ""
    reason = kind.reason(job) if retry_url else job.reason
    addresses = {"fragment_url": kind.address(job), "cancel_url": cancel_url, "retry_url": retry_url}
    return {"job": with_live_progress(job), "kind": kind, "reason": reason, **addresses}

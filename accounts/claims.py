"""Who works on a job: a row with the worker's own token, renewed by a heartbeat while the work goes on.

A claim that was not renewed within LEASE is free: its worker has died, or cannot reach PostgreSQL. Rows and not
advisory locks, because these hang on a session, which a connection pooler in transaction mode gives to others.
All times are PostgreSQL's, so clocks of workers may differ.
"""

import logging
import threading
import uuid
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import DatabaseError, connection
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import Job, JobClaim
from accounts.sql import execute

logger = logging.getLogger(__name__)

BEAT_SECONDS = 5.0
LEASE = timedelta(seconds=30)  # several beats: a busy machine may be late with some

# One statement, so that of two workers one wins, at any isolation level and with any connection.
_CLAIM = """
INSERT INTO accounts_jobclaim (kind, job, holder, renewed_at)
VALUES (%(kind)s, %(job)s, %(holder)s, clock_timestamp())
ON CONFLICT (kind, job) DO UPDATE SET holder = excluded.holder, renewed_at = excluded.renewed_at
WHERE accounts_jobclaim.renewed_at < clock_timestamp() - %(lease)s
RETURNING 1
"""


@dataclass
class Claim:
    """One worker's claim on one job. `is_lost`: the heartbeat found that another worker has it."""

    kind: str
    job: int
    holder: uuid.UUID = field(default_factory=uuid.uuid4)
    is_lost: bool = False

    def take(self) -> bool:
        """Claim the job unless a living worker has it."""
        values: dict[str, Any] = {"kind": self.kind, "job": self.job, "holder": self.holder, "lease": LEASE}
        return bool(execute(_CLAIM, values))

    def rows(self) -> QuerySet[JobClaim]:
        return JobClaim.objects.filter(kind=self.kind, job=self.job, holder=self.holder)

    def renew(self) -> None:
        """Record that the worker is alive."""
        self.is_lost = not self.rows().update(renewed_at=Now())

    def is_held(self) -> bool:
        """Whether the claim still stands; asked inside a transaction, it stands until its end."""
        return self.rows().select_for_update().exists()

    def release(self) -> None:
        self.rows().delete()


def claimed(job: type[Job], pk: int) -> AbstractContextManager[Claim | None]:
    """The claim on a job for the length of the block, or None where another worker has it."""
    return held(job._meta.label_lower, pk)


@contextmanager
def held(kind: str, number: int = 0) -> Iterator[Claim | None]:
    """The claim on whatever has this name and number, for the length of the block, or None where another has it."""
    claim = Claim(kind, number)
    if not claim.take():
        yield None
        return
    try:
        with beating(claim):
            yield claim
    finally:
        claim.release()


@contextmanager
def beating(claim: Claim) -> Iterator[None]:
    """Renew the claim from a thread with a separate connection: the work's own may be in a long transaction.

    Inside a transaction of the caller's nobody else sees the claim, and there is nothing to renew.
    """
    if connection.in_atomic_block:
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_beat, args=(claim, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _beat(claim: Claim, ended: threading.Event) -> None:
    while not (claim.is_lost or ended.wait(BEAT_SECONDS)):
        try:
            claim.renew()
        except DatabaseError as error:  # restarting, perhaps; the next beat tries again
            logger.warning("The claim on %s %s could not be renewed: %s", claim.kind, claim.job, error)
        finally:
            connection.close()  # this thread's own


def jobs_claimed() -> set[tuple[str, int]]:
    """Kind and id of every job that a living worker has; claims of long ago are forgotten."""
    JobClaim.objects.filter(renewed_at__lt=Now() - timedelta(days=1)).delete()
    return set(JobClaim.objects.filter(renewed_at__gte=Now() - LEASE).values_list("kind", "job"))

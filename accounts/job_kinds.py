"""The kinds of background jobs. Each app registers its own by one line in `jobs` of its AppConfig: key and class.

A kind is what differs between jobs: the work, the words, who may see and cancel it, the page that shows its results.
What they share is written once: accounts/jobs.py (sent, claimed, resumed), one task, one cancel view, one page.
"""

import time
from abc import ABC, abstractmethod
from datetime import datetime
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from django.db.models import Model
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.audit import Scope
from accounts.caches import volatile
from accounts.claims import Claim
from accounts.extensions import extensions
from accounts.leaving import Leaving, is_announced
from accounts.models import Job, JobState, User
from accounts.queues import Queue
from accounts.refusals import Conflict, NotAllowed

REPORT_EVERY = 0.25  # seconds between two progress reports of one job
RETRY_AFTER = 10  # seconds after which a client that could not wait may try again

J = TypeVar("J", bound=Job)


class ClaimLost(Exception):
    """Another worker has taken the job over, because this one was silent for too long; its work ends unstored."""


class Cancelled(Exception):
    """Somebody asked for the job to stop; raised inside the work by `Progress.report`.

    Work that keeps what it had done raises it again with a text that says so: `raise Cancelled("…") from cancelled`.
    """


class Waiting(Conflict):
    """Others hold what the work needs. Its worker does other jobs, and the job is sent again a little later.

    Raised before anything is stored; `step` is what people read meanwhile: "waiting for another import". Where no job
    does the work, it is refused.
    """

    def __init__(self, step: str) -> None:
        super().__init__(f"This is {step}. Try again in a moment.", retry_after=RETRY_AFTER)
        self.step = step


class Progress:
    """What the work reports while it runs, and how it learns that it should stop."""

    seconds_kept: ClassVar[int] = 24 * 3600

    def __init__(self, job: Job, claim: Claim | None = None) -> None:
        self.job = job
        self.claim = claim
        self.last = 0.0

    def report(self, done: int, total: int | None = None, step: str = "") -> None:
        """Say how far the work is; raises Cancelled when the job was cancelled. Cheap: most calls return at once."""
        self.job.done = done
        self.job.total = self.job.total if total is None else total
        self.job.step = step or self.job.step
        now = time.monotonic()
        if now - self.last < REPORT_EVERY and done != self.job.total:
            return
        self.last = now
        volatile.set(progress_key(self.job), (self.job.done, self.job.total, self.job.step), self.seconds_kept)
        self.check()

    def check(self) -> None:
        """Raise Cancelled when somebody cancelled the job; further errors are those of `check_worker`."""
        self.check_worker()
        model = type(self.job)
        if model._default_manager.filter(pk=self.job.pk, cancel_requested_at__isnull=False).exists():
            raise Cancelled

    def check_worker(self) -> None:
        """Raise Leaving when this worker ends, ClaimLost when another one has the job."""
        if is_announced():
            raise Leaving
        if self.claim is not None and self.claim.is_lost:
            raise ClaimLost


def progress_key(job: Job) -> str:
    """Where the live progress of a job is kept."""
    return f"job-progress:{job._meta.label_lower}:{job.pk}"


class JobKind(ABC, Generic[J]):
    """One kind of background job. This base is for jobs of a person: they alone see them, and nobody cancels them.

    Jobs of a collection subclass corpus.collections.jobs.CollectionJob, those of a campaign
    CampaignJob.
    """

    model: type[J]
    queue: ClassVar[Queue]  # by how long its work takes
    # Heading of its page before its end and once it is done; its subject
    # follows: "Counting the votes in", "Votes counted in".
    doing: str
    did: str
    purpose: str  # what it does and what for, in a sentence
    counted = ""  # what the number done counts, as in "120 sent"; of bytes, what was done with them (read)
    in_bytes = False  # done and total are bytes
    cancel_verb = ""  # of the audit event
    onward = "Results"  # words of the link to the page that shows what came of it
    base = "base.html"  # the frame around its page

    def __init__(self, key: str) -> None:
        self.key = key  # in addresses and in messages to workers

    @property
    def way_to_collection(self) -> str:
        """The fields from the job to the collection that it belongs to, as in a query; "" where there is none."""
        return ""

    @abstractmethod
    def work(self, job: J, progress: Progress) -> None:
        """Do it and store the results. It may be called again after a crash, so it must be idempotent.

        A Refused from it ends the job as failed with that reason; anything unexpected is recorded and raised again.
        """

    def clean_up(self, pk: int) -> None:
        """Called after every attempt, also after one that found the job ended, claimed or gone."""

    def start_due(self, now: datetime) -> None:
        """Queue those that no person starts and whose time has come. Called by beat each minute."""

    def fetch(self, pk: int, user: User) -> tuple[J, Any]:
        """The job, and the membership (or None) by which the person sees it. Errors: Http404, NotAllowed."""
        return get_object_or_404(self.model, pk=pk, requested_by=user), None

    def may_cancel(self, member: Any) -> bool:
        """Whether to offer the button."""
        return False

    def check_can_cancel(self, job: J, by: User | None) -> None:
        """Raise Refused with the reason why this person cannot cancel the job."""
        raise NotAllowed("This job cannot be cancelled.")

    def reason(self, job: J) -> str:
        """Why it failed, for those who may start it again: a `Reason` where a page of Litmus mends it."""
        return job.reason

    def audited(self, job: J) -> tuple[Model, Scope | None, dict[str, Any]]:
        """Target, scope and particulars of the audit event of its cancellation."""
        return job, None, {}

    def page(self, job: J) -> str:
        """The address of the page that shows what came of it; without another page, its own."""
        return self.address(job)

    def words(self, job: J) -> str:
        """The heading of its page, in front of its subject."""
        return self.did if job.state == JobState.DONE else self.doing

    def about(self, job: J) -> str:
        """What it does and what for: its purpose, where all of its kind do the same."""
        return self.purpose

    def subject(self, job: J) -> str:
        """What its heading ends with: what it is about, a name in quotes; "" where its words say it all."""
        return ""

    def outcome(self, job: J) -> str:
        """What came of it, in a sentence; asked once it is done. "" where the numbers done say it."""
        return ""

    def links(self, job: J, member: Any) -> list[tuple[str, str]]:
        """Address and words of where to go once it has ended, for its own page; the first is the most likely.

        Only what `member` may open.
        """
        return [(self.page(job), self.onward)] if self.page(job) != self.address(job) else []

    def retry(self, job: J, member: Any) -> str:
        """The address of the page where the person can start it again once it has failed; "" where they cannot."""
        return ""

    def context(self, job: J, member: Any) -> dict[str, Any]:
        """What the frame of its page needs."""
        return {}

    def address(self, job: J) -> str:
        """The address of its own page, which is also the address of its fragment."""
        return reverse("job_detail", args=[self.key, job.pk])


@cache
def job_kinds() -> dict[str, JobKind[Any]]:
    """All kinds by their keys."""
    return {key: kind(key) for key, kind in extensions("jobs").items()}


def kind_of(job: Job | type[Job]) -> JobKind[Any]:
    """The kind of a job, or of the jobs of a model."""
    return _by_model()[job if isinstance(job, type) else type(job)]


@cache
def _by_model() -> dict[type[Job], JobKind[Any]]:
    return {kind.model: kind for kind in job_kinds().values()}

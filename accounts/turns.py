"""Which heavy job may run next, so that fifty jobs of one collection do not keep all workers from another.

At most LITMUS_COLLECTION_JOBS heavy jobs of a collection run at once. None starts while a job of a collection with
fewer running ones waits. A job whose turn has not come is queued without a message; the end of another job sends it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from accounts.claims import jobs_claimed
from accounts.counting import counted
from accounts.job_kinds import JobKind, job_kinds
from accounts.models import FINAL_STATES, Job, JobState
from accounts.queues import Queue
from accounts.sql import execute

OTHERS = "waiting: long jobs of other collections come first"


@dataclass(frozen=True)
class TurnPlace:
    """An unfinished heavy job. `was_put_back`: no message of it is in the queue."""

    kind: JobKind[Any]
    pk: int
    collection: int
    is_running: bool
    was_put_back: bool
    requested_at: datetime


class Turns:
    """The unfinished heavy jobs of all collections, as they are now."""

    def __init__(self) -> None:
        places = list(_places())
        self.places = {(place.kind.model._meta.label_lower, place.pk): place for place in places}
        self.running = Counter(place.collection for place in places if place.is_running)
        coming = {place.collection for place in places if not (place.is_running or place.was_put_back)}
        self.fewest = min((self.running[collection] for collection in coming), default=settings.COLLECTION_JOBS)

    def wait(self, place: TurnPlace) -> str:
        """What the job has to wait for, in words; "" when it may run."""
        others, most = self.running[place.collection] - place.is_running, settings.COLLECTION_JOBS
        if others >= most:
            verb = "is" if most == 1 else "are"
            return f"waiting: {others:,} of {counted(most, 'long job')} of this collection {verb} running"
        return OTHERS if self.fewest < others else ""

    def out_of_turn(self) -> set[tuple[str, int]]:
        """Kind and id of all that have to wait."""
        return {key for key, place in self.places.items() if not place.is_running and self.wait(place)}

    def next(self) -> Iterator[Job]:
        """Jobs without a message that may run now: first those whose collections have the fewest running."""
        found = [place for place in self.places.values() if place.was_put_back and not self.wait(place)]
        for place in sorted(found, key=lambda place: (self.running[place.collection], place.requested_at)):
            yield place.kind.model._default_manager.get(pk=place.pk)


def take_turn(job: Job) -> str:
    """What the job has to wait for, "" when it may run. Inside a transaction: at its end others see the job's state."""
    execute("SELECT pg_advisory_xact_lock(hashtext('turns of jobs'))")
    turns = Turns()
    return turns.wait(turns.places[job._meta.label_lower, job.pk])


def _places() -> Iterator[TurnPlace]:
    held = jobs_claimed()
    for kind in filter(is_limited, job_kinds().values()):
        rows = kind.model._default_manager.exclude(state__in=FINAL_STATES)
        for pk, collection, state, step, at in rows.values_list(
            "pk", kind.way_to_collection, "state", "step", "requested_at"
        ):
            is_running = state == JobState.RUNNING and (kind.model._meta.label_lower, pk) in held
            yield TurnPlace(kind, pk, collection, is_running, state == JobState.QUEUED and bool(step), at)


def is_limited(kind: JobKind[Any]) -> bool:
    """Whether jobs of the kind take turns."""
    return kind.queue == Queue.HEAVY and bool(kind.way_to_collection)

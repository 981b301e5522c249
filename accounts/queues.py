"""The queues of background work. Which of them a worker serves is a setting, LITMUS_QUEUES."""

from enum import StrEnum
from typing import Any


class Queue(StrEnum):
    """Queues by how long their work takes: nobody waits behind hours of work for what takes minutes."""

    QUICK = "quick"  # people wait for it: minutes at most
    HEAVY = "heavy"  # hours, perhaps
    INDEX = "index"  # the search: its documents, and parts of an index that another job wants


def queue_of(message: str, _: Any, arguments: dict[str, Any], *__: Any, **___: Any) -> dict[str, str] | None:
    """Where Celery sends a message: a message about a job goes to the queue of its kind; None: other rules decide."""
    from accounts.job_kinds import job_kinds

    kind = job_kinds().get(arguments.get("kind", "")) if message == "accounts.tasks.run_job" else None
    return {"queue": kind.queue} if kind else None

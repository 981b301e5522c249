"""Storing what machines said: reply and label in one transaction, at once, without a slot that a person could hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID, uuid4, uuid5

from django.db import transaction

from annotation.models import (
    Assignment,
    AssignmentState,
    Judgment,
    MachineReply,
    MachineRun,
    ReplyState,
    Submission,
    SubmissionKind,
)

NAMESPACE = UUID("7c7f1a0e-4b35-5e0c-8d1e-6a2b9f0c3d52")  # of submissions made by machine runs
DEVICE = "machine"
MOST_PROBLEM = 500
MOST_TEXT = 200_000  # characters of a reply that are kept; no answer needs more


@dataclass(frozen=True)
class MachineAnswer:
    """What came for one item: a value that was read, or why there is none; tokens and cost where they are known."""

    item: int
    state: ReplyState
    text: str = ""
    value: int | None = None
    problem: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: Decimal | None = None
    seconds: float | None = None


@transaction.atomic
def store_replies(run: MachineRun, said: Sequence[MachineAnswer], at: datetime) -> None:
    """Keep these replies, and a label for each that was read. An earlier error on the same item gives way.

    Only the worker that holds the run's claim calls this; the unique constraints hold should there be two.
    """
    items = [one.item for one in said]
    run.replies.filter(item__in=items, state=ReplyState.ERROR).delete()
    MachineReply.objects.bulk_create([_reply(run, one, at) for one in said])
    read = [(one.item, one.value) for one in said if one.value is not None]
    if read:
        add_labels(run, read, at)


def add_labels(run: MachineRun, values: Sequence[tuple[int, int]], at: datetime) -> None:
    """A finished assignment without a slot, its submission and its judgment, for each (item, value)."""
    assignments = Assignment.objects.bulk_create(
        [
            Assignment(item_id=item, annotator_id=run.annotator_id, state=AssignmentState.DONE, finished_at=at)
            for item, _ in values
        ]
    )
    submissions = Submission.objects.bulk_create(
        [submission_of(run, assignment, value, at) for assignment, (_, value) in zip(assignments, values, strict=True)]
    )
    Judgment.objects.bulk_create(
        [
            Judgment(assignment=assignment, criterion_id=run.criterion_id, value=value, submission=submission)
            for assignment, submission, (_, value) in zip(assignments, submissions, values, strict=True)
        ]
    )


def submission_of(run: MachineRun, assignment: Assignment, value: int, at: datetime, *, note: str = "") -> Submission:
    """The submission, not saved, that says so; a machine's id follows from the run, the item and what it says.

    What a person decides (`note`) may be said again and taken back, so each such step has an id of its own.
    """
    return Submission(
        uuid=uuid4() if note else uuid5(NAMESPACE, f"{run.pk}|{assignment.item_id}|{value}||"),
        assignment=assignment,
        kind=SubmissionKind.ANSWER,
        answers={run.criterion.key: value},
        note=note,
        device=DEVICE,
        received_at=at,
    )


def _reply(run: MachineRun, said: MachineAnswer, at: datetime) -> MachineReply:
    return MachineReply(
        run=run,
        item_id=said.item,
        state=said.state,
        text=said.text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MOST_TEXT],
        value=said.value,
        problem=said.problem.replace("\0", "")[:MOST_PROBLEM],
        prompt_tokens=said.prompt_tokens,
        completion_tokens=said.completion_tokens,
        cost=said.cost,
        seconds=said.seconds,
        received_at=at,
    )

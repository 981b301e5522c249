"""Giving a paper back with a reason, and taking it up again: a submission each, as for items that are graded."""

import uuid
from datetime import datetime

from django.db import transaction

from accounts.models import User
from accounts.refusals import Conflict, Refused
from annotation.assignment.actions.queue import regain_slot
from annotation.models import Annotator, Assignment, AssignmentState, Guideline, Submission, SubmissionKind
from annotation.papers.rules import check_can_extract, check_can_work

LONGEST_REASON = 500  # characters
ALREADY_TAKEN = "This paper cannot be reopened: somebody else has it in the meantime."


@transaction.atomic
def skip_paper(*, assignment: Assignment, reason: str, by: User, at: datetime) -> Assignment:
    """Leave the paper to somebody else. What was done so far is kept with the assignment, and counts for nothing.

    Errors: Refused without a reason and for a finished paper; those of `check_can_extract`.
    """
    assignment = _locked(assignment)
    check_can_extract(assignment, by)
    if assignment.state == AssignmentState.DONE:
        raise Refused("The paper is finished. Reopen it before you skip it.")
    if not reason.strip():
        raise Refused("Say in a few words why you skip this paper.")
    if len(reason.strip()) > LONGEST_REASON:
        raise Refused(f"The reason has more than {LONGEST_REASON} characters.")
    _note(assignment, SubmissionKind.SKIP, at, reason.strip())
    assignment.state, assignment.slot, assignment.finished_at = AssignmentState.SKIPPED, None, at
    assignment.save(update_fields=["state", "slot", "finished_at"])
    return assignment


@transaction.atomic
def take_up_paper(*, assignment: Assignment, by: User, at: datetime) -> Assignment:
    """Go on with a paper that one skipped, where one's place is free still.

    Errors: Refused for a paper that was not skipped, Conflict where nobody is needed for it any longer; those of
    `check_can_work`.
    """
    assignment = _locked(assignment)
    check_can_work(assignment, by)
    if assignment.state != AssignmentState.SKIPPED:
        raise Refused("You have not skipped this paper.")
    assert assignment.annotator_id is not None  # noqa: S101 - check_can_work: it is the person's
    if not regain_slot(
        assignment=assignment.pk, item=assignment.item_id, annotator=assignment.annotator_id, from_queue=False
    ):
        raise Conflict(ALREADY_TAKEN)
    Assignment.objects.filter(pk=assignment.pk).update(finished_at=None)
    _note(assignment, SubmissionKind.UNDO, at)
    assignment.refresh_from_db()
    return assignment


def _locked(assignment: Assignment) -> Assignment:
    """The assignment as it is now, its annotator locked: one person's writes go one after the other."""
    Annotator.objects.select_for_update(no_key=True).filter(assignments=assignment).first()
    return Assignment.objects.select_related("item__campaign", "annotator").get(pk=assignment.pk)


def _note(assignment: Assignment, kind: SubmissionKind, at: datetime, reason: str = "") -> None:
    guideline = Guideline.objects.filter(campaign=assignment.item.campaign_id).first()
    Submission.objects.create(
        uuid=uuid.uuid4(), assignment=assignment, kind=kind, reason=reason, guideline=guideline, received_at=at
    )

"""Replies that could not be read: a person decides what they state, or that they state nothing."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.rules import check_not_closed
from annotation.labelling.rules import check_can_read_replies
from annotation.machines.asking import add_labels, submission_of
from annotation.machines.requests import locked_run
from annotation.models import (
    Assignment,
    AssignmentState,
    Judgment,
    MachineReply,
    MachineRun,
    ReplyState,
    SubmissionKind,
)


@transaction.atomic
def decide_reply(*, reply: MachineReply, by: User, at: datetime, value: int | None) -> MachineReply:
    """Decide what an invalid reply states; None: it states nothing. The decision may be changed.

    The reply stays invalid; only its label comes from the decision. Errors: Refused for a value off the scale and for
    a reply that was read; NotAllowed for people who may not read it (annotation/labelling/rules.py).
    """
    run = locked_run(MachineRun.objects.get(pk=reply.run_id), by)
    check_can_read_replies(run.campaign, by)
    reply = MachineReply.objects.select_for_update().get(pk=reply.pk)
    check_not_closed(run.campaign)
    if reply.state != ReplyState.INVALID:
        raise Refused("You can decide only replies that could not be read.")
    if value is not None and not run.criterion.levels.filter(value=value).exists():
        raise Refused(f"{value} is not on the scale of {run.criterion}.")
    before = reply.value
    if before != value:
        _relabel(run, reply, value, at, f"decided by {by} from the machine's words")
    reply.value, reply.decided_by, reply.decided_at = value, by, at
    reply.save(update_fields=["value", "decided_by", "decided_at"])
    facts = {"machine": run.annotator.name, "item": reply.item_id, "before": before, "after": value}
    record_event(by=by, at=at, verb="decide_reply", target=run.campaign, scope=run.campaign.collection, **facts)
    return reply


def _relabel(run: MachineRun, reply: MachineReply, value: int | None, at: datetime, note: str) -> None:
    """Set the label to `value`, or remove it for None. Every step is a separate submission."""
    found = Assignment.objects.filter(item=reply.item_id, annotator=run.annotator_id).first()
    if found is None:
        if value is not None:
            add_labels(run, [(reply.item_id, value)], at)
        return
    if value is None:
        undone = submission_of(run, found, reply.value or 0, at, note=note)
        undone.kind, undone.answers = SubmissionKind.UNDO, {}
        undone.save()
        Judgment.objects.filter(assignment=found).delete()
        Assignment.objects.filter(pk=found.pk).update(state=AssignmentState.WITHDRAWN, finished_at=None)
        return
    submission = submission_of(run, found, value, at, note=note)
    submission.save()
    Assignment.objects.filter(pk=found.pk).update(state=AssignmentState.DONE, finished_at=at)
    Judgment.objects.update_or_create(
        assignment=found, criterion=run.criterion, defaults={"value": value, "submission": submission}
    )

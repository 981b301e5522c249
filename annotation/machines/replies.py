"""Replies that could not be read: a person decides what they state of a criterion, or that they state nothing."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.models import User
from accounts.refusals import Refused
from annotation.campaigns.rules import check_not_closed
from annotation.labelling.rules import check_can_read_replies
from annotation.machines.asking import add_labels, submission_of
from annotation.machines.committees import answers_of
from annotation.machines.requests import locked_run
from annotation.models import (
    Assignment,
    AssignmentState,
    Criterion,
    Judgment,
    MachineRun,
    ReplyValue,
    SubmissionKind,
)


@transaction.atomic
def decide_reply(*, stated: ReplyValue, by: User, at: datetime, value: int | None) -> ReplyValue:
    """Decide what a reply states of a criterion that could not be read; None: nothing. The decision may be changed.

    The reply stays invalid; only its label comes from the decision. Errors: Refused for a value off the scale and for
    what was read; NotAllowed for people who may not read it (annotation/labelling/rules.py).
    """
    run = locked_run(MachineRun.objects.get(replies__stated=stated), by)
    check_can_read_replies(run.campaign, by)
    stated = ReplyValue.objects.select_for_update(of=("self",)).select_related("reply", "criterion").get(pk=stated.pk)
    check_not_closed(run.campaign)
    if not stated.problem:
        raise Refused("You can decide only replies that could not be read.")
    if value is not None and not stated.criterion.levels.filter(value=value).exists():
        raise Refused(f"{value} is not on the scale of {stated.criterion}.")
    before = stated.value
    if before != value:
        relabel(
            run, stated.reply.item_id, stated.criterion, value, at=at, note=f"decided by {by} from the machine's words"
        )
    stated.value, stated.decided_by, stated.decided_at = value, by, at
    stated.save(update_fields=["value", "decided_by", "decided_at"])
    for committee in run.committees.select_related("annotator"):
        _vote_again(committee, stated.reply.item_id, at)
    facts = {"machine": run.annotator.name, "item": stated.reply.item_id, "before": before, "after": value}
    facts["criterion"] = stated.criterion.key
    record_event(by=by, at=at, verb="decide_reply", target=run.campaign, scope=run.campaign.collection, **facts)
    return stated


def _vote_again(committee: MachineRun, item: int, at: datetime) -> None:
    """A member's answer has changed: what its committee says follows, unless a person has decided that."""
    reply = committee.replies.filter(item=item).first()
    if reply is None:
        return
    [answer] = answers_of(committee, list(committee.members.select_related("annotator")), [item])
    for stated in reply.stated.filter(decided_at=None).select_related("criterion"):
        reading = answer.stated[stated.criterion.key]
        if stated.value != reading.value:
            relabel(committee, item, stated.criterion, reading.value, at=at, note="an answer of a member was decided")
        stated.value, stated.problem = reading.value, reading.problem
        stated.agreement = answer.agreement.get(stated.criterion.key)
        stated.save(update_fields=["value", "problem", "agreement"])
    reply.text, reply.state = answer.text, answer.state
    reply.problem = answer.problem
    reply.save(update_fields=["text", "state", "problem"])


def relabel(run: MachineRun, item: int, criterion: Criterion, value: int | None, *, at: datetime, note: str) -> None:
    """Set the label on one criterion, or remove it for None. Every step is a separate submission."""
    found = Assignment.objects.filter(item=item, annotator=run.annotator_id).first()
    if found is None:
        if value is not None:
            add_labels(run, {criterion.key: criterion.pk}, [(item, {criterion.key: value})], at)
        return
    kept = found.judgments.exclude(criterion=criterion)
    values = dict(kept.values_list("criterion__key", "value")) | ({} if value is None else {criterion.key: value})
    submission = submission_of(run, found, values, at, note=note)
    if not values:
        submission.kind = SubmissionKind.UNDO
    submission.save()
    kept.update(submission=submission)
    if value is None:
        found.judgments.filter(criterion=criterion).delete()
    else:
        Judgment.objects.update_or_create(
            assignment=found, criterion=criterion, defaults={"value": value, "submission": submission}
        )
    state = {"state": AssignmentState.DONE, "finished_at": at} if values else {"state": AssignmentState.WITHDRAWN}
    Assignment.objects.filter(pk=found.pk).update(**{"finished_at": None, **state})

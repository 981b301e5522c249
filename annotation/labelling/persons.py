"""A person's data in this app: what they judged, and their labels under a pseudonym or withdrawn."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from accounts.models import AuditEvent, User
from annotation.models import (
    Annotator,
    AnnotatorState,
    Assignment,
    AssignmentRun,
    AssignmentState,
    Judgment,
    Submission,
    SubmissionKind,
)
from corpus.models import ImportRun


def report_of(user: User) -> dict[str, Any]:
    """Every answer the person ever gave, oldest first."""
    sent = Submission.objects.filter(assignment__annotator__user=user).order_by("pk")
    fields = ("assignment__item__campaign__slug", "kind", "answers", "reasons", "note", "received_at")
    answers = [
        {"campaign": slug, "kind": kind, "answers": given, "reasons": why, "note": note, "at": at.isoformat()}
        for slug, kind, given, why, note, at in sent.values_list(*fields).iterator()
    ]
    return {"annotators": list(user.annotators.values("campaign__slug", "name")), "answers": answers}


def erase(user: User, name: str, pseudonym: str, keep_labels: bool, at: datetime) -> None:
    """Rename the person's annotators; withdraw their labels unless they are kept."""
    mine = Annotator.objects.filter(user=user)
    if not keep_labels:
        _withdraw(mine, at)
    names = {*mine.values_list("name", flat=True), name} - {""}
    campaigns = list(mine.values_list("campaign", flat=True))
    mine.update(name=pseudonym, state=AnnotatorState.REMOVED)
    for run in AssignmentRun.objects.filter(campaign__in=campaigns):
        run.summary = renamed(run.summary, names, pseudonym)
        run.save(update_fields=["summary"])

    collections = list(mine.values_list("campaign__collection", flat=True).distinct())
    for event in AuditEvent.objects.filter(scope_id__in=collections).exclude(data={}).iterator(chunk_size=2_000):
        changed = renamed(event.data, names, pseudonym)
        if changed != event.data:
            AuditEvent.objects.filter(pk=event.pk).update(data=changed)
    for job in ImportRun.objects.filter(collection__in=collections).exclude(remarks=[]):
        remarks = [_without(remark, names, user.email, pseudonym) for remark in job.remarks]
        ImportRun.objects.filter(pk=job.pk).update(remarks=remarks)


def _without(sentence: str, names: set[str], email: str, pseudonym: str) -> str:
    """The sentence without `Name (address)`, as remarks of imports name people."""
    for name in names:
        sentence = sentence.replace(f"{name} ({email})", pseudonym)
    return sentence


def _withdraw(annotators: Any, at: datetime) -> None:
    """An undo is appended for each answer, so that figures and votes made of it are known to be out of date."""
    done = Assignment.objects.filter(annotator__in=annotators, state=AssignmentState.DONE)
    Judgment.objects.filter(assignment__in=done)._raw_delete(using="default")
    Submission.objects.bulk_create(
        [
            Submission(uuid=uuid4(), assignment_id=pk, kind=SubmissionKind.UNDO, received_at=at)
            for pk in done.values_list("pk", flat=True)
        ],
        batch_size=5_000,
    )
    done.update(state=AssignmentState.WITHDRAWN, slot=None)


def renamed(value: Any, names: set[str], pseudonym: str) -> Any:
    """A JSON value with these names replaced, also in keys and in couples such as `Ada|Ben`."""
    if isinstance(value, dict):
        return {renamed(key, names, pseudonym): renamed(each, names, pseudonym) for key, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, names, pseudonym) for each in value]
    if isinstance(value, str):
        return "|".join(pseudonym if part in names else part for part in value.split("|"))
    return value

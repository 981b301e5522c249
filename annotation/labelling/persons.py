"""A person's data in this app: what they judged, and their labels under a pseudonym or left out."""

from datetime import datetime
from typing import Any

from accounts.models import User
from annotation.consent.pseudonyms import leave_out_labels, lock_campaigns, pseudonymise
from annotation.models import Annotator, AnnotatorState, Submission


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
    """Rename the person's annotators; leave their labels out unless they are kept."""
    mine = Annotator.objects.filter(user=user)
    if not keep_labels:
        lock_campaigns(mine)
        list(mine.order_by("pk").select_for_update(no_key=True))
        leave_out_labels(mine, at)
    pseudonymise(mine, {name}, user.email, pseudonym)
    mine.update(state=AnnotatorState.REMOVED)

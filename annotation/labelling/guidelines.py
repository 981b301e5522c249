"""What a person does on the labelling screen in addition to answering."""

from django.db import transaction

from accounts.models import User
from annotation.assignment.participation import fetch_participation
from annotation.models import Annotator, Assignment, AssignmentState, Guideline, Submission


@transaction.atomic
def note_guideline_seen(*, collection: str, campaign: str, version: int, by: User) -> int:
    """Remember that the annotator has seen this version of the guideline, so that it is no longer announced.

    Where they had folded an earlier version away, this one is folded too, now that it was read. Returns the newest
    version they have seen. Versions that do not exist change nothing. No audit event: which version each answer was
    given under is stored with the answer.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, any_kind=True)
    if (
        version <= participation.guideline_seen
        or not Guideline.objects.filter(campaign=participation.campaign, version=version).exists()
    ):
        return participation.guideline_seen
    folded = participation.guideline_folded and max(version, participation.guideline_folded)
    Annotator.objects.filter(pk=participation.annotator).update(guideline_seen=version, guideline_folded=folded)
    return version


@transaction.atomic
def fold_guideline(*, collection: str, campaign: str, version: int, folded: bool, by: User) -> None:
    """Keep this version of the guideline folded away, or open, on every device of the annotator.

    A later version opens once. Versions that do not exist change nothing. No audit event: it concerns nobody else.
    """
    participation = fetch_participation(collection=collection, campaign=campaign, user=by, lock=True, any_kind=True)
    if not 0 < version <= participation.guideline:
        return
    kept = max(version, participation.guideline_folded) if folded else 0
    Annotator.objects.filter(pk=participation.annotator).update(guideline_folded=kept)


def note_first_guideline(*, collection: str, campaign: str, newest: int, by: User, annotator: int) -> int:
    """On the first visit the newest version counts as seen: nothing has changed since, it is just there.

    Who has answered elsewhere before (by REST, by an import, in the demo) has seen the version of their last answer.
    Returns the version that now counts as seen.
    """
    done = Assignment.objects.filter(annotator=annotator, state=AssignmentState.DONE)
    last = done.order_by("-finished_at").values("pk")[:1]
    answers = Submission.objects.filter(assignment__in=last, guideline__isnull=False)
    version = answers.order_by("-pk").values_list("guideline__version", flat=True).first()
    return note_guideline_seen(collection=collection, campaign=campaign, version=version or newest, by=by)

"""What a person does at their desk beside answering."""

from django.db import transaction

from accounts.models import User
from annotation.assignment.reads.desks import fetch_desk
from annotation.models import Annotator, Guideline


@transaction.atomic
def note_guideline_seen(*, collection: str, campaign: str, version: int, by: User) -> int:
    """Remember that the annotator has seen this version of the guideline, so that it announces itself no more.

    Returns the newest version they have seen. Versions that do not exist change nothing. No audit event: which version
    each answer was given under is stored with the answer.
    """
    desk = fetch_desk(collection=collection, campaign=campaign, user=by, lock=True, also_of_papers=True)
    if version <= desk.guideline_seen or not Guideline.objects.filter(campaign=desk.campaign, version=version).exists():
        return desk.guideline_seen
    Annotator.objects.filter(pk=desk.annotator).update(guideline_seen=version)
    return version

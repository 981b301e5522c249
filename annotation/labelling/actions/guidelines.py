"""What a person does on the labelling screen in addition to answering."""

from django.db import transaction

from accounts.models import User
from annotation.assignment.reads.participation import fetch_participation
from annotation.models import Annotator, Guideline


@transaction.atomic
def note_guideline_seen(*, collection: str, campaign: str, version: int, by: User) -> int:
    """Remember that the annotator has seen this version of the guideline, so that it is no longer announced.

    Returns the newest version they have seen. Versions that do not exist change nothing. No audit event: which version
    each answer was given under is stored with the answer.
    """
    participation = fetch_participation(
        collection=collection, campaign=campaign, user=by, lock=True, also_of_papers=True
    )
    if (
        version <= participation.guideline_seen
        or not Guideline.objects.filter(campaign=participation.campaign, version=version).exists()
    ):
        return participation.guideline_seen
    Annotator.objects.filter(pk=participation.annotator).update(guideline_seen=version)
    return version

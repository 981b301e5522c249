"""What has changed in a guideline since somebody read it."""

from annotation.models import Guideline
from corpus.text.differences import Line, compare_texts


def changes_since(newest: Guideline | None, seen: int) -> list[Line]:
    """How the guideline differs from the version that the person has seen; [] where they have seen none or this one."""
    if newest is None or not 0 < seen < newest.version:
        return []
    before = Guideline.objects.filter(campaign=newest.campaign_id, version=seen).first()
    return compare_texts(before.body, newest.body) if before else []

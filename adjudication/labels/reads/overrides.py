"""Overridden tests of machines whose labels went into the verdicts of a campaign."""

from accounts.models import JobState
from adjudication.models import VoteRun
from annotation.campaigns.reads.overrides import Override, overrides_in
from annotation.models import Campaign

PEOPLE = "humans"


def overrides_in_verdicts(campaign: Campaign) -> list[Override]:
    """Those of machines that had a vote in the newest count; none where people alone vote. At most two queries, and one
    for each overridden test."""
    newest = VoteRun.objects.filter(campaign=campaign, state=JobState.DONE).order_by("-pk").first()
    return [] if newest is None or newest.voters == PEOPLE else overrides_in(campaign)

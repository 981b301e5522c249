"""Counts of votes: the newest of a campaign, what is newer than it, and whose labels had a vote in it."""

from django.db.models import QuerySet

from accounts.models import JobState
from adjudication.labels.ballots import KINDS
from adjudication.labels.labels import LabelTable
from adjudication.labels.staleness import Standing, count_newer
from adjudication.models import Voters, VoteRun
from annotation.campaigns.overrides import Override, overrides_in
from annotation.models import Campaign

OTHER_LABELS = "other changes of the labels"


def newest_count(campaign: int) -> VoteRun | None:
    """The newest finished count of votes of the campaign of this id."""
    return VoteRun.objects.filter(campaign=campaign, state=JobState.DONE).order_by("-pk").first()


def newest_counts(campaigns: QuerySet[Campaign]) -> list[VoteRun]:
    """The newest finished count of each of these campaigns that has one. One query."""
    rows = VoteRun.objects.filter(campaign__in=campaigns, state=JobState.DONE)
    return list(rows.order_by("campaign", "-pk").distinct("campaign"))


def overrides_in_verdicts(campaign: Campaign) -> list[Override]:
    """Overridden tests of machines that had a vote in the newest count; none where people alone vote.

    At most two queries, and one for each overridden test.
    """
    newest = newest_count(campaign.pk)
    return [] if newest is None or newest.voters == Voters.HUMANS else overrides_in(campaign)


def fetch_vote_standing(campaign: Campaign, labels: LabelTable | None = None) -> Standing[VoteRun]:
    """The newest count of votes that ended, the newest of all, and how many votes have changed since the former.

    Labels of those who have no vote in it change nothing. With `labels`, all of the campaign at this moment, it is
    held against the hash of what the count has read, so that nothing escapes.
    """
    runs = VoteRun.objects.filter(campaign=campaign).order_by("-pk")
    newest = runs.first()  # first: one that ends now is then shown as running, and the page looks again
    done = runs.filter(state=JobState.DONE).first()
    if done is None:
        return Standing(job=newest)
    newer = count_newer(campaign, done.snapshot, kinds=KINDS[done.voters])
    is_other = labels is not None and done.inputs_hash != votes_in(campaign, labels, done.voters).inputs_hash
    return Standing(done, newest, newer, other=OTHER_LABELS if is_other else "")


def votes_note(standing: Standing[VoteRun]) -> str:
    """What has changed since the votes were counted, as a sentence to print with their verdicts; "" for nothing."""
    return f"The votes were counted before {standing.since}." if standing.is_stale else ""


def votes_in(campaign: Campaign, labels: LabelTable, voters: str) -> LabelTable:
    """Those of the labels that have a vote where `voters` vote."""
    entitled = campaign.annotators.filter(kind__in=KINDS[voters])
    return labels.of_annotators(list(entitled.values_list("pk", flat=True)))

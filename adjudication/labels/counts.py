"""Counts of votes: the newest of a campaign, what is newer than it, and whose labels had a vote in it."""

from collections.abc import Iterable
from dataclasses import replace

from django.db.models import QuerySet

from accounts.models import JobState
from adjudication.labels.ballots import KINDS, has_vote
from adjudication.labels.labels import LabelTable
from adjudication.labels.staleness import Since, Standing, count_newer_each
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
    standing = fetch_vote_standings([campaign])[campaign.pk]
    if standing.run is None or labels is None:
        return standing
    is_other = standing.run.inputs_hash != votes_in(campaign, labels, standing.run.voters).inputs_hash
    return replace(standing, other=OTHER_LABELS if is_other else "")


def fetch_vote_standings(campaigns: Iterable[Campaign]) -> dict[int, Standing[VoteRun]]:
    """`fetch_vote_standing` of each of these campaigns, by its id. Three queries."""
    pks = [each.pk for each in campaigns]
    runs = VoteRun.objects.filter(campaign__in=pks).order_by("campaign", "-pk").distinct("campaign")
    newest = {run.campaign_id: run for run in runs}  # first: one that ends now is then shown as running
    done = {run.campaign_id: run for run in runs.filter(state=JobState.DONE)}
    asked = [Since(pk, run.snapshot, KINDS[run.voters]) for pk, run in done.items()]
    newer = dict(zip(done, count_newer_each(asked), strict=True))
    return {pk: Standing(done.get(pk), newest.get(pk), newer.get(pk, 0)) for pk in pks}


def votes_note(standing: Standing[VoteRun]) -> str:
    """What has changed since the votes were counted, as a sentence to print with their verdicts; "" for nothing."""
    return f"The votes were counted before {standing.since}." if standing.is_stale else ""


def votes_in(campaign: Campaign, labels: LabelTable, voters: str) -> LabelTable:
    """Those of the labels that have a vote where `voters` vote."""
    entitled = campaign.annotators.filter(has_vote(voters))
    return labels.of_annotators(list(entitled.values_list("pk", flat=True)))

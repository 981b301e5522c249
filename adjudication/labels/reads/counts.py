"""Counts of votes: the newest of a campaign, what is newer than it, and whose labels had a vote in it."""

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import JobState
from adjudication.labels.reads.ballots import KINDS
from adjudication.labels.reads.staleness import count_newer, newer_judgments
from adjudication.models import Method, Verdict, Voters, VoteRun
from annotation.campaigns.reads.overrides import Override, overrides_in
from annotation.models import Campaign


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


@dataclass(frozen=True)
class VoteStanding:
    """Where a campaign's vote stands: the newest finished one, the newest job, answers since the former."""

    run: VoteRun | None
    job: VoteRun | None
    newer: int

    @property
    def is_stale(self) -> bool:
        return self.newer > 0

    @property
    def since(self) -> str:
        """The labels that came after the count, in words."""
        return newer_judgments(self.newer)


def fetch_vote_standing(campaign: Campaign) -> VoteStanding:
    """The newest count of votes that ended, the newest of all, and how many votes have changed since the former.

    Labels of those who have no vote in it change nothing.
    """
    runs = VoteRun.objects.filter(campaign=campaign).order_by("-pk")
    newest = runs.first()  # first: one that ends now is then shown as running, and the page looks again
    done = runs.filter(state=JobState.DONE).first()
    newer = count_newer(campaign, done.snapshot, kinds=KINDS[done.voters]) if done else 0
    return VoteStanding(done, newest, newer)


def count_short(run: VoteRun | None) -> int:
    """How many items the newest count left unresolved because they had fewer votes than it asked for."""
    if run is None or not run.counts.get("unresolved"):
        return 0
    unresolved = Verdict.objects.filter(criterion__campaign=run.campaign_id, method=Method.UNRESOLVED)
    return unresolved.filter(n_votes__lt=run.min_votes).count()

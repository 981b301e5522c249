"""What the newest count of votes left undecided because there were too few, and what helps."""

from dataclasses import dataclass

from django.db.models import Count, Max

from accounts.doors import where
from adjudication.models import Method, Verdict, VoteRun
from annotation.models import Criterion


@dataclass(frozen=True)
class TooFew:
    """`items` of the count `run` have fewer votes than it asked for, none of them more than `most`."""

    run: VoteRun | None
    items: int = 0
    most: int = 0

    def __str__(self) -> str:
        """The number and the remedy, with the place of the present door; "" where every item has enough."""
        if self.run is None or not self.items:
            return ""
        items = "1 item has" if self.items == 1 else f"{self.items:,} items have"
        votes = "1 vote" if self.run.min_votes == 1 else f"{self.run.min_votes} votes"
        stays = "stays" if self.items == 1 else "stay"
        return f"{items} fewer than {votes} and {stays} undecided. {self._remedy(self.run)}."

    def _remedy(self, run: VoteRun) -> str:
        if not self.most:
            return "Collect more judgments"
        names = run.campaign.collection.slug, run.campaign.slug
        return where(
            "Collect more judgments, or count with fewer votes",
            page=f"under “Rules of the vote”, set “Fewest votes” to {self.most}",
            rest="POST /api/collections/{}/campaigns/{}/votes/ with min_votes {}".format(*names, self.most),
            command="adjudicate {} {} --min-votes {}".format(*names, self.most),
        )


def too_few_votes(run: VoteRun | None, criterion: Criterion | None = None) -> TooFew:
    """Of the newest finished count of a campaign, as its verdicts stand now, or those of one criterion.

    At most one query.
    """
    if run is None or not run.counts.get("unresolved"):
        return TooFew(run)
    unresolved = Verdict.objects.filter(criterion__campaign=run.campaign_id, method=Method.UNRESOLVED)
    if criterion is not None:
        unresolved = unresolved.filter(criterion=criterion)
    found = unresolved.filter(n_votes__lt=run.min_votes).aggregate(
        items=Count("item", distinct=True), most=Max("n_votes", default=0)
    )
    return TooFew(run, **found)

"""By votes: each item has a value for each criterion, and where votes tie a person decides."""

from collections.abc import Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from accounts import jobs
from accounts.models import User
from adjudication.agreement.requests import request_vote
from adjudication.labels.counts import newest_counts, overrides_in_verdicts
from adjudication.labels.queue import count_some_of_queue, needs_decision
from adjudication.labels.too_few import too_few_votes
from adjudication.models import Method, Verdict, VoteRun
from adjudication.procedure import Procedure
from adjudication.verdicts.decisions import decide_verdict
from adjudication.verdicts.forms import VerdictDecisionForm
from annotation.campaigns.progress import large_counts
from annotation.campaigns.unjudged import labels_shown_to
from annotation.models import Campaign, Criterion
from corpus.long_lists import MOST_COUNTED
from engines.stats.policies import VOTE_POLICIES


def count_votes(campaign: Campaign, *, policy: str, **rules: Any) -> tuple[str, dict[str, Any]]:
    """Count the votes of the campaign now. Errors: Refused where they cannot be counted."""
    run = request_vote(campaign=campaign, by=None, at=timezone.now(), send=False, **rules)
    jobs.complete(run)
    overrides = overrides_in_verdicts(campaign)
    too_few = too_few_votes(run)
    lines = [*_outcomes(f"{VOTE_POLICIES[policy].label.capitalize()} vote, {run.least} an item", run)]
    lines += filter(None, [str(too_few)])
    lines += [f"Note: {each.text}" for each in overrides]
    found = {
        **run.counts,
        "min_votes": run.min_votes,
        "too_few_votes": too_few.items,
        "advice": str(too_few),
        "criteria": run.detail,
        "machine_overrides": [each.as_json() for each in overrides],
    }
    return "\n".join(lines), found


def _outcomes(rules: str, run: VoteRun) -> Iterator[str]:
    """What came of the count; of several criteria, a line for each."""
    if len(run.detail) < 2 or not run.outcomes:
        yield f"{rules}: {run.outcomes or 'no item has a vote'}."
        return
    yield f"{rules}:"
    for criterion in run.campaign.criteria.values_list("key", flat=True):
        yield f"  {criterion}: {run.outcomes_of(criterion) or 'no item has a vote'}"


def open_verdicts(collections: QuerySet[Any], user: User) -> Iterator[tuple[Campaign, int]]:
    """Campaigns with verdicts that need a decision, and how many. Five queries.

    In a large campaign each criterion takes some more, and MOST_COUNTED + 1 stands for any more.
    """
    runs = newest_counts(Campaign.objects.filter(collection__in=collections))
    if not runs:
        return
    large = {each.campaign_id for each in large_counts(run.campaign_id for run in runs)}
    counts = {run.campaign_id: _open_in(run) for run in runs if run.campaign_id in large}
    if waits := [needs_decision(run) for run in runs if run.campaign_id not in large]:
        counted = Verdict.objects.filter(reduce(or_, waits)).values("item__campaign").annotate(count=Count("pk"))
        counts |= dict(counted.values_list("item__campaign", "count"))
    counts = {campaign: count for campaign, count in counts.items() if count}
    if not counts:
        return
    campaigns = labels_shown_to(user, Campaign.objects.filter(pk__in=counts))
    for campaign in campaigns.select_related("collection"):
        yield campaign, counts[campaign.pk]


def _open_in(run: VoteRun) -> int:
    criteria = Criterion.objects.filter(campaign=run.campaign_id)
    return sum(count_some_of_queue(criterion, run=run, names=["open"])["open"] for criterion in criteria)


def decided_verdicts(campaigns: Sequence[Campaign]) -> dict[int, tuple[int, int]]:
    """Of the values that the last count of votes and decisions since then are about."""
    found = Verdict.objects.filter(criterion__campaign__in=campaigns).order_by().values("criterion__campaign")
    counts = found.annotate(all=Count("pk"), open=Count("pk", filter=Q(method=Method.UNRESOLVED)))
    return {pk: (n - n_open, n) for pk, n, n_open in counts.values_list("criterion__campaign", "all", "open")}


def _waits(count: int) -> str:
    items = "item" if count == 1 else "items"
    many = f"more than {MOST_COUNTED:,}" if count > MOST_COUNTED else f"{count:,}"
    return f"The votes leave {many} {items} open: ties, and decisions that newer votes have reopened."


VOTES = Procedure(
    by_majority=count_votes,
    waiting=open_verdicts,
    waits=_waits,
    decided=decided_verdicts,
    ballot="adjudication/procedures/_ballot.html",
    decision="adjudication/procedures/_levels.html",
    form=VerdictDecisionForm,
    decide=decide_verdict,
)

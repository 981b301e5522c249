"""What waits for an adjudicator, over all their collections."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Count, Exists, OuterRef, QuerySet

from accounts.models import User
from adjudication.models import Verdict
from adjudication.queries.papers import count_waiting
from adjudication.queries.queue import needs_decision, newest_counts
from annotation.models import Campaign, CampaignKind, Extraction, ExtractionSource, ExtractionState
from annotation.permissions.seals import sealed_by
from annotation.queries.unjudged import campaigns_hidden_from
from corpus.models import Membership, Role


@dataclass(frozen=True)
class Waiting:
    """A campaign with `count` items (papers where `is_of_papers`) that need a decision by hand."""

    campaign: Campaign
    count: int

    @property
    def is_of_papers(self) -> bool:
        return self.campaign.kind == CampaignKind.EXTRACTION


def waiting_for(user: User) -> list[Waiting]:
    """Campaigns whose verdicts or papers the person may decide and that need it: most first.

    Campaigns in which they have something to judge themselves are left out: they judge first.
    """
    deciding = Membership.objects.filter(user=user, role__in=[Role.MANAGER, Role.ADJUDICATOR]).values("collection")
    counts = _count_verdicts(deciding)
    campaigns = _judged_through(Campaign.objects.filter(pk__in=counts), user).select_related("collection")
    found = [Waiting(campaign, counts[campaign.pk]) for campaign in campaigns]
    found += [Waiting(campaign, count) for campaign, count in _papers(deciding, user)]
    return sorted(found, key=lambda each: (-each.count, each.campaign.name))


def _count_verdicts(collections: QuerySet[Any]) -> dict[int, int]:
    """{campaign id: verdicts that need a decision}, only campaigns that have any. Two queries."""
    runs = newest_counts(Campaign.objects.filter(collection__in=collections))
    if not runs:
        return {}
    waits = reduce(or_, (needs_decision(run) for run in runs))
    counted = Verdict.objects.filter(waits).values("item__campaign").annotate(count=Count("pk"))
    return dict(counted.values_list("item__campaign", "count"))


def _papers(collections: QuerySet[Any], user: User) -> Iterator[tuple[Campaign, int]]:
    """Extraction campaigns with papers to adjudicate, and how many."""
    finished = Extraction.objects.filter(
        assignment__item__campaign=OuterRef("pk"), source=ExtractionSource.ANNOTATOR, state=ExtractionState.FINISHED
    )
    campaigns = Campaign.objects.filter(Exists(finished), kind=CampaignKind.EXTRACTION, collection__in=collections)
    for campaign in _judged_through(campaigns, user).select_related("collection"):
        if sealed_by(campaign) is None and (count := count_waiting(campaign)):
            yield campaign, count


def _judged_through(campaigns: QuerySet[Campaign], user: User) -> QuerySet[Campaign]:
    """Without those whose labels stay hidden from the person, who has something to judge still."""
    return campaigns.exclude(pk__in=campaigns_hidden_from(user).values("pk"))

"""What waits for an adjudicator, over all their collections."""

from dataclasses import dataclass

from django.db.models import Count

from accounts.models import User
from adjudication.models import Verdict
from adjudication.queries.queue import NEEDS_DECISION
from annotation.models import Campaign
from annotation.permissions.labels import has_items_left
from corpus.models import Membership, Role


@dataclass(frozen=True)
class Waiting:
    """A campaign with `count` verdicts that need a decision by hand."""

    campaign: Campaign
    count: int


def waiting_for(user: User) -> list[Waiting]:
    """Campaigns whose verdicts the person may decide and that need it: most first.

    Campaigns in which they have something to judge themselves are left out: they judge first.
    """
    deciding = Membership.objects.filter(user=user, role__in=[Role.MANAGER, Role.ADJUDICATOR]).values("collection")
    counted = (
        Verdict.objects.filter(NEEDS_DECISION, item__campaign__collection__in=deciding)
        .values("item__campaign")
        .annotate(count=Count("pk"))
        .values_list("item__campaign", "count")
    )
    counts = dict(counted)
    campaigns = Campaign.objects.filter(pk__in=counts).select_related("collection")
    found = [Waiting(campaign, counts[campaign.pk]) for campaign in campaigns if not has_items_left(campaign, user)]
    return sorted(found, key=lambda each: (-each.count, each.campaign.name))

"""What waits for a person, over all their collections."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Q
from django.utils.translation import gettext as _

from accounts.counting import numeral
from accounts.models import User
from annotation.campaigns.own_counts import own_counts, own_paces
from annotation.models import (
    Annotator,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Strategy,
    VotesSeen,
)
from corpus.long_lists import MOST_COUNTED


@dataclass(frozen=True)
class Work:
    """One open campaign for one person: `left` items may still be judged by them, `done` they have judged.

    `pace` is the median of seconds that their last answers took, None below three timed ones.
    `counted_at` is set where these are so many that they were not all counted now.
    """

    campaign: Campaign
    left: int
    done: int
    paused: bool
    counted_at: datetime | None = None
    is_queue: bool = False
    pace: float | None = None

    @property
    def total(self) -> int:
        return self.left + self.done

    @property
    def is_more(self) -> bool:
        """Whether `left` is so much that the rest of the queue was not counted."""
        return self.is_queue and self.left > MOST_COUNTED

    @property
    def left_text(self) -> str:
        return _("more than {most}").format(most=numeral(MOST_COUNTED)) if self.is_more else numeral(self.left)


def work_of(user: User) -> list[Work]:
    """The person's open campaigns in collections they are a member of, what they have begun first.

    Three queries, and one for each open queue.
    """
    annotators = list(
        Annotator.objects.filter(user=user, campaign__state=CampaignState.OPEN)
        .filter(campaign__collection__memberships__user=user)
        .exclude(state=AnnotatorState.REMOVED)
        .select_related("campaign__collection")
    )
    if not annotators:
        return []
    own, paces = own_counts(each.pk for each in annotators), own_paces(each.pk for each in annotators)
    work = [
        Work(
            campaign=annotator.campaign,
            left=own[annotator.pk].pending + (_free_items(annotator) if _is_queue(annotator) else 0),
            is_queue=_is_queue(annotator),
            done=own[annotator.pk].done,
            paused=annotator.state == AnnotatorState.PAUSED,
            counted_at=own[annotator.pk].counted_at,
            pace=paces.get(annotator.pk),
        )
        for annotator in annotators
    ]
    return sorted(work, key=lambda each: (each.paused, not each.left, not each.done, -each.left, each.campaign.name))


def _is_queue(annotator: Annotator) -> bool:
    return annotator.campaign.strategy == Strategy.QUEUE


def _free_items(annotator: Annotator) -> int:
    """Items of the open queue with a free slot that the annotator may still be given, up to MOST_COUNTED + 1.

    Those whose lease ended unanswered, as when a browser was left, are given again (open_queue.REVIVE), so they count.
    In the order of the queue, which an index has: distinct items are then found one after the other.
    """
    lapsed = Q(state=AssignmentState.WITHDRAWN, lease_expires_at__isnull=False)
    met = Assignment.objects.filter(~lapsed, item=OuterRef("item"), annotator=annotator)
    seen = VotesSeen.objects.filter(item=OuterRef("item"), user=annotator.user_id)
    free = Assignment.objects.filter(queue=annotator.campaign_id, state=AssignmentState.OPEN)
    items = free.exclude(Exists(met)).exclude(Exists(seen)).order_by("position", "item").values("position", "item")
    return items.distinct()[: MOST_COUNTED + 1].count()

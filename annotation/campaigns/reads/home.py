"""What waits for a person, over all their collections."""

from dataclasses import dataclass

from django.db.models import Count, Exists, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
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


@dataclass(frozen=True)
class Work:
    """One open campaign for one person: `left` items may still be judged by them, `done` they have judged."""

    campaign: Campaign
    left: int
    done: int
    paused: bool

    @property
    def total(self) -> int:
        return self.left + self.done


def work_of(user: User) -> list[Work]:
    """The person's open campaigns in collections they are a member of, what they have begun first. One query."""
    annotators = (
        Annotator.objects.filter(user=user, campaign__state=CampaignState.OPEN)
        .filter(campaign__collection__memberships__user=user)
        .exclude(state=AnnotatorState.REMOVED)
        .select_related("campaign__collection")
        .annotate(
            pending=_count(Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.PENDING)),
            done=_count(Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.DONE)),
            free=_free_items(),
        )
    )
    work = [
        Work(
            campaign=annotator.campaign,
            left=annotator.pending + (annotator.free if annotator.campaign.strategy == Strategy.QUEUE else 0),
            done=annotator.done,
            paused=annotator.state == AnnotatorState.PAUSED,
        )
        for annotator in annotators
    ]
    return sorted(work, key=lambda each: (each.paused, not each.left, not each.done, -each.left, each.campaign.name))


def _count(rows: QuerySet[Assignment]) -> Coalesce:
    """How many of these rows; zero where there are none."""
    counted = rows.order_by().annotate(one=F("annotator")).values("one").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def _free_items() -> Coalesce:
    """Items of the open queue with a free slot that the annotator has not met yet."""
    met = Assignment.objects.filter(item=OuterRef("item"), annotator=OuterRef(OuterRef("pk")))
    seen = VotesSeen.objects.filter(item=OuterRef("item"), user=OuterRef(OuterRef("user")))
    free = Assignment.objects.filter(queue=OuterRef("campaign"), state=AssignmentState.OPEN).exclude(Exists(met))
    free = free.exclude(Exists(seen))
    counted = free.order_by().values("queue").annotate(n=Count("item", distinct=True)).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)

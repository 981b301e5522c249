"""What a person still has to judge, or could still be given by an open queue (docs/adr/0011)."""

from django.db.models import Exists, OuterRef, Q, QuerySet

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


def campaigns_left_to(user: User) -> QuerySet[Campaign]:
    """Campaigns that are not closed in which the person still has something to judge, or could be given it by an open
    queue. One query."""
    pending, free = _pending(user), _free(user)
    left = Exists(pending.filter(annotator__campaign=OuterRef("pk"))) | Q(
        Exists(free.filter(queue=OuterRef("pk"))), strategy=Strategy.QUEUE
    )
    mine = _annotators(user).values("campaign")
    return Campaign.objects.exclude(state=CampaignState.CLOSED).filter(left, pk__in=mine)


def left_to(user: User, item: str) -> Q:
    """Whether the item that the field `item` of a row refers to is still to be judged by the person, or could be."""
    pending = _pending(user).exclude(annotator__campaign__state=CampaignState.CLOSED)
    queues = Q(queue__strategy=Strategy.QUEUE, queue__in=_annotators(user).values("campaign"))
    free = _free(user).filter(queues).exclude(queue__state=CampaignState.CLOSED)
    return Q(Exists(pending.filter(item=OuterRef(item)))) | Q(Exists(free.filter(item=OuterRef(item))))


def _annotators(user: User) -> QuerySet[Annotator]:
    return Annotator.objects.filter(user=user).exclude(state=AnnotatorState.REMOVED)


def _pending(user: User) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator__in=_annotators(user), state=AssignmentState.PENDING)


def _free(user: User) -> QuerySet[Assignment]:
    """Free places in open queues for items that the person has neither had nor seen the votes of."""
    had = Assignment.objects.filter(annotator__in=_annotators(user), item=OuterRef("item"))
    seen = VotesSeen.objects.filter(user=user, item=OuterRef("item"))
    return Assignment.objects.filter(state=AssignmentState.OPEN).exclude(Exists(had)).exclude(Exists(seen))


def has_items_left(campaign: Campaign, user: User) -> bool:
    """Whether the person has something to judge in the campaign still, or could be given it by its open queue."""
    return campaigns_left_to(user).filter(pk=campaign.pk).exists()

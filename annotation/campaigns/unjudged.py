"""What a person still has to judge, or could still be given by an open queue (docs/adr/0011)."""

from collections.abc import Iterable

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from accounts.models import User
from accounts.sql import query_rows
from annotation.models import (
    Annotator,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Item,
    Strategy,
    VotesSeen,
)


def judges_anywhere(user: User) -> bool:
    """Whether the person judges, or may be given something to judge, in any campaign. One query, a hundredth of what it
    takes to find out what they have left; nothing is hidden from those who do not.
    """
    return bool(query_rows(_one_place_to_judge, user.pk))


def _one_place_to_judge(user: int) -> QuerySet[Annotator, tuple[int]]:
    return _annotators(User(pk=user)).values_list("pk")[:1]


def campaigns_left_to(user: User) -> QuerySet[Campaign]:
    """Campaigns that are not closed in which the person still has something to judge, or could be given it by an open
    queue. One query."""
    # Of the person's few annotators the first free place in the order of the queue, which its index finds at once:
    # asked whether there is one, PostgreSQL may read all assignments (900 ms with 100,000 items in a queue).
    had = Assignment.objects.filter(annotator=OuterRef(OuterRef("pk")), item=OuterRef("item"))
    free = _free(user, had).filter(queue=OuterRef("campaign"), queue__strategy=Strategy.QUEUE)
    first = Subquery(free.order_by("position").values("pk")[:1])
    pending = Assignment.objects.filter(annotator=OuterRef("pk"), state=AssignmentState.PENDING)
    left = _annotators(user).alias(first=first).filter(Q(Exists(pending)) | Q(first__isnull=False))
    return Campaign.objects.exclude(state=CampaignState.CLOSED).filter(pk__in=left.values("campaign"))


def campaigns_left_in(campaigns: Iterable[int], user: User) -> QuerySet[Campaign]:
    """Those of `campaigns_left_to` because of which the labels of `campaigns` stay hidden from the person: each that is
    among them, and each in which they have the same item left that one of `campaigns` judges too. One query."""
    pks = list(campaigns)
    # Texts belong to a collection, so what is left elsewhere is never the same: the items there are not looked at.
    near = Q(collection__in=Campaign.objects.filter(pk__in=pks).values("collection"))
    twins = _twins().filter(campaign__in=pks)
    left = Item.objects.filter(left_to(user, "pk"), Exists(twins), campaign=OuterRef("pk"))
    return campaigns_left_to(user).filter(Q(pk__in=pks) | near & Exists(left))


def left_by_campaign(campaigns: Iterable[int], user: User) -> dict[int, list[int]]:
    """{id of each of these campaigns whose labels stay hidden from the person: ids of `campaigns_left_in` it}. One
    query."""
    twins = _twins().filter(campaign=OuterRef(OuterRef(OuterRef("pk"))))
    same = Item.objects.filter(left_to(user, "pk"), Exists(twins), campaign=OuterRef("pk"))
    near = Q(collection=OuterRef("collection"))
    left = campaigns_left_to(user).filter(Q(pk=OuterRef("pk")) | near & Exists(same)).order_by("name").values("pk")
    found = Campaign.objects.filter(pk__in=list(campaigns)).annotate(left=ArraySubquery(left))
    return {pk: pks for pk, pks in found.values_list("pk", "left") if pks}


def names_left_in(campaigns: Iterable[int], user: User) -> list[str]:
    """The names of `campaigns_left_in`, in their order. One query."""
    return [name for (name,) in query_rows(_names_left_in, user.pk, *dict.fromkeys(campaigns))]


def _names_left_in(user: int, *campaigns: int) -> QuerySet[Campaign, tuple[str]]:
    return campaigns_left_in(campaigns, User(pk=user)).order_by("name").values_list("name")


def campaigns_hidden_from(user: User) -> QuerySet[Campaign]:
    """Campaigns whose labels stay hidden from the person for now: the other way round of `campaigns_left_in`."""
    left = campaigns_left_to(user)
    twins = _twins().filter(left_to(user, "pk"))
    shared = Item.objects.filter(Exists(twins), campaign=OuterRef("pk"))
    near = Q(collection__in=left.values("collection"))
    return Campaign.objects.filter(Q(pk__in=left.values("pk")) | near & Exists(shared))


def labels_shown_to(user: User, campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    """Without those whose labels stay hidden from the person, who has something to judge still. One query now, two for
    those who judge."""
    if not judges_anywhere(user):
        return campaigns
    return campaigns.exclude(pk__in=[pk for (pk,) in query_rows(_ids_hidden_from, user.pk)])


def _ids_hidden_from(user: int) -> QuerySet[Campaign, tuple[int]]:
    return campaigns_hidden_from(User(pk=user)).values_list("pk")


def left_to(user: User, item: str) -> Q:
    """Whether the item that the field `item` of a row refers to is still to be judged by the person, or could be."""
    pending = _pending(user).exclude(annotator__campaign__state=CampaignState.CLOSED)
    queues = Q(queue__strategy=Strategy.QUEUE, queue__in=_annotators(user).values("campaign"))
    had = Assignment.objects.filter(annotator__in=_annotators(user), item=OuterRef("item"))
    free = _free(user, had).filter(queues).exclude(queue__state=CampaignState.CLOSED)
    return Q(Exists(pending.filter(item=OuterRef(item)))) | Q(Exists(free.filter(item=OuterRef(item))))


def items_hidden_from(user: User) -> QuerySet[Item]:
    """Items about which nothing that others say may be shown to the person: they have them to judge still, or what
    the same is asked about in another campaign. Narrow it to a few items before it is evaluated.
    """
    return Item.objects.filter(Exists(_twins().filter(left_to(user, "pk"))))


def _twins() -> QuerySet[Item]:
    """Items that ask about what the outer query's item asks about: the same question, paper or (topic, document). An
    aspect and the topic as a whole count as the same, two aspects do not. Equations, so that PostgreSQL can hash them.
    """
    parts = ("topic", "document", "paper")
    equal = {f"{part}_or_0": Coalesce(OuterRef(part), 0) for part in parts}
    same_aspect = Q(aspect=None) | Q(aspect=Coalesce(OuterRef("aspect"), F("aspect")))
    return Item.objects.alias(**{f"{part}_or_0": Coalesce(part, 0) for part in parts}).filter(same_aspect, **equal)


def _annotators(user: User) -> QuerySet[Annotator]:
    return Annotator.objects.filter(user=user).exclude(state=AnnotatorState.REMOVED)


def _pending(user: User) -> QuerySet[Assignment]:
    return Assignment.objects.filter(annotator__in=_annotators(user), state=AssignmentState.PENDING)


def _free(user: User, had: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Free places in open queues for items that the person has neither had nor seen the votes of."""
    # What they gave back unseen, or too late, is given to them again.
    had = had.exclude(state=AssignmentState.WITHDRAWN, lease_expires_at__isnull=False)
    seen = VotesSeen.objects.filter(user=user, item=OuterRef("item"))
    free = Assignment.objects.filter(state=AssignmentState.OPEN)
    return free.exclude(Exists(had)).exclude(Exists(seen))

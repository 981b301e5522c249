"""Campaigns of a collection: finding one, listing them, their criteria, what they have and lack."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from django.db.models import Case, Exists, F, IntegerField, OuterRef, Q, QuerySet, When
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, Coalesce
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.audit import record_event
from accounts.counting import day, numeral
from accounts.models import User
from accounts.refusals import Reason, Refused
from accounts.sql import count_of
from annotation.campaigns import progress
from annotation.campaigns.own_counts import own_in_campaigns
from annotation.models import (
    Annotator,
    AnnotatorKind,
    AnnotatorState,
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Item,
    Judgment,
    Strategy,
    Submission,
)
from corpus.collections.collections import collection_with
from corpus.collections.rules import can_oversee
from corpus.models import Collection, Membership, Topic
from corpus.topics.reviews import not_approved
from engines.definitions.drafts import CriterionDraft, LevelDraft

FILLED_AT_ONCE = 20_000  # items of an open queue


@dataclass(frozen=True, slots=True)
class Readiness:
    """What a campaign has of what it needs to be opened. `slots`: somebody is assigned, or a slot is free to take;
    `fills`: it is an open queue that is filled when it is opened, which takes no longer than a person waits;
    `annotators`: how many people judge in it."""

    has_guideline: bool
    items: bool
    annotators: int
    slots: bool
    fills: bool


def fetch_campaign(membership: Membership, slug: str) -> Campaign:
    """The campaign of the member's collection, its collection loaded; Http404 where there is none."""
    campaign = get_object_or_404(Campaign, collection=membership.collection_id, slug=slug)
    campaign.collection = membership.collection
    return campaign


def campaigns_for(membership: Membership) -> QuerySet[Campaign]:
    """Campaigns the member may see, newest first, with `items_count` and `done` (judgments that count).

    An annotator sees those they judge in, and both count their own assignments. `counted_at` says when they were
    counted, where that was not now.
    """
    campaigns = visible_campaigns([membership]).order_by("-id")
    if can_oversee(membership):
        # By annotator, not by item: small campaigns next to a large one are then counted by an index.
        counted = Assignment.objects.filter(annotator__campaign=OuterRef("pk"), slot__isnull=False)
        items = Item.objects.filter(campaign=OuterRef("pk"))
        done = counted.filter(state=AssignmentState.DONE)
        return campaigns.annotate(
            items_count=_counted_or(count_of(items), "items"),
            done=_counted_or(count_of(done), "judgments"),
            counted_at=Case(When(_is_large(), then=F("work_summary__counted_at"))),
        )
    return campaigns.annotate(**own_in_campaigns(membership.user_id))


def visible_campaigns(memberships: Sequence[Membership]) -> QuerySet[Campaign]:
    """Campaigns that one person with these memberships may see: overseers all, annotators those they judge in."""
    overseen = Q(collection__in=[each.collection_id for each in memberships if can_oversee(each)])
    joined = Q(collection__in=[each.collection_id for each in memberships])
    judges = Annotator.objects.filter(campaign=OuterRef("pk"), user__in={each.user_id for each in memberships})
    return Campaign.objects.filter(overseen | (joined & Q(Exists(judges.exclude(state=AnnotatorState.REMOVED)))))


def fetch_readiness(campaign: Campaign) -> Readiness:
    """What the campaign has already. One query."""
    here = Annotator.objects.filter(campaign=OuterRef("pk"))
    people = here.filter(state=AnnotatorState.ACTIVE, kind=AnnotatorKind.HUMAN)
    slots = Assignment.objects.filter(item__campaign=campaign, slot__isnull=False)
    found = Campaign.objects.filter(pk=campaign.pk).values_list(
        Exists(campaign.guidelines.all()),
        Exists(campaign.items.all()),
        count_of(people),
        Exists(slots),
        Exists(campaign.items.all()[FILLED_AT_ONCE:]),
    )
    guideline, items, annotators, assigned, is_large = found.get()
    fills = campaign.for_what.is_practice or (campaign.strategy == Strategy.QUEUE and not is_large)
    return Readiness(guideline, items, annotators, assigned, fills)


def is_filled_at_opening(campaign: Campaign) -> bool:
    """Whether it is a draft whose items are given out when it is opened, so that nobody has to plan."""
    gives_all = campaign.for_what.is_practice
    if campaign.state != CampaignState.DRAFT or not (gives_all or campaign.strategy == Strategy.QUEUE):
        return False
    ready = fetch_readiness(campaign)
    return ready.fills and not ready.slots


def giving_out(campaign: Campaign, count: int) -> str:
    """What gives `count` new places of the campaign to people, in a sentence."""
    them = "it" if count == 1 else "them"
    if is_filled_at_opening(campaign):
        return f"Opening the campaign gives {them} out."
    if campaign.strategy == Strategy.QUEUE:
        return f"Plan the assignment to put {them} in the open queue."
    return f"Plan the assignment to give {them} out."


def count_unreviewed(campaign: Campaign) -> int:
    """How many complex queries among the campaign's topics no second person has approved as they are now."""
    return not_approved(Topic.objects.filter(pk__in=campaign.items.values("topic"))).count()


def topics_of(campaign: Campaign) -> QuerySet[Topic]:
    """Topics with items in the campaign, in their order: a look-up for each topic, however many items there are."""
    items = Item.objects.filter(campaign=campaign, topic=OuterRef("pk"))
    return Topic.objects.filter(Exists(items), collection=campaign.collection_id)


def record_change(campaign: Campaign, by: User | None, at: datetime, verb: str, **data: Any) -> None:
    """Keep in the audit log of the collection that this was done to the campaign."""
    record_event(by=by, at=at, verb=verb, target=campaign, scope=campaign.collection, campaign=campaign.slug, **data)


def has_submissions(campaign: Campaign) -> bool:
    return Submission.objects.filter(assignment__item__campaign=campaign).exists()


def _counted_or(live: Coalesce, key: str) -> Case:
    """What the job counted, for campaigns that are too large to be counted live."""
    stored = Cast(KeyTextTransform(key, "work_summary__progress"), IntegerField())
    return Case(When(_is_large(), then=stored), default=live)


def _is_large() -> Q:
    return Q(work_summary__progress__size__gt=progress.LIVE_MOST)


def campaign_with(slug: str, campaign: str) -> Campaign:
    """The collection's campaign of this short name, for commands; raises Refused naming those there are."""
    collection = collection_with(slug)
    found = Campaign.objects.select_related("collection").filter(collection=collection, slug=campaign).first()
    if found is None:
        others = ", ".join(collection.campaigns.order_by("slug").values_list("slug", flat=True))
        raise Refused(f"There is no campaign {campaign} in {slug}." + (f" There are: {others}." if others else ""))
    return found


def why_cannot_archive_open_campaigns(collection: Collection) -> list[Reason]:
    """Why the collection cannot be archived yet: each of its open campaigns, with its page."""
    campaigns = collection.campaigns.filter(state=CampaignState.OPEN).order_by("name")
    return [
        Reason(
            f"Close the campaign “{one}” first.",
            f"Go to campaign “{one}”",
            "campaign_detail",
            collection.slug,
            one.slug,
        )
        for one in campaigns
    ]


def drafts_of(campaign: Campaign) -> tuple[CriterionDraft, ...]:
    """The campaign's criteria as they are stored. Two queries."""
    return tuple(
        CriterionDraft(
            key=criterion.key,
            label=criterion.label,
            question=criterion.question,
            scale=criterion.scale,
            levels=tuple(
                LevelDraft(level.value, level.label, level.definition, level.example, tuple(level.reasons))
                for level in criterion.levels.all()
            ),
        )
        for criterion in campaign.criteria.prefetch_related("levels")
    )


def has_judgments(campaign: Campaign) -> bool:
    return Judgment.objects.filter(assignment__item__campaign=campaign).exists()


def deadline_words(campaign: Campaign, today: date) -> str:
    """The last day to judge and how far away it is; "" without a deadline and once the campaign is closed.

    A deadline informs; nothing is locked after it.
    """
    if campaign.deadline is None or campaign.state == CampaignState.CLOSED:
        return ""
    return _("Judge until {day} ({distance})").format(
        day=day(campaign.deadline), distance=_distance((campaign.deadline - today).days)
    )


def _distance(days: int) -> str:
    if days in (0, 1):
        return (_("today"), _("tomorrow"))[days]
    if days < 0:
        return ngettext("{count} day ago", "{count} days ago", -days).format(count=numeral(-days))
    return _("{count} days left").format(count=numeral(days))

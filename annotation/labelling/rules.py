"""Judge first, look afterwards: who may read the labels of others in a campaign (docs/adr/0011)."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.extensions import extensions
from accounts.models import AuditEvent, User
from accounts.refusals import NotAllowed, Reason
from annotation.campaigns.seals import check_not_sealed, sealed_in
from annotation.campaigns.unjudged import (
    campaigns_hidden_from,
    campaigns_left_in,
    judges_anywhere,
    left_by_campaign,
    names_left_in,
)
from annotation.models import Annotator, AnnotatorState, Campaign
from corpus.models import Collection, Role

LABEL_VERBS = frozenset(
    {"decide_reply", "decide_rewrite"}
)  # events whose particulars say what single items are labelled


class JudgeFirst(NotAllowed):
    """What the person asks for stays hidden while they have items to judge, whatever their role."""

    heading = "You still have items to judge"


def check_can_read_labels(campaign: Campaign, user: User) -> None:
    """Refuse to show labels, votes and verdicts to people who still have items to judge. Errors: NotAllowed.

    The role is checked elsewhere; this is for overseers who judge as well.
    """
    check_can_read_labels_of([campaign], user)


def check_can_read_labels_of(campaigns: Iterable[Campaign], user: User) -> None:
    """Refuse to show what is made of the labels of several campaigns. One query for people who judge nowhere,
    as most overseers; else two at most, and one more before a refusal. Errors: JudgeFirst.

    Also where the same item (question, document of a topic, paper) is left to the person in another campaign.
    """
    pks = [campaign.pk for campaign in campaigns]
    left = names_left_in(pks, user) if pks and judges_anywhere(user) else []
    if left:
        own = _own_to_manage(pks, user)
        raise JudgeFirst(Reason(_judge_first(left, may_leave=bool(own)), *own or ("Go to my work", "home")))


def _judge_first(names: Iterable[str], *, may_leave: bool) -> str:
    """Why labels are hidden from who has items left in the campaigns of these names, and what they can do."""
    way_out = "remove yourself from the campaign" if may_leave else "ask a manager to remove you from the campaign"
    return (
        f"You still have items to judge in {', '.join(names)}, so the labels of others stay hidden"
        f" from you: they could influence your judgments. Finish yours first, or {way_out}."
    )


def why_cannot_read_each(campaigns: Iterable[Campaign], user: User) -> dict[int, str]:
    """{id of a campaign: why the person may not read its labels now}, as `why_cannot_read_labels_of` says of each. One
    query for people who judge nowhere, four at most."""
    hidden = left_by_campaign([each.pk for each in campaigns], user) if judges_anywhere(user) else {}
    if not hidden:
        return {}
    left = Campaign.objects.filter(pk__in={pk for pks in hidden.values() for pk in pks})
    names = dict(left.values_list("pk", "name"))
    managed = set(_managed_by(user, left).values_list("pk", flat=True))
    return {
        pk: _judge_first([names[each] for each in pks], may_leave=not managed.isdisjoint(pks))
        for pk, pks in hidden.items()
    }


def _own_to_manage(campaigns: Iterable[int], user: User) -> tuple[str, ...]:
    """The link to the person's own page as an annotator, where they are the manager who can take them off."""
    managed = _managed_by(user, campaigns_left_in(campaigns, user))
    own = Annotator.objects.filter(user=user, campaign__in=managed).exclude(state=AnnotatorState.REMOVED)
    found = own.order_by("campaign__name").values_list("campaign__collection__slug", "campaign__slug", "pk").first()
    return ("Your page as an annotator", "annotator_edit", *map(str, found)) if found else ()


def _managed_by(user: User, campaigns: QuerySet[Campaign]) -> QuerySet[Campaign]:
    return campaigns.filter(collection__memberships__user=user, collection__memberships__role=Role.MANAGER)


def check_can_read_answers_of(by: User, person: User) -> None:
    """Every answer of a person is read by staff: the labels of all their campaigns. Errors: NotAllowed."""
    campaigns = list(Campaign.objects.filter(annotators__user=person).distinct())
    check_can_read_labels_of(campaigns, by)
    for campaign in campaigns:
        check_not_sealed(campaign)


def why_cannot_read_labels_of(campaigns: Iterable[Campaign], user: User) -> str:
    """Why the person may not read the labels of these campaigns now, or ""."""
    try:
        check_can_read_labels_of(campaigns, user)
    except NotAllowed as refusal:
        return refusal.reason
    return ""


def check_can_read_replies(campaign: Campaign, user: User) -> None:
    """What a machine said of single items is a label like any other, and so is what tells how people judge: judge
    first, and not while the campaign is sealed. Errors: NotAllowed.
    """
    check_not_sealed(campaign)
    check_can_read_labels(campaign, user)


def why_cannot_read_replies(campaign: Campaign, user: User) -> str:
    """Why the person may not read what machines said of single items now, or ""."""
    try:
        check_can_read_replies(campaign, user)
    except NotAllowed as refusal:
        return refusal.reason
    return ""


@dataclass(frozen=True)
class HiddenLabels:
    """Labels in a collection that a person may not read now: `reason` says why, "" where they may read all."""

    reason: str
    readable: frozenset[str]  # ids and slugs of the campaigns whose labels they may read

    def conceals(self, event: AuditEvent) -> bool:
        """Whether the event says how an item of a campaign that is not readable is labelled."""
        if not self.reason or not any(event.verb in verbs for verbs in extensions("label_verbs").values()):
            return False
        is_campaign = event.target_type == Campaign._meta.label_lower
        named = event.target_id if is_campaign else event.data.get("campaign")
        return named not in self.readable


def labels_hidden_in(collection: Collection, user: User) -> HiddenLabels:
    """What the audit log and the backup of a collection ask. Four queries where there are test campaigns, else two."""
    unjudged = {campaign.pk: campaign for campaign in campaigns_hidden_from(user).filter(collection=collection)}
    sealed = {campaign.pk: campaign for campaign in sealed_in(collection)}
    reason = ""
    if hidden := unjudged | sealed:
        names = ", ".join(sorted(str(campaign) for campaign in hidden.values()))
        why = ["you still have items to judge"] * bool(unjudged) + ["a test campaign is sealed"] * bool(sealed)
        reason = f"The labels of {names} stay hidden from you for now: {' and '.join(why)}."
    rest = collection.campaigns.exclude(pk__in=hidden).values_list("pk", "slug") if hidden else []
    return HiddenLabels(reason, frozenset(str(each) for pair in rest for each in pair))

"""Judge first, look afterwards: who may read the labels of others in a campaign (docs/adr/0011)."""

from collections.abc import Iterable

from accounts.models import User
from accounts.refusals import NotAllowed
from annotation.models import Campaign
from annotation.permissions.seals import check_not_sealed
from annotation.queries.unjudged import campaigns_left_to


def check_can_read_labels(campaign: Campaign, user: User) -> None:
    """Refuse to show labels, votes, verdicts and what is made of them to whoever is still to judge. Errors: NotAllowed.

    The role is checked elsewhere; this is for overseers who judge as well.
    """
    check_can_read_labels_of([campaign], user)


def check_can_read_labels_of(campaigns: Iterable[Campaign], user: User) -> None:
    """The same for what is made of the labels of several campaigns. One query. Errors: NotAllowed."""
    left = campaigns_left_to(user).filter(pk__in=[campaign.pk for campaign in campaigns])
    if names := ", ".join(map(str, left.order_by("name"))):
        raise NotAllowed(
            f"You still have items to judge in {names}, so the labels of others stay hidden from you: what you see"
            " could sway what you judge. Finish yours first, or have a manager take you off the campaign."
        )


def hindrance_to_labels_of(campaigns: Iterable[Campaign], user: User) -> str:
    """Why the person may not read the labels of these campaigns now, or ""."""
    try:
        check_can_read_labels_of(campaigns, user)
    except NotAllowed as refusal:
        return refusal.reason
    return ""


def check_can_read_replies(campaign: Campaign, user: User) -> None:
    """What a machine said of single items is a label like any other: judge first, and not while the campaign is
    sealed. Errors: NotAllowed.
    """
    check_not_sealed(campaign)
    check_can_read_labels(campaign, user)


def hindrance_to_replies(campaign: Campaign, user: User) -> str:
    """Why the person may not read what machines said of single items now, or ""."""
    try:
        check_can_read_replies(campaign, user)
    except NotAllowed as refusal:
        return refusal.reason
    return ""

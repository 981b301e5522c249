"""Judge first, look afterwards: who may read the labels of others in a campaign (docs/adr/0011)."""

from accounts.models import User
from accounts.refusals import NotAllowed
from annotation.models import AnnotatorState, Assignment, AssignmentState, Campaign, CampaignState, Strategy, VotesSeen
from annotation.permissions.seals import check_not_sealed


def has_items_left(campaign: Campaign, user: User) -> bool:
    """Whether the person has something to judge in the campaign still, or could be given it by its open queue."""
    if campaign.state == CampaignState.CLOSED:
        return False
    mine = campaign.annotators.filter(user=user).exclude(state=AnnotatorState.REMOVED).first()
    if mine is None:
        return False
    if Assignment.objects.filter(annotator=mine, state=AssignmentState.PENDING).exists():
        return True
    if campaign.strategy != Strategy.QUEUE:
        return False
    had = Assignment.objects.filter(annotator=mine).values("item")
    seen = VotesSeen.objects.filter(user=user).values("item")
    free = Assignment.objects.filter(queue=campaign, state=AssignmentState.OPEN)
    return free.exclude(item__in=had).exclude(item__in=seen).exists()


def check_can_read_labels(campaign: Campaign, user: User) -> None:
    """Refuse to show labels, votes, verdicts and what is made of them to whoever is still to judge. Errors: NotAllowed.

    The role is checked elsewhere; this is for overseers who judge as well.
    """
    if has_items_left(campaign, user):
        raise NotAllowed(
            f"You still have items to judge in {campaign}, so the labels of others stay hidden from you: what you see"
            " could sway what you judge. Finish yours first, or have a manager take you off the campaign."
        )


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

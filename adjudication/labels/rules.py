"""Who may compute, decide and export. Annotators never see labels of others, agreement or verdicts: 403 everywhere."""

from collections.abc import Iterable, Sequence

from django.db.models import Exists, OuterRef

from accounts.models import User
from accounts.refusals import NotAllowed, Refused, refusal_reason
from adjudication.models import OwnDecider
from annotation.campaigns.seals import check_not_sealed, seals_of, why_sealed
from annotation.labelling.rules import check_can_read_labels_of, why_cannot_read_each, why_cannot_read_labels_of
from annotation.models import Assignment, AssignmentState, Campaign
from corpus.collections.rules import DECIDE, can_manage, check_can_oversee, check_not_archived, check_role
from corpus.models import Collection, Membership

# As in annotation/labelling/rules.py. The last four of the first line name no value, but their target did until
# November 2026. The others say what a test of a machine on the labels has shown.
LABEL_VERBS = frozenset(
    {"decide_verdict", "withdraw_decision", "open_item", "open_own_item", "send_back_item", "recall_item"}
    | {"decide_cycle", "override_test", "correct_machine_label", "undo_correction"}
)


def fetch_role(collection: Collection, by: User) -> Membership:
    """The person's membership of the collection; NotAllowed for outsiders."""
    membership = collection.memberships.select_related("collection", "user").filter(user=by).first()
    if membership is None:
        raise NotAllowed(f"You are not a member of {collection}.")
    return membership


def check_can_adjudicate(membership: Membership) -> None:
    """Managers and adjudicators compute agreement, count votes and decide."""
    check_role(membership, *DECIDE)


def fetch_adjudicator(collection: Collection, by: User) -> Membership:
    """The membership of who changes something. Errors: NotAllowed without the role, Conflict while archived."""
    membership = fetch_role(collection, by)
    check_can_adjudicate(membership)
    check_not_archived(collection)
    return membership


def check_adjudicator(collection: Collection, by: User | None) -> None:
    """Refuse as `fetch_adjudicator` does; the command line (None) is refused while the collection is archived."""
    if by is None:
        check_not_archived(collection)
    else:
        fetch_adjudicator(collection, by)


def check_can_decide(collection: Collection, item: int, by: User | None, *, override: bool) -> None:
    """Refuse also people who judged the item (its id) themselves, unless they may `override`."""
    if by is None:
        check_not_archived(collection)
    else:
        check_not_own_item(item, fetch_adjudicator(collection, by), override=override)


def can_adjudicate(membership: Membership) -> bool:
    """Whether what they do would be carried out now: an archived collection takes nothing."""
    return membership.role in DECIDE and membership.collection.archived_at is None


def check_can_take_out(membership: Membership, campaigns: Iterable[Campaign]) -> None:
    """Managers, adjudicators and viewers take exports; of labels only who has nothing left to judge in `campaigns`.

    These are the campaigns whose labels the file is made of, none for files without labels.
    """
    check_can_oversee(membership)
    check_can_read_labels_of(campaigns, membership.user)


def check_none_sealed(campaigns: Iterable[Campaign]) -> None:
    """No labels of a sealed test set (ADR 16) leave, whatever the reason. Errors: NotAllowed, for everyone."""
    for campaign in campaigns:
        check_not_sealed(campaign)


def why_labels_are_hidden(campaign: Campaign, user: User) -> str:
    """Why the labels of a campaign, and the figures made of them, are not shown to this person now, or ""."""
    return refusal_reason(check_not_sealed, campaign) or why_cannot_read_labels_of([campaign], user)


def why_each_is_hidden(campaigns: Sequence[Campaign], user: User) -> dict[int, str]:
    """{id of a campaign: why its labels are not shown to this person now}. One to five queries for all of them."""
    sealed = seals_of(campaigns)
    hidden = why_cannot_read_each(campaigns, user)
    return hidden | {each.pk: why_sealed(each, sealed[each.pk]) for each in campaigns if each.pk in sealed}


def why_cannot_take_out(membership: Membership, campaigns: Iterable[Campaign]) -> str:
    """Why the person may not take out what is made of the labels of these campaigns now, or ""."""
    try:
        check_can_take_out(membership, campaigns)
    except NotAllowed as refusal:
        return refusal.reason
    return ""


def judged_item(item: int, user: User) -> bool:
    """Whether the person judged this item (its id), or still has to."""
    states = [AssignmentState.PENDING, AssignmentState.DONE]
    return Assignment.objects.filter(item=item, annotator__user=user, state__in=states).exists()


OWN_ITEM = (
    "You judged this item yourself, or it is among those you still have to judge, so its votes are not shown to you."
    " Another adjudicator decides it."
)


def can_override_own(membership: Membership) -> bool:
    """Whether the person may decide an item that they judged, if they say so."""
    return can_manage(membership)


def is_alone(membership: Membership) -> bool:
    """Whether nobody else in the collection may decide."""
    others = Membership.objects.filter(collection=membership.collection_id, role__in=DECIDE)
    return not others.exclude(user=membership.user_id).exists()


def decides_own(item: int, user: User) -> bool:
    """Whether the person judged the item (its id), is the only one who decides, and has chosen to decide such items."""
    others = Membership.objects.filter(collection=OuterRef("campaign__collection"), role__in=DECIDE).exclude(user=user)
    chosen = OwnDecider.objects.filter(~Exists(others), campaign__items=item, user=user)
    return chosen.exists() and judged_item(item, user)


def check_not_own_item(item: int, membership: Membership, *, override: bool) -> None:
    """Nobody decides an item they judged, unless they manage the collection and say so; that is logged."""
    if not judged_item(item, membership.user):
        return
    if not can_override_own(membership):
        raise NotAllowed(OWN_ITEM)
    if not override and not decides_own(item, membership.user):
        raise Refused(f"{OWN_ITEM} As a manager you can override this; the audit log records it.")

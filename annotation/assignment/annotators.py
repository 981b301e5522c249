"""Annotators of a campaign: added, paused, removed, given another weight. No judgment is lost by any of it."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction

from accounts.doors import where
from accounts.models import User
from accounts.refusals import Conflict, Refused, taken_is_conflict
from annotation.assignment.assignments import lock_annotator, release
from annotation.campaigns.campaigns import record_change
from annotation.campaigns.rules import check_within
from annotation.models import Annotator, AnnotatorKind, AnnotatorState, Campaign
from corpus.collections.collections import open_invitations
from corpus.collections.rules import check_manager
from corpus.models import InvitedRole, Membership, Role
from engines.definitions.settings import ANNOTATOR_NAME, CAPACITY, MOST_PAID
from engines.planning.order import person_seed


@transaction.atomic
def add_members(*, campaign: Campaign, users: Sequence[User], by: User | None, at: datetime) -> list[Annotator]:
    """Let these members judge in the campaign; those who were taken off come back with what they had done.

    Members who are in it already are left as they are. Returns those added or brought back.
    Errors: Refused for people who are not members of the collection, and for viewers.
    """
    check_manager(campaign.collection, by)
    roles = dict(Membership.objects.filter(collection=campaign.collection, user__in=users).values_list("user", "role"))
    for user in users:
        _check_role(user, roles.get(user.pk), campaign)
    present = {each.user_id: each for each in campaign.annotators.select_for_update(no_key=True).filter(user__in=users)}
    added = []
    for user in sorted(
        set(users), key=lambda user: user.pk
    ):  # in one order, so that two requests do not lock each other
        annotator = present.get(user.pk)
        if annotator is None:
            try:
                added.append(_insert(campaign, at, name=_free_name(campaign, user), user=user))
            except Conflict:
                if not campaign.annotators.filter(user=user).exists():
                    raise
                # A request of the same moment has added them.
        elif annotator.state == AnnotatorState.REMOVED:
            added.append(_bring_back(annotator, campaign, user))
    if added:
        record_change(campaign, by, at, "add_annotators", annotators=[each.name for each in added])
    return added


def _bring_back(annotator: Annotator, campaign: Campaign, user: User) -> Annotator:
    annotator.state = AnnotatorState.ACTIVE
    if annotator.withdrew_at:  # their name was replaced then
        annotator.withdrew_at, annotator.name = None, _free_name(campaign, user)
    annotator.save(update_fields=["state", "withdrew_at", "name"])
    return annotator


@transaction.atomic
def add_members_by_email(
    *, campaign: Campaign, emails: Sequence[str], by: User | None, at: datetime
) -> list[Annotator]:
    """Add members, and people who are invited, by their e-mail addresses. Errors: Refused for addresses of nobody."""
    check_manager(campaign.collection, by)
    addresses = {email.strip().lower() for email in emails if email.strip()}
    users = list(User.objects.filter(email__in=addresses, memberships__collection=campaign.collection))
    others = addresses - {user.email for user in users}
    invited = list(open_invitations(campaign.collection).filter(invitation__email__in=others))
    missing = sorted(others - {each.invitation.email for each in invited})
    if missing:
        raise Refused(f"Not in the collection: {', '.join(missing)}. {_invite(campaign)}")
    added = add_members(campaign=campaign, users=users, by=by, at=at)
    return added + add_invited(campaign=campaign, invited=invited, by=by, at=at)


@transaction.atomic
def add_invited(
    *, campaign: Campaign, invited: Sequence[InvitedRole], by: User | None, at: datetime
) -> list[Annotator]:
    """Let people judge who are invited and have not joined yet: what they are given waits for them.

    Returns those added. Errors: Refused for viewers and for invitations of another collection or that are not open.
    """
    check_manager(campaign.collection, by)
    still_open = {each.pk: each for each in open_invitations(campaign.collection)}
    present = set(
        campaign.annotators.filter(invited__in=[each.pk for each in invited]).values_list("invited", flat=True)
    )
    added = []
    for each in sorted(invited, key=lambda one: one.pk):
        if each.pk not in still_open:
            raise Refused("This invitation is no longer open. Choose the person among the members, or invite again.")
        _check_role(each.invitation.email, each.role, campaign)
        if each.pk not in present:
            name = _free(campaign, [each.invitation.email, f"{each.invitation.email} (invited)"])
            added.append(_insert(campaign, at, name=name, invited=each))
    if added:
        record_change(campaign, by, at, "add_annotators", annotators=[each.name for each in added])
    return added


@transaction.atomic
def join_campaigns(membership: Membership, invited: InvitedRole, at: datetime) -> None:
    """Put somebody who has joined in the place of their invitation: what was assigned to it is theirs.

    Who may not judge, or judges there already, leaves the place: its items are free for others.
    """
    for annotator in _invited_annotators(invited):
        campaign, user = annotator.campaign, membership.user
        if membership.role == Role.VIEWER or campaign.annotators.filter(user=user).exists():
            _give_up_place(annotator, user, at)
            continue
        annotator.invited, annotator.user, annotator.name = None, user, _free_name(campaign, user)
        annotator.save(update_fields=["invited", "user", "name"])
        record_change(campaign, user, at, "join_campaign", annotator=annotator.name)


@transaction.atomic
def give_up_places(invited: InvitedRole, by: User, at: datetime) -> None:
    """An invitation that is revoked leaves all campaigns; what was assigned to it is free for others."""
    for annotator in _invited_annotators(invited):
        _give_up_place(annotator, by, at)


def _invited_annotators(invited: InvitedRole) -> list[Annotator]:
    locked = Annotator.objects.select_related("campaign__collection").select_for_update(of=("self",), no_key=True)
    return list(locked.filter(invited=invited).order_by("pk"))


def _give_up_place(annotator: Annotator, by: User, at: datetime) -> None:
    """Without a trace of the address but in the audit log: nothing can have been judged there."""
    withdrawn = release(annotator)
    record_change(annotator.campaign, by, at, "remove_annotator", annotator=annotator.name, withdrawn=withdrawn)
    annotator.assignments.all().delete()
    annotator.delete()


@transaction.atomic
def add_name(
    *,
    campaign: Campaign,
    name: str,
    by: User | None,
    at: datetime,
    kind: str = AnnotatorKind.HUMAN,
    model: str = "",
    run_number: int = 1,
) -> Annotator:
    """Add somebody who has no account, or a machine: their judgments come by import. Errors: Refused if taken."""
    check_manager(campaign.collection, by)
    if model.strip() and kind != AnnotatorKind.MACHINE:
        raise Refused("Only a machine has a model. Add it as a machine, or leave the model out.")
    annotator = _insert(campaign, at, name=name.strip(), kind=kind, model=model.strip(), run_number=run_number)
    record_change(campaign, by, at, "add_annotators", annotators=[annotator.name], kind=str(kind))
    return annotator


@transaction.atomic
def update_annotator(*, annotator: Annotator, by: User | None, at: datetime, **changes: Any) -> Annotator:
    """Change name, weight, capacity or rate of pay.

    Weight and capacity count from the next assignment on, the weight also from the next vote on; the rate for all work.

    Errors: Refused for a weight that is not positive or a name that is taken.
    """
    annotator = lock_annotator(annotator, by)
    before = {field: getattr(annotator, field) for field in changes}
    different = {field: value for field, value in changes.items() if before[field] != value}
    if not different:
        return annotator
    _check_values(different)
    for field, value in different.items():
        setattr(annotator, field, value)
    with taken_is_conflict(f"This campaign already has an annotator “{annotator.name}”."):
        annotator.save(update_fields=list(different))
    old = {field: before[field] for field in different}
    record_change(annotator.campaign, by, at, "update_annotator", annotator=annotator.name, before=old, after=different)
    return annotator


@transaction.atomic
def change_annotator(
    *, annotator: Annotator, by: User | None, at: datetime, state: str | None = None, **changes: Any
) -> Annotator:
    """All changes of `update_annotator` and the state in one step; what is left out stays. Errors: Refused, of each."""
    if changes:
        annotator = update_annotator(annotator=annotator, by=by, at=at, **changes)
    if state == AnnotatorState.REMOVED:
        remove_annotator(annotator=annotator, by=by, at=at)
    elif state is not None:
        change = pause_annotator if state == AnnotatorState.PAUSED else resume_annotator
        change(annotator=annotator, by=by, at=at)
    return lock_annotator(annotator, by)


@transaction.atomic
def pause_annotator(*, annotator: Annotator, by: User | None, at: datetime) -> Annotator:
    """Let the person judge nothing for now; what is assigned to them waits for them."""
    return _change_state(annotator, AnnotatorState.PAUSED, "pause_annotator", by, at)


@transaction.atomic
def resume_annotator(*, annotator: Annotator, by: User | None, at: datetime) -> Annotator:
    """Let a paused or removed annotator go on. What was withdrawn from them comes back only by a new plan."""
    return _change_state(annotator, AnnotatorState.ACTIVE, "resume_annotator", by, at)


@transaction.atomic
def remove_annotator(*, annotator: Annotator, by: User | None, at: datetime) -> int:
    """Remove the annotator from the campaign: what they have to do is withdrawn, what they did stays and counts.

    Returns how many assignments were withdrawn; their slots are free for others.
    """
    return _remove(lock_annotator(annotator, by), by, at)


@transaction.atomic
def remove_from_campaigns(membership: Membership, by: User, at: datetime) -> None:
    """Remove a member who leaves the collection, or no longer judges, from all its campaigns, finished ones too.

    Needs the right to end the membership, which the caller has checked.
    """
    theirs = Annotator.objects.filter(campaign__collection=membership.collection_id, user=membership.user_id)
    locked = theirs.select_related("campaign__collection").select_for_update(of=("self",), no_key=True)
    for annotator in locked.order_by("pk"):
        _remove(annotator, by, at)


def _remove(annotator: Annotator, by: User | None, at: datetime) -> int:
    if annotator.state == AnnotatorState.REMOVED:
        return 0
    withdrawn = release(annotator)
    annotator.state = AnnotatorState.REMOVED
    annotator.save(update_fields=["state"])
    record_change(annotator.campaign, by, at, "remove_annotator", annotator=annotator.name, withdrawn=withdrawn)
    return withdrawn


def _change_state(annotator: Annotator, state: AnnotatorState, verb: str, by: User | None, at: datetime) -> Annotator:
    annotator = lock_annotator(annotator, by)
    if annotator.state == state:
        return annotator
    if state == AnnotatorState.PAUSED and annotator.state == AnnotatorState.REMOVED:
        raise Refused(f"{annotator} was removed from this campaign, so they cannot be paused. Bring them back first.")
    if annotator.withdrew_at:
        raise Refused(f"{annotator} has withdrawn their consent. Add the person again once they want to take part.")
    annotator.state = state
    annotator.save(update_fields=["state"])
    record_change(annotator.campaign, by, at, verb, annotator=annotator.name)
    return annotator


def _insert(campaign: Campaign, at: datetime, *, name: str, **fields: Any) -> Annotator:
    _check_values({"name": name})
    try:
        with transaction.atomic():
            return Annotator.objects.create(
                campaign=campaign, name=name, created_at=at, order_seed=person_seed(campaign.seed, name), **fields
            )
    except IntegrityError as error:
        raise Conflict(f"This campaign already has an annotator “{name}”.") from error


def _check_values(values: dict[str, Any]) -> None:
    if "name" in values and ANNOTATOR_NAME.problem(values["name"]):
        raise Refused(f"An annotator's name has 1 to {ANNOTATOR_NAME.most} characters.")
    check_within(CAPACITY, values.get("capacity"))
    if not 0 <= (values.get("pay_rate") or 0) <= MOST_PAID:
        raise Refused(f"A rate of pay is a number from 0 to {MOST_PAID:,}.")
    if "weight" in values and not 0 < values["weight"] <= 1000:
        raise Refused("A weight is a number above 0 and at most 1000; 1 is the usual share.")


def _invite(campaign: Campaign) -> str:
    slug = campaign.collection.slug
    advice = where(
        "Invite them first",
        page="page “People” of the collection",
        rest=f"POST /api/collections/{slug}/invitations/",
        command=f"invite_people {slug} FILE --by EMAIL",
    )
    return f"{advice}."


def _check_role(user: User | str, role: str | None, campaign: Campaign) -> None:
    if role is None:
        raise Refused(f"{user} is not a member of {campaign.collection}. {_invite(campaign)}")
    if role == Role.VIEWER:
        raise Refused(f"{user} is a viewer. Viewers see all labels, so they cannot judge. Give them another role.")


def _free_name(campaign: Campaign, user: User) -> str:
    """The person's name, or their address where somebody else in the campaign has that name."""
    return _free(campaign, [str(user), user.email, f"{user.email} ({user.pk})"])


def _free(campaign: Campaign, names: Sequence[str]) -> str:
    """The first of these names that nobody in the campaign has; the last one if all are taken."""
    taken = set(campaign.annotators.filter(name__in=names).values_list("name", flat=True))
    return next((name for name in names if name not in taken), names[-1])[: ANNOTATOR_NAME.most]

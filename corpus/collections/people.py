"""Members of a collection: added, given another role, removed. A collection keeps at least one manager."""

from collections.abc import Callable
from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.models import User
from accounts.refusals import Conflict, taken_is_conflict
from corpus.collections.collections import count_managers
from corpus.collections.rules import check_can_change_role, check_can_manage, check_can_remove, check_not_archived
from corpus.models import Collection, Membership, Role

Farewell = Callable[[Membership, User, datetime], None]  # the membership as it was, who did it and when


@transaction.atomic
def add_member(
    *, by: User | None, at: datetime, collection: Collection, user: User, role: Role, membership: Membership | None
) -> Membership:
    """Add a person who has an account. `membership` is that of `by`; None with `by` None: the command line."""
    if membership is not None:
        check_can_manage(membership)
    check_not_archived(collection)
    with taken_is_conflict(f"{user} is in {collection} already. Change the role instead."):
        added = Membership.objects.create(collection=collection, user=user, role=role, created_at=at)
    record_event(by=by, at=at, verb="add_member", target=user, scope=collection, role=role.value)
    return added


@transaction.atomic
def change_role(*, by: User, at: datetime, membership: Membership, target: Membership, role: Role) -> None:
    """Give a member another role; refused where no manager would be left.

    A viewer sees everybody's labels and so no longer judges: what they still had to judge goes to others.
    """
    target = _locked(target)
    before = target.role
    check_can_change_role(membership, target, count_managers(target.collection), role)
    if before == role:
        return
    if role == Role.VIEWER:
        bid_farewell(target, by, at)
    target.role = role
    target.save(update_fields=["role"])
    record_event(
        by=by,
        at=at,
        verb="change_role",
        target=target.user,
        scope=target.collection,
        before=before,
        after=role.value,
    )


@transaction.atomic
def remove_member(*, by: User, at: datetime, membership: Membership, target: Membership) -> None:
    """Remove a member, or leave oneself; refused where no manager would be left.

    What the person judged stays and counts; what they still had to judge goes to others.
    """
    target = _locked(target)
    check_can_remove(membership, target, count_managers(target.collection))
    bid_farewell(target, by, at)
    record_event(by=by, at=at, verb="remove_member", target=target.user, scope=target.collection, role=target.role)
    target.delete()


def bid_farewell(target: Membership, by: User, at: datetime) -> None:
    """Let apps above act first, inside the transaction, when a member leaves or becomes a viewer."""
    farewells: dict[str, Farewell] = extensions("farewells")
    for farewell in farewells.values():
        farewell(target, by, at)


def _locked(target: Membership) -> Membership:
    """The membership as it is now, with its collection locked: two managers cannot both go at once."""
    Collection.objects.select_for_update().get(pk=target.collection_id)
    found = Membership.objects.select_related("user", "collection").filter(pk=target.pk).first()
    if found is None:
        raise Conflict("This person is no longer in the collection.")
    return found

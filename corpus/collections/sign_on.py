"""What an identity provider decides in collections: who was invited may come in, and groups that carry a role.

A collection that is named in the provider's `roles` takes the roles of the provider's people from their groups, at each
sign-in: given, changed, and taken away again. Other collections, and other people, are left alone.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from accounts.audit import record_event
from accounts.models import Invitation, User
from accounts.refusals import Refused
from accounts.sign_on.arriving import Arrival
from corpus.collections.collections import count_managers
from corpus.collections.people import add_member, bid_farewell
from corpus.collections.rules import check_not_archived, check_stays_managed
from corpus.models import Collection, Membership, Role


def is_invited(email: str) -> bool:
    """Whether a manager waits for this address."""
    waiting = Invitation.objects.filter(email=email, accepted_at__isnull=True, revoked_at__isnull=True)
    return waiting.filter(expires_at__gt=timezone.now()).exists()


def follow_groups(user: User, arrival: Arrival, at: datetime) -> None:
    """Give the person the roles of their groups; of several in one collection the first in the file."""
    wanted: dict[str, Role | None] = {}
    for each in arrival.provider.roles:
        role = Role(each.role) if each.group in arrival.groups else None
        wanted[each.collection] = wanted.get(each.collection) or role
    for collection in Collection.objects.filter(slug__in=wanted):
        _give(user, collection, wanted[collection.slug], at, arrival.provider.key)


@transaction.atomic
def _give(user: User, collection: Collection, role: Role | None, at: datetime, provider: str) -> None:
    """The role, or none. What may not be is left as it is: an archived collection, the only manager."""
    Collection.objects.select_for_update().get(pk=collection.pk)
    member = Membership.objects.select_related("user", "collection").filter(collection=collection, user=user).first()
    if role == (Role(member.role) if member else None):
        return
    try:
        check_not_archived(collection)
        if member is None and role is not None:
            add_member(by=None, at=at, collection=collection, user=user, role=role, membership=None)
        elif member is not None:
            check_stays_managed(member, count_managers(collection), role)
            _change(member, role, at, provider)
    except Refused:
        return


def _change(member: Membership, role: Role | None, at: datetime, provider: str) -> None:
    before = member.role
    if role in (None, Role.VIEWER):
        bid_farewell(member, member.user, at)
    facts = {"provider": provider, "before": before, "after": role.value if role else ""}
    verb = "change_role" if role else "remove_member"
    record_event(by=None, at=at, verb=verb, target=member.user, scope=member.collection, **facts)
    if role is None:
        member.delete()
    else:
        member.role = role
        member.save(update_fields=["role"])

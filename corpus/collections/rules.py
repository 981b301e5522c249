"""The rules of a collection. `check_can_…` raises NotAllowed with the reason; `can_…` is the same as a bool."""

from typing import cast

from django.contrib.auth.models import AnonymousUser
from django.db.models import Model
from django.http import Http404
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.counting import counted
from accounts.extensions import extensions
from accounts.models import User
from accounts.prepared_statements import columns, instance, run
from accounts.refusals import Conflict, NotAllowed, Reason, Refused, refusal_reason
from corpus.models import Collection, Membership, RetrievalRun, Role

ARCHIVED = gettext_lazy("is archived, so it can be read but not changed. A manager can reopen it in its settings.")
MANAGE = (Role.MANAGER,)
DECIDE = (Role.MANAGER, Role.ADJUDICATOR)
OVERSEERS = (Role.MANAGER, Role.ADJUDICATOR, Role.VIEWER)  # see labels, ranks, pool sources; annotators never do


def fetch_membership(user: User | AnonymousUser, slug: str) -> Membership:
    """The person's membership with its collection loaded; 404 for everybody else, so that nobody learns it exists."""
    rows = run(_MEMBERSHIP, {"slug": slug, "user": user.pk})  # one at most; on the path of nearly every request
    if not rows:
        raise Http404
    found, rest = instance(Membership, rows[0])
    found.collection, _ = instance(Collection, rest)
    found.user = cast(User, user)
    return found


_MEMBERSHIP = f"""
SELECT {columns(Membership, "member")}, {columns(Collection, "collection")}
FROM {Membership._meta.db_table} member JOIN {Collection._meta.db_table} collection
ON collection.id = member.collection_id
WHERE collection.slug = %(slug)s AND member.user_id = %(user)s
"""


_ROLE = f"""
SELECT {columns(Membership, "member")} FROM {Membership._meta.db_table} member
WHERE member.collection_id = %(collection)s AND member.user_id = %(user)s
"""


def fetch_manager(user: User | AnonymousUser, slug: str) -> Membership:
    """The membership of a manager; other members are refused."""
    membership = fetch_membership(user, slug)
    check_can_manage(membership)
    return membership


def fetch_overseer(user: User | AnonymousUser, slug: str) -> Membership:
    """The membership of somebody who may see labels and ranks; annotators are refused."""
    membership = fetch_membership(user, slug)
    check_can_oversee(membership)
    return membership


def check_role(membership: Membership, *roles: Role) -> None:
    """Refuse members whose role is not among `roles`."""
    if membership.role not in roles:
        needed = get_text_list([_(role.label) for role in roles], _("or"))
        raise NotAllowed(
            _(
                "This needs the role of {needed} in {collection}; yours is {role}. A "
                "manager of the collection can change it."
            ).format(needed=needed, collection=membership.collection, role=_(membership.get_role_display()))
        )


def check_can_manage(membership: Membership) -> None:
    """Managers import material, define campaigns and invite people."""
    check_role(membership, Role.MANAGER)


def check_can_oversee(membership: Membership) -> None:
    """Managers, adjudicators and viewers see labels, agreement and where pools come from, and take exports."""
    check_role(membership, *OVERSEERS)


def check_manager(collection: Collection, by: User | None) -> None:
    """`check_can_manage` for actions that know only the person; also refused while the collection is archived."""
    check_role_of_manager(collection, by)
    check_not_archived(collection)


class Archived(Conflict):
    """An archived collection may not be changed."""

    heading = "This collection is archived"


def check_not_archived(collection: Collection) -> None:
    """Errors: Archived, a Conflict."""
    if collection.archived_at:
        raise Archived(f"{collection} {ARCHIVED}")


def check_role_of_manager(collection: Collection, by: User | None) -> None:
    """The role alone, also of an archived collection; the command line (None) may do what its user asks for."""
    if by is None:
        return
    rows = run(_ROLE, {"collection": collection.pk, "user": by.pk})  # one at most
    if not rows:
        raise NotAllowed(_("You are not a member of {collection}.").format(collection=collection))
    membership, __ = instance(Membership, rows[0])
    membership.collection, membership.user = collection, by
    check_can_manage(membership)


def is_manager(membership: Membership) -> bool:
    return membership.role == Role.MANAGER


def can_manage(membership: Membership) -> bool:
    """Whether the actions of managers would be carried out now: an archived collection takes none."""
    return is_manager(membership) and membership.collection.archived_at is None


def can_oversee(membership: Membership) -> bool:
    return membership.role in OVERSEERS


def check_can_change_role(membership: Membership, target: Membership, managers: int, role: Role | None = None) -> None:
    """Managers give roles, but the last manager keeps theirs. `role` None asks whether any change is possible."""
    check_can_manage(membership)
    check_stays_managed(target, managers, role)


def check_stays_managed(target: Membership, managers: int, role: Role | None) -> None:
    """The last manager of a collection keeps that role."""
    if target.role == Role.MANAGER and managers <= 1 and role != Role.MANAGER:
        raise Refused(_only_manager(target))


def check_can_remove(membership: Membership, target: Membership, managers: int) -> None:
    """Managers remove members and everybody may leave, but the last manager has to stay."""
    if membership.pk != target.pk:
        check_can_manage(membership)
    check_stays_managed(target, managers, None)


def _only_manager(target: Membership) -> Reason:
    text = f"{target.user} is the only manager. Make someone else a manager first."
    return Reason(text, "Invite a manager", "member_list", target.collection.slug, after="#invite-heading")


def check_can_create_collections(user: User) -> None:
    """Staff, and managers of a collection."""
    if not (user.is_staff or user.memberships.filter(role=Role.MANAGER).exists()):
        raise NotAllowed(
            "Only staff and managers of a collection may create a new one. Ask the operator of this installation."
        )


def check_can_see_people(user: User | None) -> None:
    """Staff, and the command line (None)."""
    if user is not None and not user.is_staff:
        raise NotAllowed("Only the staff who run this installation can see all accounts.")


def can_create_collections(user: User) -> bool:
    return not refusal_reason(check_can_create_collections, user)


def check_run_is_free(run: RetrievalRun, in_campaigns: int) -> None:
    """A run stays once campaigns judge documents that it brought into pools; `in_campaigns` says how many do."""
    if in_campaigns:
        text = (
            f"Campaigns judge {counted(in_campaigns, 'document')} that {run.name} added to pools, so the run cannot"
            " be deleted:"
            " their origin must stay known."
        )
        raise Refused(Reason(text, "See the pools", "pool_list", run.collection.slug))


def check_can_delete(thing: Model, collection: Collection | int) -> None:
    """Refuse to delete a thing that an app above needs. Errors: Refused.

    AppConfigs register `deletion_guards`: functions of the thing and its collection that say why it has to stay, or "".
    """
    for guard in extensions("deletion_guards").values():
        if reason := guard(thing, collection):
            raise Refused(reason)

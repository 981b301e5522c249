"""Who may do what in a collection. `check_can_…` raises NotAllowed with the reason; `can_…` says it as a bool."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404

from accounts.models import User
from accounts.refusals import NotAllowed
from corpus.models import Membership, Role

OVERSEERS = (Role.MANAGER, Role.ADJUDICATOR, Role.VIEWER)  # see labels, ranks, pool sources; annotators never do


def fetch_membership(user: User | AnonymousUser, slug: str) -> Membership:
    """The person's membership with its collection loaded; 404 for everybody else, so that nobody learns it exists."""
    membership = Membership.objects.select_related("collection", "user").filter(collection__slug=slug, user=user.pk)
    found = membership.first()
    if found is None:
        raise Http404
    return found


def check_role(membership: Membership, *roles: Role) -> None:
    """Refuse members whose role is not among `roles`."""
    if membership.role not in roles:
        wanted = " or ".join(role.label for role in roles)
        raise NotAllowed(
            f"This needs the role of {wanted} in {membership.collection}; yours is {membership.get_role_display()}."
            " A manager of the collection can change it."
        )


def check_can_manage(membership: Membership) -> None:
    """Managers bring material, define campaigns, invite people and export."""
    check_role(membership, Role.MANAGER)


def check_can_oversee(membership: Membership) -> None:
    """Managers, adjudicators and viewers see labels, agreement and where pools come from."""
    check_role(membership, *OVERSEERS)


def can_manage(membership: Membership) -> bool:
    return membership.role == Role.MANAGER


def can_oversee(membership: Membership) -> bool:
    return membership.role in OVERSEERS


def check_can_create_collections(user: User) -> None:
    """Staff, and whoever manages a collection already."""
    if not (user.is_staff or user.memberships.filter(role=Role.MANAGER).exists()):
        raise NotAllowed("Only staff and managers of a collection may make a new one. Ask whoever runs this Litmus.")


def can_create_collections(user: User) -> bool:
    try:
        check_can_create_collections(user)
    except NotAllowed:
        return False
    return True

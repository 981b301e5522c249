"""Who is in a collection, and who has been asked to come."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import QuerySet

from corpus.models import Collection, InvitedRole, Membership, Role

ROLE_WORDS = {
    Role.MANAGER: "bring material, define campaigns, invite people, export, and see everything",
    Role.ADJUDICATOR: "see all labels and decide where judges disagree",
    Role.ANNOTATOR: "judge assigned items, and see nobody else's labels",
    Role.VIEWER: "see labels, agreement and pools, and change nothing",
}


@dataclass(frozen=True)
class RoleGroup:
    """The members of one role; `words` say what the role may do."""

    role: Role
    words: str
    members: list[Membership]


def members_by_role(collection: Collection) -> list[RoleGroup]:
    """All members in one query, grouped by role in the order of the roles, by name within. Empty groups stay."""
    members = Membership.objects.filter(collection=collection).select_related("user", "collection")
    ordered = sorted(members, key=lambda each: (str(each.user).casefold(), each.pk))
    return [RoleGroup(role, ROLE_WORDS[role], [m for m in ordered if m.role == role]) for role in Role]


def count_managers(collection: Collection) -> int:
    return Membership.objects.filter(collection=collection, role=Role.MANAGER).count()


def open_invitations(collection: Collection) -> QuerySet[InvitedRole]:
    """Neither accepted nor revoked, newest first; expired ones too, because they can be sent again."""
    waiting = InvitedRole.objects.filter(
        collection=collection, invitation__accepted_at__isnull=True, invitation__revoked_at__isnull=True
    )
    return waiting.select_related("invitation__invited_by").order_by("-invitation__created_at", "-pk")


def invitation_is_expired(invited: InvitedRole, now: datetime) -> bool:
    return invited.invitation.expires_at <= now

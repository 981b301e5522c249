"""Who is in a collection, and who has been asked to come."""

from datetime import datetime
from typing import Any

from django.db.models import Case, Q, QuerySet, Value, When
from django.db.models.functions import Lower

from corpus.models import Collection, InvitedRole, Membership, Role

ROLE_WORDS = {
    Role.MANAGER: "import material, define campaigns, invite people, export, and see everything",
    Role.ADJUDICATOR: "see all labels and decide where judges disagree",
    Role.ANNOTATOR: "judge assigned items, and see nobody else's labels",
    Role.VIEWER: "see labels, agreement and pools, and change nothing",
}

NAMES = (Lower("user__name"), Lower("user__email"))


def list_members(collection: Collection, text: str = "", role: str = "") -> QuerySet[Any]:
    """The members by role and name, narrowed to a role and a part of name or address. `rank` is that of the role."""
    rank = Case(*(When(role=role, then=Value(place)) for place, role in enumerate(Role)), default=Value(len(Role)))
    members = Membership.objects.filter(collection=collection).select_related("user", "collection").annotate(rank=rank)
    if text:
        members = members.filter(Q(user__name__icontains=text) | Q(user__email__icontains=text))
    if role:
        members = members.filter(role=role)
    return members.order_by("rank", *NAMES, "pk")


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

"""What tests of invitations share: who is invited by whom, and the address that leads in."""

from django.urls import reverse
from django.utils import timezone

from corpus.collections.invitation_links import token_for
from corpus.collections.invitations import create_invitation
from corpus.models import InvitedRole, Membership, Role
from tests.factories.accounts import PASSWORD

EMAIL = "new@example.org"
ACCOUNT = {"name": "Neo", "password": PASSWORD, "repeated": PASSWORD}


def invite(manager: Membership, email: str = EMAIL, role: Role = Role.ADJUDICATOR) -> InvitedRole:
    return create_invitation(by=manager.user, at=timezone.now(), membership=manager, email=email, role=role)


def address_of(invited: InvitedRole, *, mailed: bool = True) -> str:
    """The address in the mail, or the one that managers see."""
    return reverse("invitation_accept", args=[token_for(invited.invitation, mailed=mailed)])

"""The addresses of an invitation: its number, signed, so that none can be guessed.

There are two. The one in the mail proves that its reader has the invited address. The one that managers see and hand
over proves nothing of the kind, for managers know it too (docs/adr/0046-what-an-invitation-proves.md).
"""

from django.core import signing
from django.urls import reverse

from accounts.mail import whole_address
from accounts.models import Invitation

_shown = signing.Signer(salt="litmus.invitation", sep=".")
_mailed = signing.Signer(salt="litmus.invitation.mailed", sep=".")


def token_for(invitation: Invitation, *, mailed: bool = False) -> str:
    """The last part of an address of the invitation. When it expires is in the row, so that it can be extended."""
    return (_mailed if mailed else _shown).sign(str(invitation.pk))


def invitation_number(token: str) -> int | None:
    """The number in a token that this installation signed, else None."""
    shown = number_in(token, _shown)
    return number_in(token, _mailed) if shown is None else shown


def proves_address(token: str) -> bool:
    """Whether the token came by mail."""
    return number_in(token, _mailed) is not None


def link_for(invitation: Invitation, *, mailed: bool = False) -> str:
    """The whole address, at the site's configured name."""
    return whole_address(reverse("invitation_accept", args=[token_for(invitation, mailed=mailed)]))


def number_in(token: str, signer: signing.Signer) -> int | None:
    """The number that the signer of this installation has signed, else None."""
    try:
        return int(signer.unsign(token))
    except (signing.BadSignature, ValueError):
        return None

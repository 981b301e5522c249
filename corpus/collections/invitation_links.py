"""The address that is sent to an invited person: the invitation's number, signed, so that none can be guessed."""

from django.conf import settings
from django.core import signing
from django.urls import reverse

from accounts.models import Invitation

_signer = signing.Signer(salt="litmus.invitation", sep=".")


def token_for(invitation: Invitation) -> str:
    """The last part of the invitation's address. When it expires is in the row, so that it can be extended."""
    return _signer.sign(str(invitation.pk))


def invitation_number(token: str) -> int | None:
    """The number in a token that this installation signed, else None."""
    try:
        return int(_signer.unsign(token))
    except (signing.BadSignature, ValueError):
        return None


def link_for(invitation: Invitation) -> str:
    """The whole address, at the site's configured name: a forged Host header gains nothing."""
    return settings.SITE_URL + reverse("invitation_accept", args=[token_for(invitation)])

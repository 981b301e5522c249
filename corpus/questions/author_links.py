"""The personal address of an invited author: the invitation's number, signed, so that none can be guessed."""

from django.core import signing
from django.urls import reverse

from accounts.mail import whole_address
from corpus.collections.invitation_links import number_in
from corpus.models import AuthorInvitation

_signer = signing.Signer(salt="litmus.author", sep=".")


def author_token(invitation: AuthorInvitation) -> str:
    """The signed number of the invitation, which is all that a link carries."""
    return _signer.sign(str(invitation.pk))


def author_number(token: str) -> int | None:
    """The number in a token that this installation signed, else None."""
    return number_in(token, _signer)


def answer_link(invitation: AuthorInvitation) -> str:
    """The whole address of the author's page, at the site's configured name."""
    return whole_address(reverse("author_answer", args=[author_token(invitation)]))


def opt_out_link(invitation: AuthorInvitation) -> str:
    """The whole address of the page to opt out, at the site's configured name."""
    return whole_address(reverse("author_opt_out", args=[author_token(invitation)]))

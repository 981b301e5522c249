"""Who may come in through an identity provider, and as whom. Decisions are in docs/adr/0060-single-sign-on.md.

A person is the provider's subject, never an address: an address leads to an account once, when the two are joined.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.actions import create_user, revoke_tokens
from accounts.addresses import is_address
from accounts.audit import record_event
from accounts.extensions import extensions
from accounts.models import User
from accounts.refusals import NotAllowed, Refused
from accounts.sign_on.providers import Provider


class NotSignedOn(Refused):
    """Somebody whom the provider knows, and who still does not come in."""

    heading = gettext_lazy("Signing in did not work")


class Stranger(NotSignedOn, NotAllowed):
    """Somebody without an account, whom nobody has invited."""


@dataclass(frozen=True)
class Arrival:
    """What a provider says of the person who signed in there. `email` is "" where it says none that can be used."""

    provider: Provider
    email: str
    is_verified: bool
    name: str
    claims: Mapping[str, Any]

    @classmethod
    def of(cls, provider: Provider, claims: Mapping[str, Any]) -> "Arrival":
        """Read the claims; what is not of the expected type counts as not said."""
        email = claims.get("email")
        email = email.strip() if isinstance(email, str) else ""
        email = email.lower() if is_address(email) else ""  # checked first: the small letter of a Kelvin sign is a k
        name = claims.get("name")
        name = " ".join(name.split())[:150] if isinstance(name, str) else ""
        return cls(provider, email, claims.get("email_verified") is True, name, claims)

    @property
    def is_trusted(self) -> bool:
        """Whether the address is believed: the provider says that it is verified, and the settings believe that."""
        return bool(self.email) and self.is_verified and self.provider.trust_email

    @property
    def groups(self) -> frozenset[str]:
        """The groups that the provider names, none without that claim."""
        named = self.claims.get(self.provider.groups_claim, []) if self.provider.groups_claim else []
        return frozenset(each for each in named if isinstance(each, str)) if isinstance(named, list) else frozenset()


def find_or_create(arrival: Arrival, at: datetime) -> User:
    """The account of somebody who comes through this provider for the first time.

    Errors: NotSignedOn where there is an account whose owner has to say that it is theirs; Stranger.
    """
    if not arrival.email:
        raise NotSignedOn(
            _(
                "{label} gave no e-mail address that Litmus can use. Sign in another way, then connect {label} on your "
                "profile page. If you have no account, the manager of your collection can invite you."
            ).format(label=arrival.provider.label)
        )
    user = User.objects.filter(email=arrival.email).first()
    if user is not None:
        if not arrival.is_trusted:
            raise NotSignedOn(
                _(
                    "There is an account for {email}. Sign in with its password, then connect {label} on your "
                    "profile page."
                ).format(email=arrival.email, label=arrival.provider.label)
            )
        if _is_of_somebody_else(user, arrival.provider):
            raise NotSignedOn(
                _(
                    "The account for {email} is connected with somebody else at {label}. Ask the staff of this Litmus."
                ).format(email=arrival.email, label=arrival.provider.label)
            )
        return user
    if not (arrival.is_trusted and _may_create(arrival)):
        raise Stranger(
            _("{email} has no account and no invitation here. The manager of your collection can invite you.").format(
                email=arrival.email
            )
        )
    return create_user(by=None, at=at, email=arrival.email, password=None, name=arrival.name)


def _is_of_somebody_else(user: User, provider: Provider) -> bool:
    """Whether another person of this provider has the account by right: providers give addresses on to others.

    Who made it in somebody's name, with a password, may have connected it with an identity of theirs, of another
    address: that one gives way to the person of the address (`join`).
    """
    known = SocialAccount.objects.filter(user=user, provider=provider.key)
    return any(
        not user.has_usable_password() or Arrival.of(provider, claims_of(each)).email == user.email for each in known
    )


def claims_of(account: SocialAccount) -> dict[str, Any]:
    """What the token says and what the provider answers when asked: groups stand in either."""
    data: dict[str, Any] = account.extra_data
    token, asked = data.get("id_token") or {}, data.get("userinfo") or {}
    verified = (asked if "email" in asked else token).get("email_verified")  # of the same address
    return {**token, **asked, "email_verified": verified}


def _may_create(arrival: Arrival) -> bool:
    """Because the settings say so, or because somebody has invited the address."""
    grounds = extensions("sign_on_grounds").values()  # of apps above
    return arrival.provider.vouches_for(arrival.email) or any(invites(arrival.email) for invites in grounds)


@transaction.atomic
def join(user: User, account: SocialAccount, arrival: Arrival, at: datetime) -> None:
    """Let the provider's person be this account from now on, to which only the address has led.

    Those who could sign in before cannot any longer: the account may have been made in the name of somebody who had not
    come yet. Staff are made by the operator, and keep their password.
    """
    revoked = 0
    if user.has_usable_password() and not user.is_staff:
        user.set_unusable_password()
        user.save(update_fields=["password"])
        revoked = revoke_tokens(user, at)
        SocialAccount.objects.filter(user=user).delete()
        EmailAddress.objects.filter(user=user).exclude(email=user.email).delete()  # asked for, and not confirmed yet
        Authenticator.objects.filter(user=user).delete()  # its codes are somebody else's: nobody could come in
    account.user = user
    account.save()
    facts: dict[str, Any] = {"provider": arrival.provider.key, "revoked_tokens": revoked}
    record_event(by=user, at=at, verb="connect_sign_on", target=user, **facts)


def follow(user: User, arrival: Arrival, at: datetime) -> None:
    """Let apps above act on what the provider says at each sign-in, such as roles by groups."""
    for follows in extensions("sign_ons").values():
        follows(user, arrival, at)

"""Accounts and what a person sets in their own."""

from datetime import datetime

from allauth.account.models import EmailAddress
from django.db import IntegrityError, transaction

from accounts.audit import record_event
from accounts.models import ApiToken, User
from accounts.refusals import Conflict
from accounts.themes import Theme


@transaction.atomic
def create_user(
    *, by: User | None, at: datetime, email: str, password: str | None, name: str = "", is_staff: bool = False
) -> User:
    """A new account. Without a password nobody can sign in until one is set by a reset e-mail."""
    try:
        with transaction.atomic():
            user = User.objects.create_user(email, password, name=name, is_staff=is_staff, date_joined=at)
    except IntegrityError as error:
        raise Conflict(f"{email} has an account already. Sign in with it, or reset its password.") from error
    record_event(by=by, at=at, verb="create_user", target=user, staff=is_staff)
    return user


@transaction.atomic
def change_password(*, by: User | None, at: datetime, user: User, password: str) -> int:
    """A new password; who knew the old one is locked out. Returns how many API tokens were revoked.

    Sessions end automatically: each is bound to the password it began with (Django's session hash).
    """
    user.set_password(password)
    user.save(update_fields=["password"])
    revoked = ApiToken.objects.in_use(at).filter(user=user).update(revoked_at=at)
    record_event(by=by, at=at, verb="set_password", target=user, revoked_tokens=revoked)
    return revoked


@transaction.atomic
def update_profile(*, by: User, at: datetime, name: str, preferences: dict[str, object]) -> User:
    """Change the person's own name and the given preferences; other preferences stay."""
    user = User.objects.select_for_update().get(pk=by.pk)
    if user.name != name:
        record_event(by=by, at=at, verb="rename_user", target=user, before=user.name, after=name)
    user.name = name
    user.preferences = {**user.preferences, **preferences}
    user.save(update_fields=["name", "preferences"])
    return user


@transaction.atomic
def vouch_for_address(user: User) -> None:
    """Let allauth know the person's address as confirmed: it came with an invitation or from the operator.

    Without this, asking for another address would drop the unconfirmed first one at once and lock the person out.
    """
    EmailAddress.objects.filter(user=user, primary=True).exclude(email=user.email).delete()
    EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"verified": True, "primary": True})


@transaction.atomic
def set_theme(*, by: User, theme: Theme) -> None:
    """Keep the person's choice of light or dark. Nobody else's business, so no audit event."""
    user = User.objects.select_for_update().get(pk=by.pk)
    user.preferences = {**user.preferences, "theme": theme.value}
    user.save(update_fields=["preferences"])

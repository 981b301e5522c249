"""Every write to people, their tokens and settings, and to jobs of any kind."""

from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import jobs
from accounts.audit import record_event
from accounts.job_kinds import kind_of
from accounts.keys import digest_of, new_key
from accounts.models import ApiToken, Job, TokenScope, User
from accounts.passwords import check_may_have_password
from accounts.refusals import Conflict, NotAllowed, Refused, taken_is_conflict
from accounts.themes import Theme

MOST_TOKENS = 50  # of one person in use at a time
LONGEST_LIFE = timedelta(days=366)


@transaction.atomic
def create_user(
    *, by: User | None, at: datetime, email: str, password: str | None, name: str = "", is_staff: bool = False
) -> User:
    """A new account. Without a password nobody can sign in until one is set by a reset e-mail.

    Errors: Conflict for an address that has one; Refused for a password where people sign in without.
    """
    if password is not None:
        check_may_have_password(email)
    with taken_is_conflict(
        _("{email} has an account already. Sign in with it, or reset its password.").format(email=email)
    ):
        user = User.objects.create_user(email, password, name=name, is_staff=is_staff, date_joined=at)
    record_event(by=by, at=at, verb="create_user", target=user, staff=is_staff)
    return user


@transaction.atomic
def change_password(*, by: User | None, at: datetime, user: User, password: str) -> int:
    """A new password; who knew the old one is locked out. Returns how many API tokens were revoked.

    Sessions end automatically: each is bound to the password it began with (Django's session hash).
    """
    check_may_have_password(user.email)
    user.set_password(password)
    user.save(update_fields=["password"])
    revoked = revoke_tokens(user, at)
    record_event(by=by, at=at, verb="set_password", target=user, revoked_tokens=revoked)
    return revoked


def revoke_tokens(user: User, at: datetime) -> int:
    """All API tokens of the person end; returns how many. Part of an action that says so in its event."""
    return ApiToken.objects.in_use(at).filter(user=user).update(revoked_at=at)


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
    """Keep the person's choice of light or dark. It concerns nobody else, so there is no audit event."""
    user = User.objects.select_for_update().get(pk=by.pk)
    user.preferences = {**user.preferences, "theme": theme.value}
    user.save(update_fields=["preferences"])


@transaction.atomic
def set_language(*, by: User, language: str) -> None:
    """Keep the language in which the person came. It concerns nobody else, so there is no audit event."""
    user = User.objects.select_for_update().get(pk=by.pk)
    user.preferences = {**user.preferences, "language": language}
    user.save(update_fields=["preferences"])


@transaction.atomic
def close_mail_warning(*, by: User) -> None:
    """Never warn this person again that no mail server is set up. It concerns nobody else: no audit event."""
    user = User.objects.select_for_update().get(pk=by.pk)
    user.preferences = {**user.preferences, "mail_warning_closed": True}
    user.save(update_fields=["preferences"])


@transaction.atomic
def create_token(
    *, by: User, at: datetime, label: str, scope: TokenScope, expires_at: datetime
) -> tuple[ApiToken, str]:
    """A new token of the person's own and its key, which is stored nowhere and cannot be shown again."""
    if not at < expires_at <= at + LONGEST_LIFE:
        raise Refused(f"A token expires within {LONGEST_LIFE.days} days. Choose an earlier date in the future.")
    User.objects.select_for_update().get(pk=by.pk)  # two requests at once must not pass the limit together
    if ApiToken.objects.in_use(at).filter(user=by).count() >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens in use, the most allowed. Revoke one that is no longer needed.")
    key = new_key()
    token = ApiToken.objects.create(
        user=by, label=label, scope=scope, digest=digest_of(key), created_at=at, expires_at=expires_at
    )
    record_event(by=by, at=at, verb="create_token", target=token, token_scope=scope, expires_at=expires_at.isoformat())
    return token, key


@transaction.atomic
def revoke_token(*, by: User, at: datetime, token: ApiToken) -> None:
    """Revoke the token: it no longer works. Revoking a revoked one changes nothing."""
    if token.user_id != by.pk:
        raise NotAllowed("Only the person a token belongs to can revoke it.")
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=at):
        record_event(by=by, at=at, verb="revoke_token", target=token)


@transaction.atomic
def cancel_job(*, job: Job, by: User | None, at: datetime) -> None:
    """Ask the job to stop; what its kind keeps is kept. Errors: NotAllowed, Conflict when it has ended."""
    kind = kind_of(job)
    kind.check_can_cancel(job, by)
    if job.is_final:
        raise Conflict(f"The job has already ended: {job.get_state_display()}.")
    jobs.cancel(job, at=at)
    target, scope, facts = kind.audited(job)
    record_event(by=by, at=at, verb=kind.cancel_verb, target=target, scope=scope, **facts)

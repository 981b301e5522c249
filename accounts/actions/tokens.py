"""API tokens: made once, shown once, revoked for good."""

from datetime import datetime, timedelta

from django.db import transaction

from accounts.audit import record_event
from accounts.keys import digest_of, new_key
from accounts.models import ApiToken, TokenScope, User
from accounts.refusals import NotAllowed, Refused

MOST_TOKENS = 50  # of one person in use at a time
LONGEST_LIFE = timedelta(days=366)


@transaction.atomic
def create_token(
    *, by: User, at: datetime, label: str, scope: TokenScope, expires_at: datetime
) -> tuple[ApiToken, str]:
    """A new token of the person's own and its key, which is stored nowhere and cannot be shown again."""
    if not at < expires_at <= at + LONGEST_LIFE:
        raise Refused(f"A token expires within {LONGEST_LIFE.days} days. Choose an earlier date in the future.")
    User.objects.select_for_update().get(pk=by.pk)  # two requests at once must not pass the limit together
    if ApiToken.objects.in_use(at).filter(user=by).count() >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens in use, the most allowed. Revoke one that nothing needs.")
    key = new_key()
    token = ApiToken.objects.create(
        user=by, label=label, scope=scope, digest=digest_of(key), created_at=at, expires_at=expires_at
    )
    record_event(by=by, at=at, verb="create_token", target=token, token_scope=scope, expires_at=expires_at.isoformat())
    return token, key


@transaction.atomic
def revoke_token(*, by: User, at: datetime, token: ApiToken) -> None:
    """The token opens nothing from now on. Revoking a revoked one changes nothing."""
    if token.user_id != by.pk:
        raise NotAllowed("Only the person a token belongs to can revoke it.")
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=at):
        record_event(by=by, at=at, verb="revoke_token", target=token)

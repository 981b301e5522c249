"""API tokens: made once, shown once, revoked for good."""

from datetime import datetime

from django.db import transaction

from accounts.audit import record_event
from accounts.keys import digest_of, new_key
from accounts.models import ApiToken, User
from accounts.refusals import NotAllowed, Refused

MOST_TOKENS = 50  # of one person in use at a time


@transaction.atomic
def create_token(*, by: User, at: datetime, label: str) -> tuple[ApiToken, str]:
    """A new token of the person's own and its key, which is stored nowhere and cannot be shown again."""
    User.objects.select_for_update().get(pk=by.pk)  # two requests at once must not pass the limit together
    if ApiToken.objects.filter(user=by, revoked_at__isnull=True).count() >= MOST_TOKENS:
        raise Refused(f"You have {MOST_TOKENS} tokens in use, the most. Revoke one that nothing needs any more.")
    key = new_key()
    token = ApiToken.objects.create(user=by, label=label, digest=digest_of(key), created_at=at)
    record_event(by=by, at=at, verb="create_token", target=token)
    return token, key


@transaction.atomic
def revoke_token(*, by: User, at: datetime, token: ApiToken) -> None:
    """The token opens nothing from now on. Revoking a revoked one changes nothing."""
    if token.user_id != by.pk:
        raise NotAllowed("Only the person a token belongs to can revoke it.")
    if ApiToken.objects.filter(pk=token.pk, revoked_at__isnull=True).update(revoked_at=at):
        record_event(by=by, at=at, verb="revoke_token", target=token)

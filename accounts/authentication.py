"""How programs say who they are: `Authorization: Bearer litmus_…`."""

from datetime import timedelta
from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.counting import day
from accounts.keys import PREFIX, digest_of
from accounts.models import ApiToken, User
from accounts.prepared_statements import columns, instance, run

SCHEME = "Bearer"
CREATE_ANOTHER = "Create another one on the page “API tokens”."
NOTE_USE_EVERY = timedelta(minutes=1)  # `last_used_at` is for people; more exact would be a write for each request


class TokenAuthentication(BaseAuthentication):
    """The person of a token in use; other Authorization schemes are left to other classes."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """None without a bearer token; AuthenticationFailed (401) with an invalid one."""
        words = get_authorization_header(request).split()
        if not words or words[0].lower() != SCHEME.lower().encode():
            return None
        if len(words) != 2:
            raise AuthenticationFailed(f"Write the header as: Authorization: {SCHEME} {PREFIX}…")
        token = _find(words[1].decode("latin-1"))
        _note_use(token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:  # noqa: ARG002
        return f'{SCHEME} realm="Litmus"'


_TOKEN = f"""
SELECT {columns(ApiToken, "token")}, {columns(User, "person")}
FROM {ApiToken._meta.db_table} token JOIN {User._meta.db_table} person ON person.id = token.user_id
WHERE token.digest = %(digest)s AND token.revoked_at IS NULL
"""


def _find(key: str) -> ApiToken:
    rows = run(_TOKEN, {"digest": digest_of(key)})  # one at most; every request of a program asks it
    if not rows:
        raise AuthenticationFailed(f"This token is unknown or revoked. {CREATE_ANOTHER}")
    token, rest = instance(ApiToken, rows[0])
    token.user, _ = instance(User, rest)
    if token.is_expired:
        raise AuthenticationFailed(f"This token expired on {day(token.expires_at)}. {CREATE_ANOTHER}")
    if not token.user.is_active:
        raise AuthenticationFailed("The account of this token is switched off.")
    return token


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= NOTE_USE_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)


class TokenScheme(OpenApiAuthenticationExtension):
    """How the OpenAPI description names it."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        return {"type": "http", "scheme": "bearer", "description": "A token of the page “API tokens”."}

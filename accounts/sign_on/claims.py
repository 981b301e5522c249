"""What is kept of a provider's answer: who the person is, with what is read here, and nothing else."""

from collections.abc import Mapping
from typing import Any

from allauth.socialaccount.app_settings import UID_MAX_LENGTH
from allauth.socialaccount.providers.base.provider import ProviderException
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings

TEXTS = ("email", "name", "preferred_username")  # the last is shown on the page of connected accounts


class OpenIDConnect(OpenIDConnectOAuth2Adapter):
    """allauth's protocol; an answer that names nobody, or two people, is one that cannot be used."""

    def _fetch_user_info(self, access_token: str) -> dict[str, Any]:
        self.asked = read_claims(super()._fetch_user_info(access_token), self.provider_id)
        return self.asked

    def _decode_id_token(self, app: Any, id_token: str) -> dict[str, Any]:
        said = read_claims(super()._decode_id_token(app, id_token), self.provider_id)
        if said["sub"] != self.asked["sub"]:
            raise ProviderException("the token is of another person")  # OpenID Connect Core 5.3.2
        return said


def read_claims(claims: Any, key: str) -> dict[str, Any]:
    """Subject, texts, whether the address is verified, and groups; what is of another type is left out.

    Errors: ProviderException without a subject that can be stored.
    """
    if not isinstance(claims, Mapping) or not (subject := _text(claims.get("sub"))) or len(subject) > UID_MAX_LENGTH:
        raise ProviderException("the answer names nobody")
    found: dict[str, Any] = {name: text for name in TEXTS if (text := _text(claims.get(name)))}
    groups = claims.get(settings.SIGN_ON[key].groups_claim)
    if isinstance(groups, list):
        found[settings.SIGN_ON[key].groups_claim] = [text for each in groups if (text := _text(each))]
    return {"sub": subject, "email_verified": claims.get("email_verified") is True, **found}


def _text(value: Any) -> str:
    """A text that PostgreSQL can store, else ""."""
    if not isinstance(value, str) or "\0" in value:
        return ""
    return value.encode(errors="ignore").decode()  # no halves of surrogate pairs

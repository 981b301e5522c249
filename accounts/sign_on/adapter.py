"""How allauth signs people in through identity providers here: our rules of who comes in, and none of its forms."""

from time import time
from typing import Any

import requests
from allauth.account.authentication import get_authentication_records
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from accounts.audit import record_event
from accounts.mail import whole_address
from accounts.models import User
from accounts.passwords import may_have_password
from accounts.refusals import NotAllowed
from accounts.sign_on.arriving import Arrival, claims_of, find_or_create, follow, join

CONNECTING = "sign_on_connecting"  # of the session: the provider that its person asked to be connected with, and when
CONNECTED_WITHIN = 600  # seconds; who gives up at the provider is asked again
VERBS = {
    "socialaccount/email/account_connected": "connect_sign_on",
    "socialaccount/email/account_disconnected": "disconnect_sign_on",
}


class SignOnAdapter(DefaultSocialAccountAdapter):
    """Called by allauth once a provider has said who somebody is."""

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the account, or make it, and join the two. Errors: Refused, with what to do."""
        now, account = timezone.now(), sociallogin.account
        arrival = Arrival.of(settings.SIGN_ON[account.provider], claims_of(account))
        if sociallogin.state.get("process") == AuthProcess.CONNECT:
            # Else a page of a stranger could connect the account of who opens it with a provider's account of theirs.
            key, asked_at = request.session.pop(CONNECTING, ("", 0))
            if key != arrival.provider.key or time() - asked_at > CONNECTED_WITHIN:
                raise NotAllowed(_("Connect an account on your profile page."))
            return
        if not sociallogin.is_existing:
            sociallogin.user = find_or_create(arrival, now)
            if sociallogin.user.is_active:
                join(sociallogin.user, account, arrival, now)
        if sociallogin.user.is_active:  # else allauth refuses
            follow(sociallogin.user, arrival, now)

    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:  # noqa: ARG002
        """Never by allauth's own form: `pre_social_login` has made the account where one may be made."""
        return False

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:  # noqa: ARG002
        return reverse("socialaccount_connections")

    def validate_disconnect(self, account: SocialAccount, accounts: QuerySet[SocialAccount]) -> None:
        """Errors: ValidationError where no other way in would be left."""
        others = accounts.exclude(pk=account.pk).filter(provider__in=settings.SIGN_ON)
        has_password = account.user.has_usable_password() and may_have_password(account.user.email)
        if not (has_password or others.exists()):
            raise ValidationError(_("You could not sign in any more. Connect another account first."))

    def send_notification_mail(self, template_prefix: str, user: User, *arguments: Any, **more: Any) -> None:
        """Called where somebody has connected or disconnected an account: audited, and mailed where it may matter."""
        provider = more["context"]["account"].provider
        record_event(by=user, at=timezone.now(), verb=VERBS[template_prefix], target=user, provider=provider)
        super().send_notification_mail(template_prefix, user, *arguments, **more)

    def get_requests_session(self) -> requests.Session:
        """Redirects are not followed: the addresses of a provider are those that its operator wrote, or its own."""
        session: requests.Session = super().get_requests_session()
        session.max_redirects = 0
        return session


def signed_on_through(request: HttpRequest) -> str:
    """The key of the provider through which the person of this session came in, "" for a password."""
    records = get_authentication_records(request, request.user)
    return next((each["provider"] for each in records if each["method"] == "socialaccount"), "")


def sign_out_address(request: HttpRequest, key: str) -> str:
    """Where the provider ends its own session, and comes back from; "" where it does not say, or does not answer."""
    provider: OpenIDConnectProvider = SignOnAdapter(request).get_provider(request, key)
    try:
        end: object = provider.get_oauth2_adapter(request).openid_config.get("end_session_endpoint")
    except (requests.RequestException, ValueError):
        return ""
    if not isinstance(end, str):
        return ""
    back = {"client_id": provider.app.client_id, "post_logout_redirect_uri": whole_address(reverse("account_login"))}
    return f"{end}{'&' if '?' in end else '?'}{urlencode(back)}"

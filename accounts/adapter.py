"""How allauth behaves here: nobody signs up without an invitation, and what touches sign-in is audited."""

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from accounts.actions import change_password
from accounts.addresses import check_characters
from accounts.audit import record_event
from accounts.languages import in_language_of
from accounts.mail import NO_SERVER, NoMailServer
from accounts.models import User

logger = logging.getLogger(__name__)
NOTIFICATIONS = (
    "account/email/password_changed",
    "account/email/password_reset",
    "socialaccount/email/account_connected",
)


class AccountAdapter(DefaultAccountAdapter):
    """Nobody can sign up freely: accounts are made by accepting an invitation, or by `litmus create_user`."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002
        return False

    def post_login(self, request: HttpRequest, user: User, **kwargs: Any) -> HttpResponse:
        record_event(by=user, at=timezone.now(), verb="sign_in", target=user)
        return super().post_login(request, user, **kwargs)

    def set_password(self, user: User, password: str) -> None:
        """Called for a change and for a reset."""
        revoked = change_password(by=user, at=timezone.now(), user=user, password=password)
        if revoked:
            words = ngettext(
                "{count} API token revoked. Create new ones for programs that you still use.",
                "{count} API tokens revoked. Create new ones for programs that you still use.",
                revoked,
            )
            messages.warning(self.request, words.format(count=revoked))

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """An unreachable mail server is reported in the log; strangers get the same answer in any case."""
        try:
            with in_language_of(context.get("user"), get_language() or ""):
                super().send_mail(template_prefix, email, context)
        except NoMailServer:
            logger.warning("The mail %s was %s", template_prefix, NO_SERVER)
        except (SMTPException, OSError):
            logger.exception("The mail %s could not be sent", template_prefix)
            if self.request.user.is_authenticated:
                messages.warning(
                    self.request, _("The mail to {email} could not be sent. Try again later.").format(email=email)
                )

    def send_notification_mail(self, template_prefix: str, user: User, *arguments: Any, **more: Any) -> None:
        """Mails only about changes by which a stranger could take over the account, in our own words."""
        if template_prefix in NOTIFICATIONS:
            super().send_notification_mail(template_prefix, user, *arguments, **more)

    def clean_email(self, email: str) -> str:
        """Errors: ValidationError, also for characters that cannot be seen or look like others."""
        cleaned: str = super().clean_email(email)
        check_characters(cleaned)
        return cleaned

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        before = email_address.user.email
        confirmed: bool = super().confirm_email(request, email_address)
        if confirmed:
            user = User.objects.get(pk=email_address.user_id)
            record_event(by=user, at=timezone.now(), verb="change_email", target=user, before=before, after=user.email)
        return confirmed

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002
        return reverse("account_profile")

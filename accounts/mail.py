"""Sending mail, if there is a mail server: without one, nothing claims to have been sent."""

import contextlib
import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.http import HttpRequest

from accounts.refusals import Reason

NO_SERVER = "not sent: no mail server is set up"


def whole_address(path: str) -> str:
    """The path of a page with the site's configured name, as in all mails: a forged Host header gains nothing."""
    site = urlsplit(settings.SITE_URL)  # whose own path `reverse` has put before that of the page
    return f"{site.scheme}://{site.netloc}{path}"


def why_links_open_only_here() -> str:
    """For managers, before they hand a link over: that it leads to this computer alone, and what to do; else ""."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    if not is_loopback(host):
        return ""
    return Reason(
        f"Links lead to {host}: they open only on the computer where Litmus runs. For people elsewhere, Litmus must"
        " listen on the network, and LITMUS_SITE_URL must be the address that they open.",
        "How to do that",
        "documentation_page",
        "operations/",
        after="#addresses",
    )


def is_loopback(host: str) -> bool:
    """Whether this host, as an address or a name, is the computer itself."""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost" or host.endswith(".localhost")


class NoMailServer(OSError):
    """Nothing can be sent: LITMUS_EMAIL_URL is not set."""

    def __init__(self) -> None:
        super().__init__(NO_SERVER)


class NoServerBackend(BaseEmailBackend):
    """What sends mail where no server is set up: it refuses, and no link gets into a log."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:  # noqa: ARG002
        raise NoMailServer


def is_set_up() -> bool:
    return f"{__name__}.{NoServerBackend.__name__}" != settings.EMAIL_BACKEND


def mail(request: HttpRequest) -> dict[str, object]:
    """For templates: `mail_is_set_up`, and `warns_of_mail` until the person has closed the warning that it is not."""
    return {"mail_is_set_up": is_set_up(), "warns_of_mail": not is_set_up() and not _is_closed(request)}


def _is_closed(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    return bool(user and user.is_authenticated and user.preferences.get("mail_warning_closed"))

"""A name for the browser in which somebody judges, so that leaving it ends its leases and those of no other.

The name lives as long as a cookie, not as a session: after signing out and in again it is still the same browser, and
what it holds can still be given back. The cookie holds a random text that is signed, so that nobody can invent names. A
lease is stored with a hash of it and the person, so that it does not reveal which people share a browser.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from accounts.models import User

LASTS = 400 * 24 * 3600  # seconds; browsers keep no cookie for longer
LENGTH = 16  # hexadecimal digits of a name, as `read_visit` expects them
_signer = signing.Signer(salt="annotation.labelling.browser", sep=".")


class Browser:
    """The browser of a request: known by its cookie, or one that gets a cookie with the answer."""

    def __init__(self, request: HttpRequest) -> None:
        self.cookie = request.COOKIES.get(settings.BROWSER_COOKIE_NAME, "")
        try:
            _signer.unsign(self.cookie)
        except signing.BadSignature:
            self.cookie = _signer.sign(secrets.token_urlsafe(12))

    def name_for(self, person: User) -> str:
        """The browser's name where this person judges in it."""
        made = salted_hmac("annotation.labelling.browser", f"{person.pk}:{self.cookie}", algorithm="sha256")
        return made.hexdigest()[:LENGTH]

    def keep(self, answer: HttpResponse, *, secure: bool) -> None:
        """Have the browser keep the cookie, for as long again as at its first visit."""
        answer.set_cookie(
            settings.BROWSER_COOKIE_NAME,
            self.cookie,
            max_age=LASTS,
            path=settings.SESSION_COOKIE_PATH,
            httponly=True,
            samesite="Lax",
            secure=secure,
        )

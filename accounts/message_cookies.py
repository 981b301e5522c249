"""Messages of one page for the next, in a cookie of this installation alone."""

from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.fallback import FallbackStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http.response import HttpResponseBase


class OwnCookie(CookieStorage):
    """Django's is called "messages" at every port of a host, and is sent to every application on that host."""

    cookie_name = settings.MESSAGES_COOKIE_NAME

    def _update_cookie(self, encoded_data: str, response: HttpResponseBase) -> None:
        super()._update_cookie(encoded_data, response)  # type: ignore[misc]  # not in the stubs
        if self.cookie_name in response.cookies:
            response.cookies[self.cookie_name]["path"] = settings.SESSION_COOKIE_PATH


class Messages(FallbackStorage):
    """In the cookie; what it does not hold, in the session."""

    storage_classes: Any = (OwnCookie, SessionStorage)

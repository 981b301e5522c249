"""Which language a person reads: kept with them, and in a cookie for pages before sign-in (docs/adr/0067)."""

import gettext
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from accounts.counting import numeral
from accounts.models import User
from engines.wordings import Wording

NAMES = dict(settings.LANGUAGES)  # each in its own language
ENGLISH = settings.LANGUAGE_CODE


def language_of(request: HttpRequest) -> str:
    """The person's own choice if they have made one, else this browser's: by its cookie, or what it asks for."""
    user = getattr(request, "user", None)
    chosen = user.preferences.get("language") if user is not None and user.is_authenticated else None
    return chosen if chosen in NAMES else translation.get_language_from_request(request)


def language_for_guest(request: HttpRequest, invited_in: str) -> str:
    """For a page that somebody was invited to: the language they have chosen, else that of the invitation."""
    has_chosen = settings.LANGUAGE_COOKIE_NAME in request.COOKIES or request.user.is_authenticated
    return invited_in if invited_in in NAMES and not has_chosen else language_of(request)


def in_language_of(user: User | None, otherwise: str = ENGLISH) -> AbstractContextManager[None]:
    """For mails: texts inside are in the language that the person has chosen."""
    chosen = user.preferences.get("language") if user else None
    return translation.override(chosen if chosen in NAMES else otherwise or ENGLISH)


def translated(said: Wording | str | int) -> str:
    """What an engine says, in the active language; a value that is not a wording stays as it is."""
    if isinstance(said, Wording):
        words = translation.gettext(said.template)
        return words.format(**{name: translated(value) for name, value in said.values.items()})
    return numeral(said) if isinstance(said, int) else said


@cache
def script_catalogue(language: str) -> dict[str, Any]:
    """The texts of scripts: {English: translation}, a list of its forms where it has a number."""
    if language == ENGLISH:
        return {}
    found = gettext.translation("djangojs", str(settings.LOCALE_PATHS[0]), [language])
    texts: dict[str, Any] = {}
    for key, text in vars(found)["_catalog"].items():
        if isinstance(key, tuple):
            texts.setdefault(key[0], []).append(text)  # in the order of the forms
        elif key:
            texts[key] = text
    return texts

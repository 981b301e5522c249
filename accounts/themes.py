"""Light, dark, or as the system says: kept with the person, and in a cookie for pages before sign-in."""

from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext_noop

COOKIE = "litmus_theme"


class Theme(models.TextChoices):
    SYSTEM = gettext_noop("system"), gettext_noop("as the system")
    LIGHT = "light", gettext_noop("light")
    DARK = "dark", gettext_noop("dark")


def theme_of(request: HttpRequest) -> Theme:
    """The person's own choice if they are known, else this browser's, else the system's."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        chosen = user.preferences.get("theme")
    else:
        chosen = request.COOKIES.get(COOKIE)
    return Theme(chosen) if chosen in Theme.values else Theme.SYSTEM

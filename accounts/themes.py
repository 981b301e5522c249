"""Light, dark, or as the system says: kept with the person, and in a cookie for pages before sign-in."""

from django.db import models
from django.http import HttpRequest

COOKIE = "litmus_theme"


class Theme(models.TextChoices):
    SYSTEM = "system", "as the system"
    LIGHT = "light", "light"
    DARK = "dark", "dark"


def theme_of(request: HttpRequest) -> Theme:
    """The person's own choice if they are known, else this browser's, else the system's."""
    user = getattr(request, "user", None)
    if user is not None and user.is_authenticated:
        chosen = user.preferences.get("theme")
    else:
        chosen = request.COOKIES.get(COOKIE)
    return Theme(chosen) if chosen in Theme.values else Theme.SYSTEM

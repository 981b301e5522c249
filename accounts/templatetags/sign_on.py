"""The identity providers on pages where somebody signs in."""

from typing import Any

from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.http import urlencode

register = template.Library()


@register.inclusion_tag("accounts/templatetags/_sign_on.html")
def sign_on(onward: str = "") -> dict[str, Any]:
    """A button for each provider, which comes back to the page `onward`; nothing where there is none."""
    after = f"?{urlencode({'next': onward})}" if onward else ""
    buttons = [
        (each.label, reverse("openid_connect_login", args=[key]) + after) for key, each in settings.SIGN_ON.items()
    ]
    return {"buttons": buttons, "has_passwords": not settings.PASSWORDS_ONLY_FOR}


@register.inclusion_tag("accounts/templatetags/_connect.html", takes_context=True)
def connect_buttons(context: template.Context) -> dict[str, Any]:
    """For the person's own page: a button for each provider that is not connected yet."""
    connected = set(context["request"].user.socialaccount_set.values_list("provider", flat=True))
    left = [(key, each.label) for key, each in settings.SIGN_ON.items() if key not in connected]
    return {"left": left, "has_providers": bool(settings.SIGN_ON), "csrf_token": context.get("csrf_token")}

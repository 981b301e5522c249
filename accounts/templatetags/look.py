"""The chosen theme, in templates: known on the server, so that no page flashes in the wrong one."""

from datetime import datetime
from typing import Any

from django import template
from django.utils import translation
from django.utils.safestring import SafeString, mark_safe

from accounts.languages import ENGLISH, script_catalogue, translated
from accounts.themes import Theme, theme_of

register = template.Library()


@register.simple_tag(takes_context=True)
def current_theme(context: template.Context) -> str:
    """system, light or dark."""
    request = context.get("request")
    return theme_of(request) if request is not None else Theme.SYSTEM


@register.simple_tag(takes_context=True)
def theme_attribute(context: template.Context) -> SafeString:
    """The attribute of <html> that overrides the system's scheme, or nothing."""
    theme = current_theme(context)
    return SafeString("") if theme == Theme.SYSTEM else mark_safe(f' data-theme="{Theme(theme).value}"')  # noqa: S308


@register.simple_tag
def script_texts() -> dict[str, Any]:
    """What scripts say in the language of the page, by its English words (static/js/words.js); none for English."""
    return script_catalogue(translation.get_language() or ENGLISH)


register.filter(translated)


@register.filter
def words(text: str) -> list[str]:
    """The words of a literal, to loop over."""
    return text.split()


@register.filter
def same_as(left: object, right: object) -> str:
    """`true` or `false`, for ARIA attributes."""
    return "true" if left == right else "false"


@register.filter
def until(start: datetime | None, end: datetime | None) -> str:
    """How long it took, in one or two units: "less than a second", "12 s", "3 min 20 s", "1 h 5 min"; "" if unknown."""
    if start is None or end is None:
        return ""
    seconds = int((end - start).total_seconds())
    if seconds < 1:
        return "less than a second"
    if seconds < 60:
        return f"{seconds} s"
    minutes, hours = seconds // 60, seconds // 3600
    parts = (f"{minutes} min", f"{seconds % 60} s") if not hours else (f"{hours:,} h", f"{minutes % 60} min")
    return " ".join(part for part in parts if not part.startswith("0 "))

"""Word overlap in templates."""

from django import template

from engines.text.overlap import format_share

register = template.Library()


@register.filter
def share(value: float | str | None, digits: int = 2) -> str:
    """A share (or a mean) with two decimals or so many; a dash for none."""
    return format_share(None if isinstance(value, str) else value, digits)

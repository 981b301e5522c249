"""Word overlap in templates."""

from django import template

from corpus.text.overlap import tell_share

register = template.Library()


@register.filter
def share(value: float | str | None, digits: int = 2) -> str:
    """A share (or a mean) with two decimals or so many; a dash for none."""
    return tell_share(None if isinstance(value, str) else value, digits)

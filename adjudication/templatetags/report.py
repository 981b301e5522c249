"""Words for the keys that figures are stored under."""

from collections.abc import Mapping

from django import template

register = template.Library()


@register.filter
def named(words: Mapping[str, str], key: str) -> str:
    """The word for this key; the key itself where there is none."""
    return words.get(key, key)


@register.filter
def at(table: Mapping[int, str], key: int) -> str:
    """The entry under a number, "" where there is none."""
    return table.get(key, "")

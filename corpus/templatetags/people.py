"""Words for the audit log."""

import json
import re

from django import template

register = template.Library()


HASH = re.compile(r"[0-9a-f]{40,}")


def _shortened(text: str) -> str:
    """Hashes down to what distinguishes them; the CSV has them whole."""
    return HASH.sub(lambda found: found[0][:10] + "…", text)


@register.filter
def spoken(name: str) -> str:
    """`create_collection` as `create collection`."""
    return name.replace("_", " ").replace("-", " ")


@register.filter
def pairs(data: dict[str, object]) -> list[tuple[str, object]]:
    """The particulars of an event, also where one of them is called `items`."""
    return list(data.items())


@register.filter
def in_words(value: object) -> str:
    """A JSON value as a person would write it down."""
    if isinstance(value, dict):
        return ", ".join(f"{spoken(key)} {in_words(each)}" for key, each in value.items())
    if isinstance(value, list):
        return ", ".join(in_words(each) for each in value)
    if isinstance(value, str):
        return f"“{_shortened(value)}”" if value else "(empty)"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value)

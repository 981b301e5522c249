"""Marked words in templates, exactly as the screen's script draws them."""

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy

register = template.Library()


MISSING = {"title": gettext_lazy("Untitled"), "abstract": gettext_lazy("No abstract is known for this document.")}


@register.filter
def drawn(unit: dict[str, Any] | None, name: str) -> SafeString:
    """Title or abstract of a unit with the words of its first cell marked; nothing for no unit."""
    if not unit:
        return SafeString("")
    text = unit["document"][name]
    return marked(text, unit["cells"][0]["marks"][name]) if text else SafeString(str(MISSING[name]))


def marked(text: str, spans: Sequence[int]) -> SafeString:
    """The text, escaped, with <mark> around its spans: start, end, start, end … in UTF-16 units."""
    units = text.encode("utf-16-le", "surrogatepass")
    pieces = []
    at = 0
    for start, end in zip(spans[::2], spans[1::2], strict=True):
        pieces += [escape(_cut(units, at, start)), "<mark>", escape(_cut(units, start, end)), "</mark>"]
        at = end
    pieces.append(escape(_cut(units, at, len(units) // 2)))
    return mark_safe("".join(pieces))  # noqa: S308 - every piece is escaped


def _cut(units: bytes, start: int, end: int) -> str:
    return units[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


@register.filter
def answer_to(cell: dict[str, object] | None, key: str) -> object:
    """The value that this cell's answer (or what was just sent in its place) gives for a criterion, or None."""
    return _answer_part(cell, "answers").get(key)


@register.simple_tag
def level_word(words: dict[str, dict[int, str]], cell: dict[str, object] | None, key: str) -> str:
    """What the value of this cell's answer is called on the criterion's scale, "" for none."""
    value = answer_to(cell, key)
    return words.get(key, {}).get(value, "") if isinstance(value, int) else ""


@register.filter
def reason_for(cell: dict[str, object] | None, key: str) -> object:
    """The reason that goes with it, or ""."""
    return _answer_part(cell, "reasons").get(key, "")


def _answer_part(cell: dict[str, object] | None, name: str) -> dict[str, object]:
    answer = cell.get("answer") if cell else None
    given = answer.get(name) if isinstance(answer, dict) else None
    return given if isinstance(given, dict) else {}

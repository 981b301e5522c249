"""Documents in templates: hits marked, names shortened, links only to the web."""

import json
from typing import Any
from urllib.parse import quote, urlsplit

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from corpus.documents.finding import HIT_END, HIT_START
from engines.formats.layouts import field_words

register = template.Library()

SHOWN_NAMES = 3


@register.filter
def hits(text: str) -> SafeString:
    """The text with its hits as <mark>, everything else escaped."""
    marked = escape(text).replace(HIT_START, "<mark>").replace(HIT_END, "</mark>")
    return mark_safe(marked)  # noqa: S308 - escaped above; the marks are ours and in pairs


@register.filter
def names(authors: list[str]) -> str:
    """The first authors, and how many more."""
    shown = "; ".join(authors[:SHOWN_NAMES])
    return f"{shown} and {len(authors) - SHOWN_NAMES} more" if len(authors) > SHOWN_NAMES else shown


@register.filter
def web_address(url: str) -> str:
    """The address if it leads to the web, else nothing: files bring any scheme."""
    try:
        return url if urlsplit(url).scheme in ("http", "https") else ""
    except ValueError:
        return ""


@register.filter
def doi_address(doi: str) -> str:
    return f"https://doi.org/{quote(doi, safe='/:;()')}"


register.filter(field_words)


@register.filter
def as_text(value: Any) -> str:
    """A value of a document's further fields: texts as they are, yes and no, anything else as JSON."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1)

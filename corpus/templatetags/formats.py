"""The formats of imports in words."""

from django import template

from engines.formats.registry import labels_for

register = template.Library()


@register.simple_tag
def formats_of(carried: str) -> str:
    """The labels of the formats from which this is read: "BibTeX, JSON Lines or BEIR"."""
    return labels_for(carried)

"""Names of items in lists."""

from django import template

from adjudication.labels.reads import items
from annotation.models import Item

register = template.Library()


@register.filter
def name_of(item: Item) -> str:
    """The document's title, else the topic's text."""
    return items.name_of(item)


@register.filter
def number_of(item: Item) -> str:
    """The number of the item's topic, "" for an item without one."""
    return items.number_of(item)

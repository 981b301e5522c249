"""What items are called in lists."""

from annotation.models import Item

NAMED_BY = ("topic", "document", "aspect", "paper")  # what `name_of` and `number_of` join


def name_of(item: Item) -> str:
    """What the item is about, for a line in a list: the name of document or paper, else the topic's text. Whole."""
    if item.document:
        return item.document.name
    return item.topic.text if item.topic else str(item.paper or item)


def number_of(item: Item) -> str:
    """The number of the topic the item belongs to, "" for one without a topic."""
    return item.topic.number if item.topic else ""

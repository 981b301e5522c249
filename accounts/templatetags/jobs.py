"""The queue of background jobs, in templates."""

from django import template

from accounts import broker

register = template.Library()


@register.simple_tag
def queue_is_away() -> bool:
    """Whether jobs cannot be handed to workers now."""
    return not broker.is_reachable()

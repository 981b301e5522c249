"""Tabs and cards in templates (accounts/slots.py)."""

from collections.abc import Iterable
from typing import Any

from django import template
from django.template import Context, Engine
from django.utils.safestring import SafeString, mark_safe

from accounts import slots

register = template.Library()


@register.simple_tag
def bar_links(bar: str, role: str, *where: str) -> list[tuple[str, str]]:
    """Address and label of each tab of a bar that the role may open."""
    return [(tab.href(*where), tab.label) for tab in slots.tabs_for(bar, role)]


@register.simple_tag
def tab_address(bar: str, key: str, *where: str) -> str:
    """The address of one tab."""
    return slots.tab_address(bar, key, *where)


@register.simple_tag(takes_context=True)
def show_cards(context: Context, cards: Iterable[slots.Card]) -> SafeString:
    """The cards one below the other; `is_main` says to a card's template that its button is the page's main one."""
    shown, is_taken = [], False
    for card in cards:
        is_main, is_taken = card.has_main_button and not is_taken, is_taken or card.has_main_button
        with context.push(**card.context, is_main=is_main):
            shown.append(Engine.get_default().get_template(card.template).render(context))
    return mark_safe("".join(shown))  # noqa: S308 - rendered with escaping


@register.simple_tag(takes_context=True)
def slot(context: Context, name: str, *about: Any) -> SafeString:
    """The cards of a slot."""
    return show_cards(context, slots.cards(name, *about))


@register.simple_tag
def card_styles(cards: Iterable[slots.Card]) -> list[str]:
    """The style sheets that the cards need, each once."""
    return list(dict.fromkeys(style for card in cards for style in card.styles))

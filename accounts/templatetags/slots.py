"""Tabs and cards in templates (accounts/slots.py)."""

from collections.abc import Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class BarLink:
    """A link of a bar, and whether the page that is shown belongs to it."""

    label: str
    address: str
    is_here: bool


@dataclass(frozen=True)
class GroupPlace(BarLink):
    """A group, which leads to the first of its pages."""

    pages: list[BarLink]

    @property
    def has_pages(self) -> bool:
        """Whether its pages say more than its own link does."""
        return len(self.pages) > 1 or self.pages[0].label != self.label


@dataclass(frozen=True)
class GroupedBar:
    """The groups of a bar, the one that the page belongs to, and in that one its tab."""

    groups: list[GroupPlace]

    @property
    def here(self) -> GroupPlace | None:
        return next((group for group in self.groups if group.is_here), None)

    @property
    def page(self) -> BarLink | None:
        return next((page for page in self.here.pages if page.is_here), None) if self.here else None


@register.simple_tag
def grouped_bar(bar: str, role: str, current: str, subject: Any, *where: str) -> GroupedBar:
    """The bar as this role sees it about the subject; `current` is the key of the tab that the page belongs to."""
    groups = []
    for group in slots.groups_for(bar, role, subject):
        pages = [BarLink(tab.label, tab.href(*where), tab.key == current) for tab in group.tabs]
        is_here = any(page.is_here for page in pages)
        groups.append(GroupPlace(group.label, pages[0].address, is_here, pages))
    return GroupedBar(groups)


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

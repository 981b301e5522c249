"""What rooms put on pages below them: tabs and cards. Each app registers its own by one line in its AppConfig.

`tabs = {"papers": "annotation.tabs.PAPERS"}` names a tuple of Tab; those of one group stand in one line below its name.
`home_cards = {"annotation": "annotation.cards.…"}` names a function that returns the cards of the slot `home`. So
a page imports no app above its own, and names no URL of it.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from typing import Any

from django.urls import reverse

from accounts.extensions import extensions


def always(_: Any) -> bool:
    """For tabs that every object has."""
    return True


@dataclass(frozen=True)
class Tab:
    """One link of a bar: a page that other pages lead to.

    The bars "do", "do in collection" and "do in campaign" are not drawn: they are what people can do, by verbs, for the
    palette to find.
    """

    bar: str  # "collection", "campaign", …: tabs of one bar stand together
    group: str  # of the bar, by the name that is shown; "" in a bar without groups
    place: int  # in the bar, lowest first
    key: str  # by which a page says that it belongs to the tab
    label: str
    url_name: str
    roles: tuple[str, ...] = ()  # who may open it; (): everybody who sees the bar
    applies: Callable[[Any], bool] = always  # whether the bar's object, a campaign for one, has such a page
    also: str = ""  # other words that people look for it by, in lower case
    after: str = ""  # of its address: an anchor, a query

    def href(self, *where: str) -> str:
        """Its address; `where` are the path parameters that all tabs of the bar share."""
        return reverse(self.url_name, args=where) + self.after

    def found_by(self, words: str) -> "Tab":
        """A copy with these other words."""
        return replace(self, also=words)


@cache
def tabs(bar: str) -> tuple[Tab, ...]:
    """All tabs of a bar in their order."""
    found = (tab for room in extensions("tabs").values() for tab in room if tab.bar == bar)
    return tuple(sorted(found, key=lambda tab: tab.place))


def tabs_for(bar: str, role: str, subject: Any = None) -> list[Tab]:
    """The tabs that a person of this role may open about the subject."""
    return [tab for tab in tabs(bar) if (not tab.roles or role in tab.roles) and tab.applies(subject)]


@dataclass(frozen=True)
class Group:
    """Tabs of one bar that are shown together; the group's own link leads to the first."""

    label: str
    tabs: tuple[Tab, ...]


def groups_for(bar: str, role: str, subject: Any = None) -> list[Group]:
    """The groups of a bar in their order, each with the tabs that a person of this role may open about the subject."""
    found = groupby(tabs_for(bar, role, subject), key=lambda tab: tab.group)
    return [Group(label, tuple(several)) for label, several in found]


def tab_address(bar: str, key: str, *where: str) -> str:
    """The address of a tab by its key. Errors: StopIteration for a key that no app registers."""
    return next(tab for tab in tabs(bar) if tab.key == key).href(*where)


@dataclass(frozen=True)
class Card:
    """One piece of a page: a template with its context, which the page's own context is added to."""

    place: int  # on the page, lowest first
    template: str
    context: dict[str, Any] = field(default_factory=dict)
    styles: tuple[str, ...] = ()  # style sheets that it needs
    has_main_button: bool = False  # its first button is the page's main one, unless a card above has that


def cards(slot: str, *about: Any) -> list[Card]:
    """All cards of a slot in their order; `about` is what the slot is about: a person, a membership, …"""
    sources: dict[str, Callable[..., Iterable[Card]]] = extensions(f"{slot}_cards")
    return sorted((card for source in sources.values() for card in source(*about)), key=lambda card: card.place)

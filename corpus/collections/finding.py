"""The palette (Ctrl+K): links to all that a person may open, found by their words.

Each app registers finders in its `palette.py` by one line in its AppConfig. A finder gets the person's memberships
and asks the same rules as the pages do, so that the palette never names what the page behind it would refuse.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from accounts.extensions import extensions
from accounts.models import User
from corpus.collections.rules import can_manage, can_oversee
from corpus.models import Membership

MOST_OF_A_KIND = 6
LONGEST = 200  # characters of a search


@dataclass(frozen=True)
class Entry:
    """One link; `hint` says what or where it is, if its label does not; `also` are other words for it."""

    label: str
    address: str
    hint: str = ""
    also: str = ""


@dataclass(frozen=True)
class PaletteSearch:
    """A text, the person who typed it, and the page: `here` is the membership of its collection, `campaign` a slug."""

    user: User
    text: str
    memberships: list[Membership]
    here: Membership | None = None
    campaign: str = ""

    @cached_property
    def words(self) -> list[str]:
        return self.text.casefold().split()

    def matches(self, *texts: str) -> bool:
        """Whether every word stands somewhere in the texts; everything matches a search without words."""
        joined = " ".join(texts).casefold()
        return all(word in joined for word in self.words)

    def is_less_likely(self, entry: Entry) -> bool:
        """Whether the words are not the beginnings of words for it; sorts such links after the others."""
        beginnings = re.findall(r"\w+", f"{entry.label} {entry.also}".casefold())
        return not all(any(each.startswith(word) for each in beginnings) for word in self.words)

    @property
    def places(self) -> list[Membership]:
        """Where documents, topics and people are looked for: the collection of the page, else all of the person's."""
        return [self.here] if self.here else self.memberships

    @property
    def managed(self) -> list[Membership]:
        """Of these, where the person may change something."""
        return [each for each in self.places if can_manage(each) and not each.collection.archived_at]

    @property
    def overseen(self) -> list[Membership]:
        """Of these, where the person may see who the others are."""
        return [each for each in self.places if can_oversee(each)]

    def hint_of(self, collection_id: int) -> str:
        """The collection's title, unless the page is in it."""
        if self.here and self.here.collection_id == collection_id:
            return ""
        return next(str(each.collection) for each in self.memberships if each.collection_id == collection_id)


@dataclass(frozen=True)
class Finder:
    """One kind of links: its place in the order, its heading, and the function that finds them, best first."""

    place: int
    heading: str
    find: Callable[[PaletteSearch], Iterable[Entry]]


def find_entries(search: PaletteSearch) -> list[tuple[str, list[Entry]]]:
    """Headings with their links, at most MOST_OF_A_KIND each; kinds with none are left out,
    and a page that two kinds lead to stands in the first.

    Kinds stand in their order, but those with a label that begins with the words come first: a name before a text.
    """
    finders = sorted((each for some in extensions("palette").values() for each in some), key=lambda each: each.place)
    found, seen = list[tuple[str, list[Entry]]](), set[str]()
    for each in finders:
        entries = [entry for entry in each.find(search) if entry.address not in seen]
        found.append((each.heading, sorted(entries, key=search.is_less_likely)[:MOST_OF_A_KIND]))
        seen.update(entry.address for entry in found[-1][1])
    shown = [(heading, entries) for heading, entries in found if entries]
    return sorted(shown, key=lambda kind: search.is_less_likely(kind[1][0]))

"""Campaign kinds: all that varies between them, as one object for each kind, and finding them by name.

A kind has a folder in annotation/kinds/ with its object in kind.py, and one line in `campaign_kinds` of
annotation/apps.py. What all kinds share asks the object (`campaign.kind_object`), never the name of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from django.utils.functional import Promise

from accounts.extensions import extensions
from accounts.refusals import Refused
from engines.definitions.drafts import CriterionDraft

if TYPE_CHECKING:
    from argparse import ArgumentParser

    from annotation.assignment.participation import Participation
    from annotation.models import Campaign
    from corpus.tables import Column

DEFAULT_KIND = "relevance"  # where no kind is named
GRADED_TABS = ("levels", "machines", "judgments", "agreement", "disagreements", "gold")

Report = Callable[[int, int, str], None]  # done, of how many, what is being done


class Judged(StrEnum):
    """What an item is: a document of a topic's pool, a question alone, or a paper."""

    DOCUMENTS = "documents"
    QUESTIONS = "questions"
    PAPERS = "papers"


@dataclass(frozen=True, slots=True)
class Supply:
    """What a campaign could have as items: all there is, what it has, what it could still take.

    `filtered`: left out by a filter of the kind. `held_elsewhere`: kept by other development or test campaigns.
    `sources`: (source, all, filtered, left) of each, where items come from several.
    """

    total: int
    taken: int
    left: int
    held_elsewhere: int
    filtered: int = 0
    sources: tuple[tuple[str, int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Draw:
    """How many items to take, drawn by the seed (`sample` None: all that are left)."""

    sample: int | None
    seed: int
    stratified: bool


class Items(Protocol):
    """How the items of a kind are found and made: a module of its folder.

    `choice` is what the kind's `Choosing` has read, None for kinds without one and for no choice at all.
    """

    def fetch_supply(self, campaign: Campaign, choice: Any = None, *, sampled: bool = False) -> Supply:
        """What there is for the campaign, or for a sample of it. Errors: Refused for a choice that names nothing."""

    def insert(self, campaign: Campaign, supply: Supply, draw: Draw, choice: Any, report: Report) -> int:
        """Make the items; how many were made. Errors: IntegrityError where something changed meanwhile."""


@dataclass(frozen=True, kw_only=True)
class Choosing:
    """How a person, a command or the API chooses among all possible items.

    A choice is a frozen dataclass. Its fields are stored as parameters of the build, from which `read` makes it again
    (without parameters: everything). `form(data, collection=…)` has `chosen()`; a command's arguments are those of
    `add_arguments`, read by `of_command`; `api_fields()` are serializer fields with the names of parameters.
    """

    form: Callable[..., Any]
    read: Callable[[Mapping[str, Any]], Any]
    add_arguments: Callable[[ArgumentParser], None]
    of_command: Callable[[Mapping[str, Any]], Any]
    api_fields: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class KindOptions:
    """The settings that only this kind has; kept in `Campaign.options`, in a file in a table of the kind's name.

    `read` gives the whole settings as JSON, with defaults for those that are left out. Errors of it: BadOptions.
    `form(data, stored=…)` is a form whose `as_json()` gives the same once it is valid. `belongs`: an option that means
    something under another one only, by its name; it goes back to its default when that one changes.
    """

    title: str
    summary: str
    read: Callable[[Mapping[str, Any]], dict[str, Any]]
    form: Callable[..., Any]
    belongs: Mapping[str, str] = field(default_factory=dict)

    def changed(self, stored: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The stored options with these changed."""
        kept = {
            name: value
            for name, value in stored.items()
            if (owner := self.belongs.get(name)) is None or options.get(owner, stored.get(owner)) == stored.get(owner)
        }
        return {**kept, **options}


@dataclass(frozen=True, kw_only=True)
class Words:
    """How pages and messages speak of a kind."""

    question: str  # what is judged, next to the kind's name where one is chosen
    item: str  # singular; the plural has an s
    columns: tuple[Column, ...]  # of lists of items: those with a label, which `row` draws, and those of the file alone
    building: str  # what an item is, above the form that adds items
    material: str  # what items are built from
    step: str  # the items, in the list of what a draft needs
    origin: str  # where items come from, where there are none yet
    nothing: str  # why nothing can be built: the collection has nothing of it
    lacking: str  # the same for the command line, after "There are no"
    empty: tuple[str, str]  # heading and advice of the page, where the collection has nothing of it
    bring: tuple[str, str]  # import kind and label of the button there
    work: str = "Judge"  # the button that leads to one's own items


class Key(NamedTuple):
    """A key of the labelling screen: the usual one, and what it does."""

    usual: str
    words: str | Promise


@dataclass(frozen=True, kw_only=True)
class Labelling:
    """How the labelling screen shows the items of a kind and asks about them."""

    layout: str  # how the script lays a unit out: "document" or "question"
    unit: str  # template
    cell: str  # template
    noun: str | Promise  # what a line of one's history is about
    fetch_units: Callable[[Participation, Sequence[Sequence[int]]], list[dict[str, Any]]]
    skip_reasons: tuple[str, ...]
    marks: str | Promise  # what highlights mark
    by_aspect: bool = False  # a line of one's history names an aspect
    takes_extras: bool = False  # rewrites and further targets come with an answer
    styles: tuple[str, ...] = ()
    keys: Mapping[str, Key] = field(default_factory=dict)  # those that only this screen has, by action
    context: Callable[[Participation], dict[str, Any]] = lambda _: {}
    data: Callable[[Participation], dict[str, Any]] = lambda _: {}


@dataclass(frozen=True, kw_only=True)
class ItemView:
    """How an item, and what came with a vote on it, is shown to those who adjudicate.

    `fetch(item id)` reads what `template` draws as `view`, and `pinned` above the verdict: in a line or two, the
    question about the item. `attach([submission id, …])` reads at once what else came with votes, by submission id; the
    template `more` draws it as `ballot.more`.
    """

    template: str
    pinned: str
    fetch: Callable[[int], Any]
    more: str = ""
    attach: Callable[[Sequence[int]], Mapping[int, object]] | None = None
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One campaign kind. Each `no_…` is the reason why its campaigns do not take that; "" where they do."""

    name: str
    judges: Judged
    words: Words
    guideline: str
    criteria: tuple[CriterionDraft, ...] = ()  # those of a new campaign
    overlap: int = 3
    calibration_overlap: int = 3
    assumed_seconds: int = 30  # for a judgment, until some were timed
    has_orders: bool = False  # by aspect or by document
    no_criteria: str = ""
    no_queue: str = ""
    no_repeats: str = ""
    no_machines: str = ""
    options: KindOptions | None = None
    # Items: how they are made, the page that adds them, the cells of one in the list
    items: Items
    choosing: Choosing | None = None
    # What chosen items that are left are made of, such as topics: (singular, how many) of each. None: of themselves.
    count_parts: Callable[[Campaign, Any], tuple[tuple[str, int], ...]] | None = None
    # Makes items of these (topic id, document id) alone and says how many; None for kinds that judge no documents.
    insert_pairs: Callable[[Campaign, Sequence[tuple[int, int]]], int] | None = None
    build_page: str = "annotation/item_build.html"
    row: str = "annotation/kinds/_item_row.html"
    # Judging: the page where it is done, and the labelling screen unless the kind brings its own screen
    screen: str = "labelling_screen"
    item_screen: str = ""  # the page of one assignment, where that is not the screen with `?item=`
    labelling: Labelling | None = None
    # What follows: the pages a campaign has (in addition to those of all), how it is adjudicated
    tabs: tuple[str, ...] = GRADED_TABS
    adjudication: str = "votes"
    counts_itself: bool = False  # votes are counted without being asked for, once no judgment is missing
    item_view: ItemView | None = None

    def __str__(self) -> str:
        return self.name

    @property
    def shown(self) -> ItemView:
        """How its items are shown to adjudicators. Errors: LookupError for kinds that are adjudicated elsewhere."""
        if self.item_view is None:
            raise LookupError(f"items of kind {self} are not shown there")
        return self.item_view

    @property
    def takes_everything(self) -> Any:
        """The choice that leaves nothing out; None for kinds without a choice."""
        return self.choosing.read({}) if self.choosing else None

    @property
    def offers_calibration(self) -> bool:
        """Whether a new campaign is asked for a calibration sample: unless several people judge each item anyway."""
        return self.overlap == 1


def kind_by_name(name: str) -> Kind:
    """The kind of this name. Errors: Refused naming those there are."""
    found: Kind | None = extensions("campaign_kinds").get(name)
    if found is None:
        supported = ", ".join(each.name for each in kinds())
        raise Refused(f"Campaigns of kind “{name}” cannot be made in this version of Litmus. Supported: {supported}.")
    return found


def kinds() -> list[Kind]:
    """Every kind, the default first."""
    found: list[Kind] = list(extensions("campaign_kinds").values())
    return sorted(found, key=lambda each: each.name != DEFAULT_KIND)


def option_readers() -> dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]]:
    """The function that reads the settings of each kind that has any, by the kind's name."""
    return {each.name: each.options.read for each in kinds() if each.options}


def kinds_by(what: Callable[[Kind], object]) -> str:
    """What differs by kind, in words: “3 for relevance, 1 for rubric and extraction”."""
    names: dict[object, list[str]] = {}
    for each in kinds():
        names.setdefault(what(each), []).append(each.name)
    return ", ".join(f"{value} for {' and '.join(of)}" for value, of in names.items())


def overlaps_in_words() -> str:
    return kinds_by(lambda kind: kind.overlap)


def calibration_in_words() -> str:
    return kinds_by(lambda kind: kind.calibration_overlap)

"""What a gold is: which documents answer which topics, by any source, chosen by one selector.

A selector is `KIND[:NAME][;OPTION=VALUE…]`, such as `campaign:main;unit=aspect;relevance=2`: the same words on the
page, on the command line and in the API. Another package subclasses `GoldKind` and declares an instance under the entry
points `litmus.golds`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from accounts.refusals import Refused
from annotation.models import Campaign
from corpus.models import Collection
from engines.stats.rankings import Gold

QUERY, ASPECT, SUB_QUERY = "query", "aspect", "sub-query"
UNITS = (QUERY, ASPECT, SUB_QUERY)
Grades = dict[str, dict[str, float]]  # {topic number: {docno: grade}}
SEMICOLON = "%3B"  # in the name of a gold
Choices = list[tuple[str, str]]  # (selector, words)


@dataclass(frozen=True)
class Option:
    """An option of a kind of gold: the words it can be, the first of them by default; any word where there are none."""

    about: str
    words: tuple[str, ...] = ()
    default: str = ""


@dataclass(frozen=True)
class Selector:
    """A gold as it is asked for."""

    kind: str
    name: str = ""
    options: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """As it is written; a semicolon in a name is %3B, because options begin with one."""
        named = f"{self.kind}:{self.name.replace(';', SEMICOLON)}" if self.name else self.kind
        return ";".join([named, *(f"{key}={value}" for key, value in self.options)])


@dataclass(frozen=True, eq=False)
class LoadedGold:
    """A gold that was read. `unit` says what its topics are; `notes` what figures made with it silently assume.

    `facts` is what notes say that may change while the judgments stay: codes, counts and names, as JSON takes them.
    Evaluations are stale once they change, but not once a note is worded in another way.
    """

    selector: str
    label: str
    gold: Gold
    unit: str = QUERY
    notes: tuple[str, ...] = ()
    facts: tuple[Any, ...] = ()
    is_judged: bool = True  # whether it says of documents, too, that they are not relevant
    campaigns: tuple[Campaign, ...] = ()  # whose labels it is made of: that decides who may see figures


@dataclass(frozen=True)
class GoldRequest:
    """What a kind reads from: the collection, what stands after the colon, its options, and files given by name."""

    collection: Collection
    selector: Selector
    files: Mapping[str, Grades] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.selector.name

    @property
    def relevance(self) -> float:
        """The lowest level that counts as relevant. Errors: Refused for what is no number above 0."""
        word = self.values["relevance"]
        try:
            level = float(word)
        except ValueError:
            level = 0.0
        if not 0 < level < 1000:
            raise Refused(f"“{word[:20]}” is not a relevance level: a number above 0 is needed, such as 1 or 2.")
        return level


NO_GOLD = "Runs cannot be evaluated."  # the beginning of a refusal, before the reason
RELEVANCE = Option("lowest grade that counts as relevant; for sums over aspects, their mean", default="1")


class GoldKind(ABC):
    """One kind of gold."""

    name: str
    label: str
    about: str
    takes_name: ClassVar[str] = ""  # what stands after the colon, in words; "" for nothing
    options: ClassVar[Mapping[str, Option]] = {}

    @property
    def spelling(self) -> str:
        return f"{self.name}:{self.takes_name}" if self.takes_name else self.name

    @abstractmethod
    def choices(self, collection: Collection) -> Choices:
        """The golds of this kind that a collection has, as the page offers them."""

    def campaigns(self, request: GoldRequest) -> Sequence[Campaign]:  # noqa: ARG002 - for subclasses
        """Whose labels the gold is made of."""
        return ()

    def protected_campaigns(self, request: GoldRequest) -> Sequence[Campaign]:
        """Who still has to judge in one of these campaigns may not see figures: they could sway the judge."""
        return self.campaigns(request)

    def check(self, request: GoldRequest) -> None:
        """Refuse, before any work, a name that there is not. Errors: Refused."""
        self.campaigns(request)

    def lasting_selector(self, request: GoldRequest) -> Selector:
        """The selector, with the only campaign by its name: campaigns added later do not change it. Errors: Refused."""
        return request.selector

    @abstractmethod
    def read(self, request: GoldRequest) -> LoadedGold:
        """The gold. Errors: Refused where there is nothing to evaluate against."""

    def loaded(self, request: GoldRequest, label: str, gold: Gold, **more: Any) -> LoadedGold:
        more["notes"] = (*more.get("notes", ()), *_threshold(gold))
        return LoadedGold(str(request.selector), label, gold, campaigns=tuple(self.campaigns(request)), **more)


def _threshold(gold: Gold) -> list[str]:
    """From which grade on documents count as relevant, where that is not plain: grades other than 0 and 1."""
    if not len(gold) or (gold.relevance == 1 and gold.level.max() <= 1):
        return []
    note = f"In measures without grades, documents of grade {gold.relevance:g} or more count as relevant."
    return [f"{note} Where a grade is a sum over aspects, its mean over the aspects is compared."]

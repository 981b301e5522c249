"""What a new campaign begins as: its kind, levels, guideline and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.counting import counted
from annotation.kind import Kind, kind_by_name
from annotation.models import Order, Split, Strategy
from engines.definitions.drafts import CriterionDraft
from engines.definitions.settings import LEASE_MINUTES

USUAL: dict[str, Any] = {
    "split": Split.MAIN,
    "order": Order.BY_ASPECT,
    "strategy": Strategy.QUEUE,
    "lease_minutes": LEASE_MINUTES,
}


@dataclass(frozen=True, kw_only=True)
class CampaignTemplate:
    """One beginning. What it leaves out is as its kind has it; `settings` and `options` are those of a campaign.

    `asks` says what it asks of people, `picture` is a template that draws its screen. `seconds` are assumed for a
    judgment where a collection has timed too few.
    """

    name: str
    label: str
    kind: str
    asks: str = ""
    picture: str = ""
    seconds: float | None = None
    criteria: tuple[CriterionDraft, ...] = ()
    guideline: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] | None = None

    @property
    def kind_object(self) -> Kind:
        return kind_by_name(self.kind)

    @property
    def values(self) -> dict[str, Any]:
        """The settings of a campaign that begins as this."""
        kind = self.kind_object
        of_kind = {"overlap": kind.overlap} | ({"strategy": Strategy.PLANNED} if kind.no_queue else {})
        return USUAL | of_kind | dict(self.settings)

    @property
    def assumed_seconds(self) -> float:
        return self.seconds or self.kind_object.assumed_seconds

    def sentence_of(self, overlap: int | None = None, split: str = "") -> str:
        """Its settings and levels, for people, with another number of judges or another split where one is chosen."""
        kind, values = self.kind_object, self.values
        parts = [f"{counted(overlap or values['overlap'], 'person judges', 'people judge')} each {kind.words.item}"]
        if kind.has_orders:
            parts.append(Order(values["order"]).label)
        parts.append(Strategy(values["strategy"]).label)
        parts.append(f"split {Split(split or values['split']).label}")
        return ", ".join(parts) + "." + "".join(f" {_levels(each)}" for each in self.criteria or kind.criteria)


def _levels(criterion: CriterionDraft) -> str:
    return f"{criterion.label}: {', '.join(f'{level.value} {level.label}' for level in criterion.levels)}."
